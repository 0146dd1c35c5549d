"""The habits of clients of the original service and of Rails."""

import json

import pytest

from tests.support.client import call

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def tickets(roof):
    return f"/projects/{roof}/tickets"


def send(client, method, path, **body):
    return client.send(method, path, raw=json.dumps(body).encode(), kind="application/json")


# --- JSON without a root ---------------------------------------------------------------------------


def test_a_resource_without_a_root_is_read(ada, tickets):
    made = send(
        ada, "POST", tickets, title="Leak", tag="wet", versions=[], multiple_watchers=str(ada.user_id)
    )
    assert (made.status, made.item["title"], made.item["tag"]) == (201, "Leak", "wet")
    changed = send(ada, "PUT", f"{tickets}/1", id=1, state="open")
    assert (changed.status, changed.item["state"]) == (200, "open")


def test_a_root_wins_over_fields_beside_it(ada, tickets):
    made = send(ada, "POST", tickets, ticket={"title": "Leak"}, title="Flood")
    assert made.item["title"] == "Leak"


@pytest.mark.parametrize("beside", [{"ticket": None}, {"ticket": "Roof"}, {"roof": {}}])
def test_only_an_object_is_a_root_and_other_members_are_unknown_fields(ada, tickets, beside):
    made = send(ada, "POST", tickets, title="Leak", **beside)
    assert (made.status, made.item["title"]) == (201, "Leak")
    assert made.headers["x-ignored-fields"] == next(iter(beside))


@pytest.mark.parametrize("body", [{}, {"tiket": {"title": "Leak"}}, {"number": 3}, {"color": "red"}])
def test_an_object_without_any_field_of_the_resource_is_refused(ada, tickets, body):
    refused = send(ada, "POST", tickets, **body)
    assert (refused.status, refused.errors) == (400, ['The request must contain "ticket"'])


# --- Unknown fields --------------------------------------------------------------------------------


def test_unknown_fields_are_named_in_a_header(ada, tickets):
    made = ada.post(tickets, {"ticket": {"title": "Leak", "colour": "red", "number": 7, "severity": 1}})
    assert made.headers["x-ignored-fields"] == "colour, severity"
    assert "x-ignored-fields" not in ada.put(f"{tickets}/1", {"ticket": {"state": "open"}}).headers


def test_at_most_twenty_unknown_fields_are_named(ada, tickets):
    fields = {f"field_{number}": "x" for number in range(30)} | {"x" * 65: "x"}
    named = ada.post(tickets, {"ticket": {"title": "Leak", **fields}}).headers["x-ignored-fields"]
    assert named.split(", ") == [f"field_{number}" for number in range(20)]


# --- Changes of nothing ----------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [{"title": "Leak"}, {"body": " \n"}, {"body": "\u200b"}])
def test_an_update_that_changes_nothing_is_in_no_activity(ada, roof, tickets, nothing):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    assert ada.put(f"{tickets}/1", {"ticket": nothing}).item["version"] == 2
    assert ada.get(f"{tickets}/1/versions/2").item["body"] == ""
    assert [each["action"] for each in ada.get(f"/projects/{roof}/activity").items] == ["opened"]


# --- Lists of messages -----------------------------------------------------------------------------


def test_a_list_of_messages_is_whole_unless_a_page_is_requested(ada, roof):
    messages = f"/projects/{roof}/messages"
    for number in range(35):
        ada.post(messages, {"message": {"title": f"Notice {number}"}})
    whole = ada.get(messages)
    assert (len(whole.items), whole.headers["x-total-count"]) == (35, "35")
    assert "link" not in whole.headers
    assert len(ada.get(f"{messages}?page=1").items) == 30
    assert len(ada.get(f"{messages}?limit=7").items) == 7


def test_a_list_of_comments_is_whole_unless_a_page_is_requested(ada, roof):
    message = ada.post(f"/projects/{roof}/messages", {"message": {"title": "Notice"}}).item["id"]
    comments = f"/projects/{roof}/messages/{message}/comments"
    for number in range(31):
        ada.post(comments, {"comment": {"body": f"No {number}"}})
    assert (len(ada.get(comments).items), len(ada.get(f"{comments}?page=1").items)) == (31, 30)


# --- Formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("accept", [None, "*/*", "image/png"])
def test_a_program_with_a_token_gets_json_without_asking_for_it(ada, tickets, accept):
    headers = {"Accept": accept} if accept else {}
    answer = ada.get(f"{tickets}!", **headers)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"


def test_a_token_gets_a_page_if_it_asks_for_one(ada, tickets):
    assert ada.get(f"{tickets}!", Accept="text/html").headers["content-type"].startswith("text/html")


def test_a_visitor_without_credentials_gets_a_page(world, tickets):
    answer = call(world.instance.application, "GET", tickets, headers={"Host": world.host})
    assert answer.headers["content-type"].startswith("text/html")


# --- Entity tags -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["-gzip", "--gzip", ";gzip", ";gz", "-br"])
def test_a_tag_that_a_proxy_has_marked_as_compressed_matches(ada, tickets, suffix):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    tag = ada.get(f"{tickets}/1").headers["etag"]
    marked = f'{tag[:-1]}{suffix}"'
    assert ada.get(f"{tickets}/1", If_None_Match=marked).status == 304
    assert ada.put(f"{tickets}/1", {"ticket": {"state": "open"}}, If_Match=marked).status == 200
