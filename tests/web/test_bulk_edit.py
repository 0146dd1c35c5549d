"""Bulk edits over HTTP: many tickets at once, to another project, and the way back."""

import json

import pytest

from tests.web.test_milestones import add, at, counts
from tests.web.test_tags_and_states import set_states


@pytest.fixture
def tickets(ada, roof):
    """Tickets 1 to 4, of which 1 and 3 are tagged wet; gives their project."""
    for number in range(1, 5):
        tag = "wet" if number % 2 else None
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "tag": tag}})
    return roof


def send(voice, project, query, command, **fields):
    sent = {"bulk_edit": {"query": query, "command": command, **fields}}
    return voice.post(f"/projects/{project}/bulk_edit", sent)


def edit(voice, project, query, command, **fields):
    """Carry out a bulk edit and give it."""
    answer = send(voice, project, query, command, **fields)
    assert answer.status == 201, answer.body
    return answer.item


def undo(voice, found):
    return voice.post(f"/projects/{found['project_id']}/bulk_edits/{found['id']}/undo")


def ticket(voice, project, number=1):
    answer = voice.get(f"/projects/{project}/tickets/{number}")
    return answer.item if answer.status == 200 else None


def states(voice, project, *numbers):
    return [ticket(voice, project, number)["state"] for number in numbers]


def open_count(voice, project):
    return voice.get(f"/projects/{project}").item["open_tickets_count"]


def numbers_of(item, name="numbers"):
    value = item[name]
    return json.loads(value) if isinstance(value, str) else value


def test_a_bulk_edit_gives_every_ticket_it_finds_one_version(ada, ben, tickets):
    answer = send(ben, tickets, "tagged:wet", "state:resolved tagged:done not-tagged:wet importance:2")
    found = answer.item
    assert (answer.status, list(answer.data)) == (201, ["bulk_edit"])
    assert answer.headers["location"] == f"http://{ben.host}/projects/{tickets}/bulk_edits/1.{ben.format}"
    assert (numbers_of(found), found["count"], found["user_id"], found["dry_run"]) == (
        [1, 3],
        2,
        ben.user_id,
        False,
    )
    for number in (1, 3):
        changed = ticket(ada, tickets, number)
        assert (changed["state"], changed["tag"], changed["importance"]) == ("resolved", "done", 2)
        assert (changed["version"], changed["user_id"]) == (2, ben.user_id)
        assert changed["versions"][1]["diffable_attributes"] == {
            "state": "new",
            "tag": "wet",
            "importance": 0,
        }
    assert [ticket(ada, tickets, number)["version"] for number in (2, 4)] == [1, 1]
    assert open_count(ada, tickets) == 2


def test_the_versions_name_the_edit_and_its_command(ada, tickets):
    edit(ada, tickets, "1", "tagged:'two words'  tagged:a`b")
    version = ticket(ada, tickets)["versions"][1]
    assert version["body"] == (
        f"[[bulk edit](/projects/{tickets}/bulk_edits/1)] `` tagged:'two words' tagged:a`b ``"
    )
    assert f'<a href="/projects/{tickets}/bulk_edits/1"' in version["body_html"]
    edit(ada, tickets, "1", "state:open")
    assert ticket(ada, tickets)["versions"][2]["body"].endswith("/bulk_edits/2)] `state:open`")


def test_a_bulk_edit_can_be_read_afterwards(ada, nobody, cy, tickets):
    found = edit(ada, tickets, "all", "state:hold")
    assert ada.get(f"/projects/{tickets}/bulk_edits/{found['id']}").item == found
    assert (found["query"], found["command"]) == ("all", "state:hold")
    assert ada.get(f"/projects/{tickets}/bulk_edits/99").status == 404
    assert cy.get(f"/projects/{tickets}/bulk_edits/{found['id']}").status == 404


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("application/json", b'{"query": "2", "command": "state:hold"}'),
        ("application/json", b'{"bulk_edit": {"query": "2", "command": "state:hold"}}'),
        ("application/json", b'{"query": "2", "command": "state:hold", "migration_token": ""}'),
        ("application/xml", b"<bulk-edit><query>2</query><command>state:hold</command></bulk-edit>"),
        ("application/xml", b"<bulk_edit><query>2</query><command>state:hold</command></bulk_edit>"),
        ("application/x-www-form-urlencoded", b"query=2&command=state:hold"),
        ("application/x-www-form-urlencoded", b"bulk_edit[query]=2&bulk_edit[command]=state%3Ahold"),
    ],
)
def test_query_and_command_may_stand_in_a_root_or_bare(ada, tickets, kind, raw):
    answer = ada.send("POST", f"/projects/{tickets}/bulk_edit", raw=raw, kind=kind)
    assert (answer.status, states(ada, tickets, 1, 2)) == (201, ["new", "hold"])


def test_a_dry_run_tells_what_would_be_touched_and_changes_nothing(ada, tickets):
    answer = send(ada, tickets, "tagged:wet", "state:resolved", dry_run=True)
    assert (answer.status, answer.headers.get("location")) == (200, None)
    assert (numbers_of(answer.item), answer.item["id"], answer.item["dry_run"]) == ([1, 3], None, True)
    assert states(ada, tickets, 1, 3) == ["new", "new"]
    assert edit(ada, tickets, "all", "state:hold")["id"] == 1
    assert send(ada, tickets, "all", "state:nope", dry_run=True).status == 422


@pytest.mark.parametrize(
    ("query", "command", "sentence"),
    [
        ("all", "state:commited", "There is no state 'commited'"),
        ("all", "responsible:zoe", "Nobody here is called 'zoe'"),
        ("all", "tagged:a milestone:keel", "There is no milestone 'keel'"),
        ("all", "importance:10000", "The importance goes up to 9999"),
        ("all", "project:nowhere", "There is no project 'nowhere'"),
        ("all", "state:open state:new", "Command: The command 'state' at 18 is given twice"),
        ("all", "status:open", "Command: Unknown keyword 'status' at 1; did you mean 'state'?"),
        ("stat:new", "state:open", "Unknown keyword 'stat' at 1; did you mean 'state'?"),
        ("", "state:open", "Query can't be blank"),
        ("all", " ", "Command can't be blank"),
    ],
)
def test_what_is_not_understood_or_not_here_is_refused_and_nothing_changes(
    ada, tickets, query, command, sentence
):
    answer = send(ada, tickets, query, command)
    assert (answer.status, answer.errors) == (422, [sentence])
    assert [ticket(ada, tickets, number)["version"] for number in range(1, 5)] == [1] * 4


def test_one_ticket_that_cannot_be_changed_stops_them_all(ada, tickets):
    ada.put(f"/projects/{tickets}/tickets/2", {"ticket": {"tag": " ".join(f"t{n}" for n in range(100))}})
    answer = send(ada, tickets, "all", "tagged:one-more")
    assert (answer.status, answer.errors) == (422, ["Ticket 2: tag holds too many tags (at most 100)"])
    assert ticket(ada, tickets)["tag"] == "wet"


def test_the_counts_of_milestones_and_the_watchers_follow(ada, ben, tickets):
    keel, mast = add(ada, tickets, "Keel"), add(ada, tickets, "Mast", due_on="2030-01-01")
    edit(ada, tickets, "all", "milestone:keel")
    edit(ada, tickets, "tagged:wet", "milestone:next responsible:ben state:resolved")
    assert (counts(ada, keel), counts(ada, mast)) == ((2, 2), (2, 0))
    assert ticket(ada, tickets, 1)["watchers_ids"] == [ada.user_id, ben.user_id]
    assert ticket(ada, tickets, 2)["watchers_ids"] == [ada.user_id]


def test_an_edit_that_finds_nothing_touches_nothing(ada, tickets):
    found = edit(ada, tickets, "tagged:nowhere", "state:open")
    assert (numbers_of(found), found["count"]) == ([], 0)


def test_only_members_edit_in_bulk(ada, cy, nobody, harbour, roof):
    assert send(cy, harbour, "all", "state:open").status == 403
    assert send(nobody, harbour, "all", "state:open").status == 401
    assert send(cy, roof, "all", "state:open").status == 404
    found = edit(ada, harbour, "all", "state:open")
    assert undo(cy, found).status == 403


def test_the_words_of_changed_tickets_are_still_found(ada, tickets):
    edit(ada, tickets, "'leak 2'", "state:hold")
    listed = edit(ada, tickets, "leak state:hold", "tagged:dry")
    assert numbers_of(listed) == [2]


# --- To another project ---------------------------------------------------------------------------


@pytest.fixture
def other(ada, ben):
    """Another project of Ada's, in which Ben is no member and which has a ticket already."""
    project_id = ada.post("/projects", {"project": {"name": "Hull"}}).item["id"]
    ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": "First here"}})
    return project_id


def test_tickets_move_with_everything_that_belongs_to_them(ada, tickets, other):
    ada.put(f"/projects/{tickets}/tickets/3", {"ticket": {"body": "A comment", "state": "open"}})
    found = edit(ada, tickets, "tagged:wet", "project:hull tagged:moved")
    assert (numbers_of(found), numbers_of(found, "new_numbers"), found["moved_to"]) == ([1, 3], [2, 3], other)
    assert ticket(ada, tickets, 1) is ticket(ada, tickets, 3) is None
    moved = ticket(ada, other, 3)
    assert (moved["title"], moved["state"], moved["tag"]) == ("Leak 3", "open", "moved wet")
    assert [version["version"] for version in moved["versions"]] == [1, 2, 3]
    assert moved["versions"][1]["body"] == "A comment"
    assert moved["versions"][2]["body"].endswith("`project:hull tagged:moved`")
    assert (open_count(ada, tickets), open_count(ada, other)) == (2, 3)
    assert ada.get(f"/projects/{tickets}/bulk_edits/{found['id']}").item == found


def test_old_numbers_are_not_given_again_and_new_ones_go_on(ada, tickets, other):
    edit(ada, tickets, "4", f"project:{other}")
    for project, number in ((tickets, 5), (other, 3)):
        made = ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Next"}}).item
        assert made["number"] == number


def test_what_does_not_fit_the_other_project_is_dropped(world, ada, ben, tickets, other):
    set_states(world, other, "fresh/f17", "gone/6a0")
    keel = add(ada, tickets, "Keel")
    fields = {"milestone_id": keel["id"], "assigned_user_id": ben.user_id}
    ada.put(f"/projects/{tickets}/tickets/1", {"ticket": fields})
    ada.put(f"/projects/{tickets}/tickets/2", {"ticket": {**fields, "state": "hold"}})
    edit(ada, tickets, "milestone:keel", "project:hull")
    for number, state in ((2, "fresh"), (3, "gone")):
        moved = ticket(ada, other, number)
        assert (moved["state"], moved["milestone_id"], moved["assigned_user_id"]) == (state, None, None)
        assert moved["watchers_ids"] == [ada.user_id]
        assert [version["milestone_title"] for version in moved["versions"]] == [None] * len(
            moved["versions"]
        )
    assert counts(ada, keel) == (0, 0)
    assert (open_count(ada, tickets), open_count(ada, other)) == (2, 2)


def test_commands_beside_a_move_speak_of_the_other_project(ada, ben, tickets, other):
    keel = add(ada, other, "Keel")
    assert send(ada, tickets, "1", "project:hull responsible:ben").status == 422
    edit(ada, tickets, "1", "milestone:keel project:hull state:resolved")
    moved = ticket(ada, other, 2)
    assert (moved["milestone_id"], moved["state"]) == (keel["id"], "resolved")
    assert counts(ada, keel) == (1, 0)


def test_moved_tickets_keep_their_files_and_words(world, ada, tickets, other):
    boundary = b"--b\r\n"
    part = b'Content-Disposition: form-data; name="ticket[attachment][]"; filename="a.txt"\r\n\r\nwater\r\n'
    body = (
        boundary
        + b'Content-Disposition: form-data; name="ticket[body]"\r\n\r\nLook\r\n'
        + boundary
        + part
        + b"--b--"
    )
    path = f"/projects/{tickets}/tickets/1"
    assert ada.send("PUT", path, raw=body, kind="multipart/form-data; boundary=b").status == 200
    edit(ada, tickets, "1", "project:hull")
    (file,) = ticket(ada, other, 2)["attachments"]
    assert ada.raw(file["url"].removeprefix(f"http://{ada.host}")).body == b"water"
    assert numbers_of(edit(ada, other, "leak", "tagged:found")) == [2]
    assert numbers_of(edit(ada, tickets, "'leak 1'", "tagged:found")) == []


def test_nobody_moves_tickets_where_he_does_not_work(ada, ben, tickets, other, harbour):
    assert send(ben, tickets, "all", "project:hull").status == 422
    public = ada.post("/projects", {"project": {"name": "Pier", "public": True}}).item["id"]
    assert send(ben, tickets, "all", "project:pier").status in (403, 422)
    ada.put(f"/projects/{public}", {"project": {"archived": True}})
    assert send(ada, tickets, "all", "project:pier").status == 403
    assert send(ada, tickets, "all", "project:roof").errors == ["The tickets are in this project already"]
    assert ticket(ada, tickets)["version"] == 1


def test_a_name_of_several_projects_is_refused(ada, tickets, other):
    ada.post("/projects", {"project": {"name": "HULL"}})
    answer = send(ada, tickets, "all", "project:hull")
    assert answer.errors == ["Several projects are called 'hull'; name it by its id"]


# --- The way back ---------------------------------------------------------------------------------


def test_undo_gives_the_old_values_back_in_new_versions(ada, ben, tickets):
    keel = add(ada, tickets, "Keel")
    found = edit(
        ada, tickets, "tagged:wet", "state:resolved tagged:done milestone:keel responsible:ben importance:4"
    )
    answer = undo(ben, found)
    assert answer.status == 201
    assert answer.headers["location"].endswith(f"/projects/{tickets}/bulk_edits/2.{ben.format}")
    assert (answer.item["undoes"], numbers_of(answer.item)) == (1, [1, 3])
    back = ticket(ada, tickets)
    assert (back["state"], back["tag"], back["milestone_id"], back["assigned_user_id"]) == (
        "new",
        "wet",
        None,
        None,
    )
    assert (back["importance"], back["version"], back["user_id"]) == (0, 3, ben.user_id)
    edits = f"/projects/{tickets}/bulk_edits"
    assert back["versions"][2]["body"] == f"[[bulk edit]({edits}/2)] undoes [bulk edit 1]({edits}/1)"
    assert (open_count(ada, tickets), counts(ada, keel)) == (4, (0, 0))


def test_what_was_changed_since_is_kept_and_the_version_says_so(ada, tickets):
    found = edit(ada, tickets, "tagged:wet", "state:resolved importance:4")
    ada.put(f"/projects/{tickets}/tickets/1", {"ticket": {"state": "hold"}})
    undo(ada, found)
    kept = ticket(ada, tickets, 1)
    assert (kept["state"], kept["importance"]) == ("hold", 0)
    assert kept["versions"][-1]["body"].endswith(" (kept: the state, changed since)")
    assert states(ada, tickets, 3) == ["new"]


def test_old_values_that_are_gone_stay_gone(world, ada, tickets):
    keel = add(ada, tickets, "Keel")
    edit(ada, tickets, "all", "milestone:keel state:open")
    found = edit(ada, tickets, "1", "milestone:none state:hold")
    ada.delete(at(keel))
    set_states(world, tickets, "new/f17", "hold/6a0")
    undo(ada, found)
    kept = ticket(ada, tickets)
    assert (kept["state"], kept["milestone_id"]) == ("hold", None)
    assert kept["versions"][-1]["body"].endswith(
        " (kept: the milestone, as the old value is gone; the state, as the old value is gone)"
    )


def test_undo_passes_over_tickets_that_are_gone_or_were_not_changed(ada, tickets):
    ada.put(f"/projects/{tickets}/tickets/2", {"ticket": {"state": "hold"}})
    found = edit(ada, tickets, "all", "state:hold")
    ada.delete(f"/projects/{tickets}/tickets/4")
    answer = undo(ada, found)
    assert (answer.status, numbers_of(answer.item)) == (201, [1, 3])
    assert states(ada, tickets, 1, 2, 3) == ["new", "hold", "new"]


def test_an_edit_is_undone_once_and_its_undoing_can_be_undone(ada, tickets):
    found = edit(ada, tickets, "1", "state:resolved")
    undoing = undo(ada, found).item
    assert ada.get(f"/projects/{tickets}/bulk_edits/{found['id']}").item["undone_by"] == undoing["id"]
    answer = undo(ada, found)
    assert (answer.status, answer.errors) == (422, ["This bulk edit was undone already, by bulk edit 2"])
    assert undo(ada, undoing).status == 201
    assert states(ada, tickets, 1) == ["resolved"]


def test_moves_cannot_be_undone(ada, tickets, other):
    answer = undo(ada, edit(ada, tickets, "1", "project:hull"))
    assert (answer.status, answer.errors) == (
        422,
        ["This bulk edit moved its tickets to another project, which cannot be undone"],
    )


def test_there_is_nothing_to_undo_in_another_project(ada, tickets, harbour):
    found = edit(ada, tickets, "1", "state:resolved")
    assert ada.post(f"/projects/{harbour}/bulk_edits/{found['id']}/undo").status == 404
    assert undo(ada, {"project_id": tickets, "id": 77}).status == 404
