"""Bulk edits over HTTP that move tickets to another project."""

import pytest

from tests.support.forms import KIND, field, file, form
from tests.web.test_bulk_edit import edit, numbers_of, open_count, send, ticket
from tests.web.test_milestones import add, counts
from tests.web.test_tags_and_states import set_states


@pytest.mark.matrix("databases")
def test_tickets_move_with_everything_that_belongs_to_them(ada, damp, hull):
    ada.put(f"/projects/{damp}/tickets/3", {"ticket": {"body": "A comment", "state": "open"}})
    found = edit(ada, damp, "tagged:wet", "project:hull tagged:moved")
    assert (numbers_of(found), numbers_of(found, "new_numbers"), found["moved_to"]) == ([1, 3], [2, 3], hull)
    assert ticket(ada, damp, 1) is ticket(ada, damp, 3) is None
    moved = ticket(ada, hull, 3)
    assert (moved["title"], moved["state"], moved["tag"]) == ("Leak 3", "open", "moved wet")
    assert [version["version"] for version in moved["versions"]] == [1, 2, 3]
    assert moved["versions"][1]["body"] == "A comment"
    # It says neither where the ticket was, nor, once it moves on, where it is now.
    assert moved["versions"][2]["body"] == "[bulk edit] moved the ticket here"
    assert "href" not in moved["versions"][2]["body_html"]
    assert (open_count(ada, damp), open_count(ada, hull)) == (2, 3)
    assert ada.get(f"/projects/{damp}/bulk_edits/{found['id']}").item == found


@pytest.mark.matrix("databases")
def test_old_numbers_are_not_given_again_and_new_ones_go_on(ada, damp, hull):
    edit(ada, damp, "4", f"project:{hull}")
    for project, number in ((damp, 5), (hull, 3)):
        made = ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Next"}}).item
        assert made["number"] == number


@pytest.mark.matrix("databases")
def test_values_that_do_not_fit_the_other_project_are_dropped(world, ada, ben, damp, hull):
    set_states(world, hull, "fresh/f17", "gone/6a0")
    keel = add(ada, damp, "Keel")
    fields = {"milestone_id": keel["id"], "assigned_user_id": ben.user_id}
    ada.put(f"/projects/{damp}/tickets/1", {"ticket": fields})
    ada.put(f"/projects/{damp}/tickets/2", {"ticket": {**fields, "state": "hold"}})
    edit(ada, damp, "milestone:keel", "project:hull")
    for number, state in ((2, "fresh"), (3, "gone")):
        moved = ticket(ada, hull, number)
        assert (moved["state"], moved["milestone_id"], moved["assigned_user_id"]) == (state, None, None)
        assert moved["watchers_ids"] == [ada.user_id]
        assert [version["milestone_title"] for version in moved["versions"]] == [None] * len(
            moved["versions"]
        )
        # Nor does the history tell the ids of milestones of the other project.
        assert not any("milestone" in version["diffable_attributes"] for version in moved["versions"])
    told = [each for each in ada.get(f"/projects/{hull}/events").items if each["type"] == "ticket.moved"]
    assert ["milestone_id" in each["changes"] for each in told] == [False, False]
    assert counts(ada, keel) == (0, 0)
    assert (open_count(ada, damp), open_count(ada, hull)) == (2, 2)


def test_a_hidden_project_is_no_other_than_a_missing_one_to_a_move(ada, ben, damp):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    for name in (str(shed), "shed", "999999"):
        refused = send(ben, damp, "1", f"project:{name}")
        assert (refused.status, refused.errors) == (422, [f"There is no project '{name}'"])


def test_commands_beside_a_move_speak_of_the_other_project(ada, ben, damp, hull):
    keel = add(ada, hull, "Keel")
    assert send(ada, damp, "1", "project:hull responsible:ben").status == 422
    edit(ada, damp, "1", "milestone:keel project:hull state:resolved")
    moved = ticket(ada, hull, 2)
    assert (moved["milestone_id"], moved["state"]) == (keel["id"], "resolved")
    assert moved["versions"][-1]["diffable_attributes"]["milestone"] is None
    assert counts(ada, keel) == (1, 0)


def test_names_in_commands_are_good_whatever_blanks_they_are_written_with(ada, ben, damp, hull):
    ben.put(f"/users/{ben.user_id}", {"user": {"name": "Ben  Bolt"}})
    ada.put(f"/projects/{hull}", {"project": {"name": "The  Hull"}})
    dock = add(ada, hull, "Dry  dock ")
    edit(ada, damp, "1", "responsible:'ben  bolt '")
    assert ticket(ada, damp, 1)["assigned_user_id"] == ben.user_id
    edit(ada, damp, "1", "project:' the hull' milestone:'dry   dock'")
    assert ticket(ada, hull, 2)["milestone_id"] == dock["id"]


@pytest.mark.matrix("databases")
def test_moved_tickets_keep_their_files_and_words(ada, damp, hull):
    body = form(field("ticket[body]", "Look"), file(b"water", "a.txt"))
    path = f"/projects/{damp}/tickets/1"
    assert ada.send("PUT", path, raw=body, kind=KIND).status == 200
    edit(ada, damp, "1", "project:hull")
    (kept,) = ticket(ada, hull, 2)["attachments"]
    assert ada.raw(kept["url"].removeprefix(f"http://{ada.host}")).body == b"water"
    assert numbers_of(edit(ada, hull, "leak", "tagged:found")) == [2]
    assert numbers_of(edit(ada, damp, "'leak 1'", "tagged:found")) == []


def test_tickets_cannot_be_moved_to_a_project_without_membership(ada, ben, damp, hull, harbour):
    assert send(ben, damp, "all", "project:hull").status == 422
    public = ada.post("/projects", {"project": {"name": "Pier", "public": True}}).item["id"]
    assert send(ben, damp, "all", "project:pier").status in (403, 422)
    ada.put(f"/projects/{public}", {"project": {"archived": True}})
    assert send(ada, damp, "all", "project:pier").status == 403
    assert send(ada, damp, "all", "project:roof").errors == ["The tickets are already in this project"]
    assert ticket(ada, damp)["version"] == 1


def test_a_name_of_several_projects_is_refused(ada, damp, hull):
    ada.post("/projects", {"project": {"name": "HULL"}})
    answer = send(ada, damp, "all", "project:hull")
    assert answer.errors == ["Several projects are called 'hull'; use the id"]
