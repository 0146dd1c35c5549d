"""Bulk edits over several projects over HTTP."""

import re

import pytest

from tests.web.test_bulk_edit import numbers_of, ticket

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def both(ada, damp, harbour):
    """Two projects of Ada and Ben with wet tickets: 1 and 3 in the first, 1 in the second."""
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak in the boat", "tag": "wet"}})
    return damp, harbour


def send(client, query, command, **fields):
    return client.post("/bulk_edit", {"account_bulk_edit": {"query": query, "command": command, **fields}})


@pytest.mark.parametrize("root", ["account_bulk_edit", "bulk_edit"])
def test_the_root_may_be_that_of_one_project(ben, both, root):
    answer = ben.post("/bulk_edit", {root: {"query": "tagged:wet", "command": "state:hold", "dry_run": True}})
    assert (answer.status, answer.item["count"]) == (200, 3)


def test_the_names_of_parts_are_hyphenated_in_xml(ben, both):
    edit = send(ben, "tagged:wet", "state:hold").item
    shown = ben.get(f"/bulk_edits/{edit['id']}.xml").body
    assert shown.count(b"<bulk-edit type=") == len(both)
    assert not re.search(rb"<[a-z-]*_", shown)


def states(client, *places):
    return [ticket(client, project, number)["state"] for project, number in places]


def test_one_edit_changes_tickets_of_all_projects_and_one_undo_reverts_it(ben, both):
    damp, harbour = both
    answer = send(ben, "tagged:wet", "state:resolved importance:2")
    edit = answer.item
    assert (answer.status, edit["count"], edit["user_name"]) == (200, 3, "Ben")
    assert answer.headers["location"] == f"http://{ben.host}/bulk_edits/{edit['id']}.{ben.format}"
    parts = {part["project_id"]: numbers_of(part) for part in edit["bulk_edits"]}
    assert parts == {damp: [1, 3], harbour: [1]}
    assert {part["part_of"] for part in edit["bulk_edits"]} == {edit["id"]}
    assert states(ben, (damp, 1), (damp, 2), (harbour, 1)) == ["resolved", "new", "resolved"]
    assert ben.get(f"/bulk_edits/{edit['id']}").item == edit
    undone = ben.post(f"/bulk_edits/{edit['id']}/undo")
    assert (undone.status, undone.item["count"], undone.item["command"]) == (201, 3, "")
    assert states(ben, (damp, 1), (damp, 3), (harbour, 1)) == ["new"] * 3
    again = ben.post(f"/bulk_edits/{edit['id']}/undo")
    assert (again.status, again.errors) == (422, ["This bulk edit was already undone"])
    undoing = ben.get(f"/bulk_edits/{undone.item['id']}").item
    assert {part["undoes"] for part in undoing["bulk_edits"]} == {part["id"] for part in edit["bulk_edits"]}


def test_a_dry_run_says_what_would_change(ben, both):
    edit = send(ben, "tagged:wet", "state:resolved", dry_run=True).item
    assert (edit["id"], edit["count"], edit["dry_run"]) == (None, 3, True)
    assert [numbers_of(part) for part in edit["bulk_edits"]] == [[1, 3], [1]]
    assert states(ben, (both[0], 1), (both[1], 1)) == ["new", "new"]
    assert send(ben, "tagged:dry", "state:resolved").errors == ["Query finds no ticket"]


def test_all_is_refused_if_one_project_cannot_be_changed(ada, ben, cy, both):
    damp, harbour = both
    moored = ada.post("/projects", {"project": {"name": "Moored", "public": True}}).item["id"]
    ada.post(f"/projects/{moored}/tickets", {"ticket": {"title": "Wet rope", "tag": "wet"}})
    refused = send(ben, "tagged:wet", "state:resolved")
    assert (refused.status, refused.errors) == (403, ["You may not change tickets of Moored"])
    refused = send(cy, "tagged:wet", "state:resolved", dry_run=True)
    assert (refused.status, refused.errors) == (403, ["You may not change tickets of Harbour, Moored"])
    assert states(ben, (damp, 1), (harbour, 1)) == ["new", "new"]
    assert send(ben, "tagged:wet -project:Moored", "state:resolved").status == 200


def test_a_name_that_one_project_lacks_is_told_with_the_project(ada, ben, both):
    ada.post(f"/projects/{both[0]}/milestones", {"milestone": {"title": "Dry"}})
    refused = send(ben, "tagged:wet", "milestone:Dry")
    assert (refused.status, refused.errors) == (422, ["Project Harbour: There is no milestone 'Dry'"])
    assert ticket(ben, both[0])["milestone_id"] is None


def test_parts_in_hidden_projects_are_not_shown(ada, cy, both):
    edit = send(ada, "tagged:wet", "state:resolved").item
    seen = cy.get(f"/bulk_edits/{edit['id']}").item
    assert (seen["count"], [part["project_id"] for part in seen["bulk_edits"]]) == (1, [both[1]])
    assert cy.post(f"/bulk_edits/{edit['id']}/undo").status == 403
    alone = send(ada, f"project:{both[0]}", "state:new").item
    assert cy.get(f"/bulk_edits/{alone['id']}").status == 404


def test_a_part_can_be_undone_alone_and_the_rest_afterwards(ben, both):
    edit = send(ben, "tagged:wet", "state:resolved").item
    first = edit["bulk_edits"][0]
    ben.post(f"/projects/{first['project_id']}/bulk_edits/{first['id']}/undo")
    rest = ben.post(f"/bulk_edits/{edit['id']}/undo").item
    assert [part["project_id"] for part in rest["bulk_edits"]] == [both[1]]
    assert states(ben, (both[0], 1), (both[1], 1)) == ["new", "new"]
