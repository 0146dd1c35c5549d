"""The way back from a bulk edit, over HTTP."""

import pytest

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
def test_what_was_changed_since_is_kept_and_the_version_says_so(ada, damp):
    found = edit(ada, damp, "tagged:wet", "state:resolved importance:4")
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": {"state": "hold"}})
    undo(ada, found)
    kept = ticket(ada, damp, 1)
    assert (kept["state"], kept["importance"]) == ("hold", 0)
    assert kept["versions"][-1]["body"].endswith(" (kept: the state, changed since)")
    assert states(ada, damp, 3) == ["new"]


def test_what_was_changed_since_is_kept_though_the_comment_with_it_is_removed(ada, damp):
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


def test_old_values_that_are_gone_stay_gone(world, ada, damp):
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


def test_undo_passes_over_tickets_that_are_gone_or_were_not_changed(ada, damp):
    ada.put(f"/projects/{damp}/tickets/2", {"ticket": {"state": "hold"}})
    found = edit(ada, damp, "all", "state:hold")
    ada.delete(f"/projects/{damp}/tickets/4")
    answer = undo(ada, found)
    assert (answer.status, numbers_of(answer.item)) == (201, [1, 3])
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


def test_moves_cannot_be_undone(ada, damp, hull):
    answer = undo(ada, edit(ada, damp, "1", "project:hull"))
    assert (answer.status, answer.errors) == (
        422,
        ["This bulk edit moved its tickets to another project, which cannot be undone"],
    )


def test_there_is_nothing_to_undo_in_another_project(ada, damp, harbour):
    found = edit(ada, damp, "1", "state:resolved")
    assert ada.post(f"/projects/{harbour}/bulk_edits/{found['id']}/undo").status == 404
    assert undo(ada, {"project_id": damp, "id": 77}).status == 404
