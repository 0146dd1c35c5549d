"""Bulk edits over HTTP: many tickets at once."""

import json

import pytest

from tests.web.test_milestones import add, counts


def send(client, project, query, command, **fields):
    sent = {"bulk_edit": {"query": query, "command": command, **fields}}
    return client.post(f"/projects/{project}/bulk_edit", sent)


def edit(client, project, query, command, **fields):
    """Carry out a bulk edit and return it."""
    answer = send(client, project, query, command, **fields)
    assert answer.status == 200, answer.body
    return answer.item


def undo(client, found):
    return client.post(f"/projects/{found['project_id']}/bulk_edits/{found['id']}/undo")


def ticket(client, project, number=1):
    answer = client.get(f"/projects/{project}/tickets/{number}")
    return answer.item if answer.status == 200 else None


def states(client, project, *numbers):
    return [ticket(client, project, number)["state"] for number in numbers]


def open_count(client, project):
    return client.get(f"/projects/{project}").item["open_tickets_count"]


def numbers_of(item, name="numbers"):
    value = item[name]
    return json.loads(value) if isinstance(value, str) else value


@pytest.mark.matrix("both")
def test_a_bulk_edit_gives_every_ticket_it_finds_one_version(ada, ben, damp):
    answer = send(ben, damp, "tagged:wet", "state:resolved tagged:done not-tagged:wet importance:2")
    found = answer.item
    assert (answer.status, list(answer.data)) == (200, ["bulk_edit"])
    assert answer.headers["location"] == f"http://{ben.host}/projects/{damp}/bulk_edits/1.{ben.format}"
    assert (numbers_of(found), found["count"], found["dry_run"]) == ([1, 3], 2, False)
    assert (found["user_id"], found["user_name"]) == (ben.user_id, "Ben")
    for number in (1, 3):
        changed = ticket(ada, damp, number)
        assert (changed["state"], changed["tag"], changed["importance"]) == ("resolved", "done", 2)
        assert (changed["version"], changed["user_id"]) == (2, ben.user_id)
        assert changed["versions"][1]["diffable_attributes"] == {
            "state": "new",
            "tag": "wet",
            "importance": 0,
        }
    assert [ticket(ada, damp, number)["version"] for number in (2, 4)] == [1, 1]
    assert open_count(ada, damp) == 2


def test_the_versions_name_the_edit_and_its_command(ada, damp):
    edit(ada, damp, "1", "tagged:'two words'  tagged:a`b")
    version = ticket(ada, damp)["versions"][1]
    assert version["body"] == (
        f"[[bulk edit](/projects/{damp}/bulk_edits/1)] `` tagged:'two words' tagged:a`b ``"
    )
    assert f'<a href="/projects/{damp}/bulk_edits/1"' in version["body_html"]
    edit(ada, damp, "1", "state:open")
    assert ticket(ada, damp)["versions"][2]["body"].endswith("/bulk_edits/2)] `state:open`")


def test_a_bulk_edit_can_be_read_afterwards(ada, nobody, cy, damp):
    found = edit(ada, damp, "all", "state:hold")
    assert ada.get(f"/projects/{damp}/bulk_edits/{found['id']}").item == found
    assert (found["query"], found["command"]) == ("all", "state:hold")
    assert ada.get(f"/projects/{damp}/bulk_edits/99").status == 404
    assert cy.get(f"/projects/{damp}/bulk_edits/{found['id']}").status == 404


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
def test_query_and_command_may_stand_in_a_root_or_bare(ada, damp, kind, raw):
    answer = ada.send("POST", f"/projects/{damp}/bulk_edit", raw=raw, kind=kind)
    assert (answer.status, states(ada, damp, 1, 2)) == (200, ["new", "hold"])


def test_a_dry_run_tells_what_would_be_touched_and_changes_nothing(ada, damp):
    answer = send(ada, damp, "tagged:wet", "state:resolved", dry_run=True)
    assert (answer.status, answer.headers.get("location")) == (200, None)
    assert (numbers_of(answer.item), answer.item["id"], answer.item["dry_run"]) == ([1, 3], None, True)
    assert states(ada, damp, 1, 3) == ["new", "new"]
    assert edit(ada, damp, "all", "state:hold")["id"] == 1
    assert send(ada, damp, "all", "state:nope", dry_run=True).status == 422


@pytest.mark.matrix("both")
def test_a_dry_run_may_be_followed_by_the_edit_under_the_same_key(ada, damp, harbour):
    path, key = f"/projects/{damp}/bulk_edit", {"Idempotency-Key": "wet"}
    sent = {"query": "tagged:wet", "command": f"project:{harbour}"}
    for dry_run in (True, False):
        answers = [ada.post(path, {"bulk_edit": {**sent, "dry_run": dry_run}}, **key) for _ in range(2)]
        assert [answer.status for answer in answers] == [200, 200]
        assert [numbers_of(answer.item) for answer in answers] == [[1, 3], [1, 3]]


@pytest.mark.parametrize(
    ("query", "command", "sentence"),
    [
        ("all", "state:commited", "There is no state 'commited'"),
        ("all", "responsible:zoe", "Nobody here is called 'zoe'"),
        ("all", "tagged:a milestone:keel", "There is no milestone 'keel'"),
        ("all", "importance:2147483648", "The importance goes up to 2147483647"),
        ("all", "project:nowhere", "There is no project 'nowhere'"),
        ("all", "state:open state:new", "Command: The command 'state' at 18 is given twice"),
        ("all", "status:open", "Command: Unknown keyword 'status' at 1; did you mean 'state'?"),
        ("stat:new", "state:open", "Query: Unknown keyword 'stat' at 1; did you mean 'state'?"),
        ("", "state:open", "Query can't be blank"),
        ("all", " ", "Command can't be blank"),
    ],
)
def test_an_invalid_bulk_edit_is_refused_and_nothing_changes(ada, damp, query, command, sentence):
    answer = send(ada, damp, query, command)
    assert (answer.status, answer.errors) == (422, [sentence])
    assert [ticket(ada, damp, number)["version"] for number in range(1, 5)] == [1] * 4


@pytest.mark.matrix("both")
def test_one_ticket_that_cannot_be_changed_stops_them_all(ada, damp):
    ada.put(f"/projects/{damp}/tickets/2", {"ticket": {"tag": " ".join(f"t{n}" for n in range(100))}})
    answer = send(ada, damp, "all", "tagged:one-more")
    assert (answer.status, answer.errors) == (422, ["Ticket 2: too many tags (at most 100)"])
    assert ticket(ada, damp)["tag"] == "wet"


@pytest.mark.matrix("both")
def test_the_counts_of_milestones_and_the_watchers_follow(ada, ben, damp):
    keel, mast = add(ada, damp, "Keel"), add(ada, damp, "Mast", due_on="2030-01-01")
    edit(ada, damp, "all", "milestone:keel")
    edit(ada, damp, "tagged:wet", "milestone:next responsible:ben state:resolved")
    assert (counts(ada, keel), counts(ada, mast)) == ((2, 2), (2, 0))
    assert ticket(ada, damp, 1)["watchers_ids"] == [ada.user_id, ben.user_id]
    assert ticket(ada, damp, 2)["watchers_ids"] == [ada.user_id]


def test_an_edit_that_matches_nothing_changes_nothing(ada, damp):
    found = edit(ada, damp, "tagged:nowhere", "state:open")
    assert (numbers_of(found), found["count"]) == ([], 0)


def test_only_members_edit_in_bulk(ada, cy, nobody, harbour, roof):
    assert send(cy, harbour, "all", "state:open").status == 403
    assert send(nobody, harbour, "all", "state:open").status == 401
    assert send(cy, roof, "all", "state:open").status == 404
    found = edit(ada, harbour, "all", "state:open")
    assert undo(cy, found).status == 403


@pytest.mark.matrix("both")
def test_the_words_of_changed_tickets_are_still_found(ada, damp):
    edit(ada, damp, "'leak 2'", "state:hold")
    listed = edit(ada, damp, "leak state:hold", "tagged:dry")
    assert numbers_of(listed) == [2]
