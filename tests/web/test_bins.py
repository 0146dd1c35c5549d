"""Ticket bins over HTTP."""

import json
import re

import pytest

from skerry.web import execution

FIELDS = {
    "columns": str,
    "default": bool,
    "group": str,
    "id": int,
    "name": str,
    "position": int,
    "project_id": int,
    "query": str,
    "shared": bool,
    "sort": str,
    "tickets_count": int,
    "updated_at": str,
    "user_id": int,
}


def add(client, project, name="Mine", **fields):
    """Keep a bin and return it."""
    answer = client.post(f"/projects/{project}/bins", {"ticket_bin": {"name": name, **fields}})
    assert answer.status == 201, answer.body
    return answer.item


def at(found):
    return f"/projects/{found['project_id']}/bins/{found['id']}"


def names(client, project):
    return [found["name"] for found in client.get(f"/projects/{project}/bins").items]


def count(client, found):
    return client.get(at(found)).item["tickets_count"]


def test_a_new_project_has_three_shared_bins_of_its_maker(ada, roof):
    answer = ada.get(f"/projects/{roof}/bins")
    assert list(answer.data) == ["ticket_bins"]
    assert [(found["name"], found["query"], found["position"]) for found in answer.items] == [
        ("Open tickets", "state:open", 1),
        ("Resolved tickets", "state:resolved", 2),
        ("This week's tickets", "created:'this week'", 3),
    ]
    for found in answer.items:
        assert (found["shared"], found["default"], found["user_id"]) == (True, False, ada.user_id)


@pytest.mark.matrix("both")
def test_a_bin_has_every_field_of_the_contract_with_its_kind_and_order(ada, roof):
    found = add(ada, roof, query="state:hold")
    assert {name: type(value) for name, value in found.items()} == FIELDS
    assert (found["name"], found["query"], found["project_id"]) == ("Mine", "state:hold", roof)
    assert (found["position"], found["user_id"]) == (4, ada.user_id)
    assert not found["shared"]
    assert ada.get(at(found)).item == found
    (fields,) = json.loads(ada.get(f"{at(found)}.json").body).values()
    assert list(fields) == list(FIELDS)
    xml = ada.get(f"{at(found)}.xml").body.decode()
    elements = re.findall(r"<([a-z-]+)[ />]", xml)
    assert elements == ["ticket-bin", *(name.replace("_", "-") for name in FIELDS)]


def test_the_response_to_a_new_bin_has_its_location(ada, roof):
    answer = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Mine"}})
    assert answer.headers["location"] == f"http://{ada.host}{at(answer.item)}.{ada.format}"
    assert list(answer.data) == ["ticket_bin"]


def test_the_root_may_be_bin(ada, roof):
    answer = ada.post(f"/projects/{roof}/bins", {"bin": {"name": "Mine", "query": "all"}})
    assert (answer.status, answer.item["name"]) == (201, "Mine")


@pytest.mark.matrix("both")
def test_the_form_of_a_new_bin_is_empty(ada, roof):
    new = ada.get(f"/projects/{roof}/bins/new").item
    empty = dict.fromkeys(("columns", "group", "name", "query", "sort"), "")
    empty |= {"default": False, "shared": False, "tickets_count": 0}
    assert new == dict.fromkeys(FIELDS) | empty | {"project_id": roof}


@pytest.mark.matrix("both")
@pytest.mark.parametrize("verb", ["PUT", "POST"])
def test_put_and_post_change_a_bin_and_leave_out_what_is_not_sent(ada, roof, verb):
    found = add(ada, roof, query="state:hold")
    answer = ada.send(verb, at(found), {"ticket_bin": {"name": "Ours", "shared": True, "position": 9}})
    assert answer.status == 200
    assert answer.item == found | {
        "name": "Ours",
        "shared": True,
        "position": 9,
        "updated_at": answer.item["updated_at"],
    }


def test_a_change_that_says_the_same_in_other_words_leaves_a_bin_as_it_is(ada, roof, world):
    found = add(ada, roof, columns="assigned Priority", sort="Updated-")
    account = f"account_id = {world.account_id}"
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE bins SET updated_at = 0 WHERE {account}")
    found = ada.get(at(found)).item
    for same in ({"position": None}, {"columns": "responsible priority"}, {"sort": "updated-"}):
        assert ada.put(at(found), {"ticket_bin": same}).item == found
    assert ada.get(at(found)).item == found


@pytest.mark.matrix("both")
def test_bins_are_listed_by_position(ada, roof):
    last, first = add(ada, roof, "Last", position=99), add(ada, roof, "First", position=-1)
    assert names(ada, roof) == ["First", "Open tickets", "Resolved tickets", "This week's tickets", "Last"]
    assert (last["position"], first["position"]) == (99, -1)


@pytest.mark.matrix("both")
def test_a_bin_that_takes_a_position_moves_the_others_back(ada, roof):
    mine = add(ada, roof, "Mine", position=2)
    names = [found["name"] for found in ada.get(f"/projects/{roof}/bins").items]
    assert names == ["Open tickets", "Mine", "Resolved tickets", "This week's tickets"]
    ada.put(at(mine), {"ticket_bin": {"position": 4}})
    found = ada.get(f"/projects/{roof}/bins").items
    assert [each["name"] for each in found] == [*names[:1], names[2], "Mine", names[3]]
    assert [each["position"] for each in found] == [1, 3, 4, 5]


def test_a_bin_may_have_position_0(ada, roof):
    for _ in range(2):
        before = add(ada, roof, "First", position=-1)
    assert add(ada, roof, "Zero", position=0)["position"] == 0
    moved = ada.put(at(before), {"ticket_bin": {"position": 0}}).item
    assert moved["position"] == 0
    found = ada.get(f"/projects/{roof}/bins").items[:3]
    assert [(each["name"], each["position"]) for each in found] == [("First", 0), ("Zero", 1), ("First", 2)]


def test_positions_stay_within_what_a_number_can_be(ada, roof):
    furthest = 2**63 - 1
    for _ in range(2):
        assert add(ada, roof, position=furthest)["position"] == furthest
    assert add(ada, roof)["position"] == furthest


@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_bin_needs_a_name(ada, roof, name):
    answer = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": name}})
    assert (answer.status, answer.errors) == (422, ["Name can't be blank"])


def test_a_name_has_at_most_255_characters(ada, roof):
    assert add(ada, roof, "é" * 255)["name"] == "é" * 255
    answer = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "é" * 256}})
    assert (answer.status, answer.errors) == (422, ["Name is too long (at most 255 characters)"])


def test_a_query_that_cannot_be_understood_is_refused_with_the_place(ada, roof):
    for query, sentence in (
        ("stat:new", "Query: Unknown keyword 'stat' at 1; did you mean 'state'?"),
        ("(a", "Query: The bracket opened at 1 is not closed"),
        ("x" * 2001, "Query: This is longer than 2000 characters"),
    ):
        answer = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Mine", "query": query}})
        assert (answer.status, answer.errors) == (422, [sentence])
        answer = ada.put(at(add(ada, roof)), {"ticket_bin": {"query": query}})
        assert (answer.status, answer.errors) == (422, [sentence])


@pytest.mark.matrix("both")
def test_the_count_of_tickets_is_live(ada, roof):
    for state in ("new", "open", "resolved", "hold"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state, "tag": "wet"}})
    queries = {
        "state:open": 2,
        "state:CLOSED": 2,
        "": 4,
        "all sort:title": 4,
        "state:hold": 1,
        "tagged:wet -state:new": 3,
    }
    found = {query: add(ada, roof, query=query) for query in queries}
    assert {query: count(ada, each) for query, each in found.items()} == queries
    ada.put(f"/projects/{roof}/tickets/4", {"ticket": {"state": "new"}})
    assert (count(ada, found["state:open"]), count(ada, found["state:hold"])) == (3, 0)
    listed = {each["query"]: each["tickets_count"] for each in ada.get(f"/projects/{roof}/bins").items}
    assert (listed["state:open"], listed["state:hold"], listed["state:resolved"]) == (3, 0, 1)


def test_a_bin_that_names_something_deleted_counts_nothing(ada, roof):
    found = add(ada, roof, query="milestone:gone state:never responsible:nobody")
    assert count(ada, found) == 0


def test_me_in_a_shared_bin_is_the_reader(ada, ben, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    found = add(ada, roof, query="responsible:me", shared=True)
    assert (count(ada, found), count(ben, found)) == (0, 1)


def test_a_stranger_cannot_find_people_by_login_with_a_shared_bin_even_after_a_member_used_it(
    ada, cy, harbour, monkeypatch
):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    found = add(ada, harbour, query=f"reported_by:{ada.email}", shared=True)
    assert (count(ada, found), count(cy, found)) == (1, 0)


def test_a_count_that_is_too_long_for_the_event_loop_is_made_elsewhere(ada, roof, monkeypatch):
    found = add(ada, roof, query="water")
    monkeypatch.setattr(execution, "BRIEF_SECONDS", 0)
    assert count(ada, found) == 0


@pytest.mark.matrix("both")
def test_only_the_caller_sees_his_own_bins_and_all_see_shared_ones(ada, ben, roof):
    mine, ours = add(ben, roof, "Mine"), add(ben, roof, "Ours", shared=True)
    assert names(ben, roof)[3:] == ["Mine", "Ours"]
    assert names(ada, roof)[3:] == ["Ours"]
    assert ada.get(at(mine)).status == 404
    assert ada.get(at(ours)).item == ours
    for verb in ("PUT", "DELETE"):
        assert ada.send(verb, at(mine), {"ticket_bin": {"name": "Hers"}}).status == 404
    assert ben.get(at(mine)).item == mine


def test_only_its_owner_stops_sharing_a_bin(ada, ben, roof):
    ours = add(ben, roof, "Ours", shared=True)
    assert ada.put(at(ours), {"ticket_bin": {"name": "All", "shared": False}}).status == 403
    assert ada.put(at(ours), {"ticket_bin": {"name": "All"}}).item["name"] == "All"
    assert ben.put(at(ours), {"ticket_bin": {"shared": False}}).item["shared"] is False
    assert ada.get(at(ours)).status == 404


@pytest.mark.matrix("both")
def test_everybody_has_one_default_bin_in_a_project(ada, ben, roof):
    first, second = add(ada, roof, "First", default=True, shared=True), add(ada, roof, "Second")
    assert first["default"] is True
    assert ben.get(at(first)).item["default"] is False
    assert ada.put(at(second), {"ticket_bin": {"default": True}}).item["default"] is True
    assert ada.get(at(first)).item["default"] is False
    assert ben.put(at(first), {"ticket_bin": {"default": True}}).item["default"] is True
    assert ada.get(at(second)).item["default"] is True
    assert ada.put(at(second), {"ticket_bin": {"default": False}}).item["default"] is False
    assert [each["default"] for each in ben.get(f"/projects/{roof}/bins").items] == [False] * 3 + [True]


def test_a_deleted_bin_is_gone_and_its_tickets_stay(ada, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    found = add(ada, roof, default=True)
    answer = ada.delete(at(found))
    assert (answer.status, answer.body) == (200, b"")
    assert ada.get(at(found)).status == ada.delete(at(found)).status == 404
    assert ada.get(f"/projects/{roof}/tickets/1").status == 200


def test_a_public_projects_readers_see_its_shared_bins_and_change_none(ada, cy, nobody, harbour):
    add(ada, harbour, "Mine")
    ours = add(ada, harbour, "Ours", shared=True)
    for client in (cy, nobody):
        assert names(client, harbour) == ["Open tickets", "Resolved tickets", "This week's tickets", "Ours"]
        assert client.get(at(ours)).item == ours
    assert cy.post(f"/projects/{harbour}/bins", {"ticket_bin": {"name": "His"}}).status == 403
    assert cy.put(at(ours), {"ticket_bin": {"default": True}}).status == 403
    assert nobody.delete(at(ours)).status == 401


def test_a_private_projects_bins_are_hidden_from_strangers(cy, ada, roof):
    found = add(ada, roof, shared=True)
    assert cy.get(at(found)).status == cy.get(f"/projects/{roof}/bins").status == 404


def test_a_bin_belongs_to_its_project(ada, roof, harbour):
    found = add(ada, roof, shared=True)
    assert ada.get(f"/projects/{harbour}/bins/{found['id']}").status == 404
