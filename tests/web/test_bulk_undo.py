"""Undoing bulk edits over HTTP."""

import pytest

from skerry.tracker.people import people
from tests.support.resources import placeholder
from tests.web.test_bulk_edit import edit, numbers_of, open_count, states, ticket, undo
from tests.web.test_milestones import add, at, counts
from tests.web.test_tags_and_states import set_states


@pytest.mark.matrix("databases")
def test_undo_gives_the_old_values_back_in_new_versions(ada, ben, damp):
    keel = add(ada, damp, "Keel")
    found = edit(
        ada, damp, "tagged:wet", "state:resolved tagged:done milestone:keel responsible:ben importance:4"
    )
    answer = undo(ben, found)
    assert answer.status == 201
    assert answer.headers["location"].endswith(f"/projects/{damp}/bulk_edits/2.{ben.format}")
    assert (answer.item["undoes"], numbers_of(answer.item)) == (1, [1, 3])
    back = ticket(ada, damp)
    assert (back["state"], back["tag"], back["milestone_id"], back["assigned_user_id"]) == (
        "new",
        "wet",
        None,
        None,
    )
    assert (back["importance"], back["version"], back["user_id"]) == (0, 3, ben.user_id)
    edits = f"/projects/{damp}/bulk_edits"
    assert back["versions"][2]["body"] == f"[[bulk edit]({edits}/2)] undoes [bulk edit 1]({edits}/1)"
    assert (open_count(ada, damp), counts(ada, keel)) == (4, (0, 0))


@pytest.mark.matrix("databases")
def test_values_changed_since_are_kept_and_the_version_says_so(ada, damp):
    found = edit(ada, damp, "tagged:wet", "state:resolved importance:4")
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"state": "hold"}})
    undo(ada, found)
    kept = ticket(ada, damp, 1)
    assert (kept["state"], kept["importance"]) == ("hold", 0)
    assert kept["versions"][-1]["body"].endswith(" (kept: the state, changed since)")
    assert states(ada, damp, 3) == ["new"]


def test_values_changed_since_are_kept_even_if_the_comment_was_deleted(ada, damp):
    found = edit(ada, damp, "1", "state:hold importance:4 tagged:done responsible:me")
    change = {"state": "resolved", "tag": None, "assigned_user_id": None, "body": "Dry"}
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": change})
    assert ada.delete(f"/projects/{damp}/tickets/1/versions/3").status == 200
    undo(ada, found)
    kept = ticket(ada, damp)
    assert (kept["state"], kept["tag"], kept["assigned_user_id"]) == ("resolved", None, None)
    assert kept["importance"] == 0
    assert kept["versions"][-1]["body"].endswith(
        " (kept: who is responsible, changed since; the state, changed since; the tags, changed since)"
    )


def test_old_values_that_no_longer_exist_are_not_restored(world, ada, damp):
    keel = add(ada, damp, "Keel")
    edit(ada, damp, "all", "milestone:keel state:open")
    found = edit(ada, damp, "1", "milestone:none state:hold")
    ada.delete(at(keel))
    set_states(world, damp, "new/f17", "hold/6a0")
    undo(ada, found)
    kept = ticket(ada, damp)
    assert (kept["state"], kept["milestone_id"]) == ("hold", None)
    assert kept["versions"][-1]["body"].endswith(
        " (kept: the milestone, as the old value is gone; the state, as the old value is gone)"
    )


@pytest.fixture
def emil(world, ada, damp, monkeypatch):
    """Somebody who was imported with a ticket, and is no member."""
    with world.write() as transaction:
        user_id = placeholder(transaction, "Emil", "acme/8")
    with monkeypatch.context() as patch:
        patch.setattr(people, "check_assignee", lambda *_, **__: None)
        ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"assigned_user_id": user_id}})
    return user_id


@pytest.mark.matrix("databases")
def test_undo_gives_tickets_back_to_imported_people(ada, damp, emil):
    undo(ada, edit(ada, damp, "1", "responsible:ben"))
    assert ticket(ada, damp)["assigned_user_id"] == emil


@pytest.mark.matrix("databases")
def test_a_ticket_returns_to_an_imported_person_from_whom_it_was_just_taken_and_never_else(ada, damp, emil):
    path = f"/projects/{damp}/tickets/1"
    for taken, status in (({"assigned_user_id": ada.user_id}, 200), ({"state": "hold"}, 422)):
        ada.put(path, {"ticket": {"assigned_user_id": None, **taken}})
        assert ada.put(path, {"ticket": {"assigned_user_id": emil}}).status == status
        ada.put(path, {"ticket": {"assigned_user_id": ada.user_id}})
    assert ada.put(f"/projects/{damp}/tickets/2", {"ticket": {"assigned_user_id": emil}}).status == 422


def test_undo_passes_over_tickets_that_are_gone_or_were_not_changed(ada, damp):
    ada.put(f"/projects/{damp}/tickets/2", {"ticket": {"state": "hold"}})
    found = edit(ada, damp, "all", "state:hold")
    ada.delete(f"/projects/{damp}/tickets/4")
    answer = undo(ada, found)
    assert (answer.status, numbers_of(answer.item)) == (201, [1, 3])
    assert numbers_of(answer.item, "left_numbers") == [4]
    assert states(ada, damp, 1, 2, 3) == ["new", "hold", "new"]


@pytest.mark.matrix("databases")
def test_an_edit_is_undone_once_and_its_undoing_can_be_undone(ada, damp):
    found = edit(ada, damp, "1", "state:resolved")
    undoing = undo(ada, found).item
    assert ada.get(f"/projects/{damp}/bulk_edits/{found['id']}").item["undone_by"] == undoing["id"]
    answer = undo(ada, found)
    assert (answer.status, answer.errors) == (422, ["This bulk edit was already undone by bulk edit 2"])
    assert undo(ada, undoing).status == 201
    assert states(ada, damp, 1) == ["resolved"]


@pytest.mark.matrix("databases")
def test_an_undone_move_brings_tickets_back_under_new_numbers(ada, ben, world, damp, hull):
    world.join(damp, ben)
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"assigned_user_id": ben.user_id, "importance": 2}})
    found = edit(ada, damp, "1", "project:hull importance:5 state:hold")
    undone = undo(ada, found).item
    assert (undone["moved_to"], undone["undoes"], numbers_of(undone)) == (damp, found["id"], [5])
    back = ticket(ada, damp, 5)
    assert (back["title"], back["state"], back["importance"]) == ("Leak 1", "new", 2)
    assert back["assigned_user_id"] == ben.user_id
    for project, number in ((damp, 1), (hull, 2)):
        answer = ada.get(f"/projects/{project}/tickets/{number}")
        assert (answer.status, answer.headers["location"].rpartition("/projects/")[2]) == (
            301,
            f"{damp}/tickets/5.{ada.format}",
        )
    assert undo(ada, undone).errors == [
        "This bulk edit moved its tickets back; to move them again, use a new one"
    ]


def test_tickets_moved_on_or_deleted_since_stay_where_they_are(ada, damp, hull, harbour):
    found = edit(ada, damp, "all", "project:hull")
    edit(ada, hull, "2", f"project:{harbour}")
    ada.delete(f"/projects/{hull}/tickets/3")
    undone = undo(ada, found).item
    assert (numbers_of(undone), numbers_of(undone, "left_numbers")) == ([5, 6], [1, 2])
    again = ada.get(f"/projects/{damp}/bulk_edits/{undone['id']}").item
    assert numbers_of(again, "left_numbers") == [1, 2]
    assert ticket(ada, harbour, 1)["title"] == "Leak 1"


def test_only_members_of_both_projects_can_undo_a_move(world, ada, ben, damp, hull, harbour):
    world.join(damp, ben)
    assert undo(ben, edit(ada, damp, "1", "project:hull")).status == 404
    ada.put(f"/projects/{hull}", {"project": {"public": True}})
    assert undo(ben, edit(ada, damp, "2", "project:hull")).status == 403


def test_there_is_nothing_to_undo_in_another_project(ada, damp, harbour):
    found = edit(ada, damp, "1", "state:resolved")
    assert ada.post(f"/projects/{harbour}/bulk_edits/{found['id']}/undo").status == 404
    assert undo(ada, {"project_id": damp, "id": 77}).status == 404


def test_a_move_is_undone_only_while_a_ticket_is_there(ada, damp, hull, harbour):
    moved = edit(ada, damp, "1", "project:hull")
    onward = edit(ada, hull, "2", "project:harbour")
    refused = ada.post(f"/projects/{damp}/bulk_edits/{moved['id']}/undo", {})
    assert (refused.status, refused.errors) == (422, ["All its tickets have been moved on or deleted"])
    assert ada.post(f"/projects/{hull}/bulk_edits/{onward['id']}/undo", {}).status == 201
