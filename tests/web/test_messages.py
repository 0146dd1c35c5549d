"""Messages over HTTP."""

import json
import re

import pytest

FIELDS = {
    "attachments_count": int,
    "body": str,
    "body_html": str,
    "comments_count": int,
    "created_at": str,
    "id": int,
    "parent_id": type(None),
    "permalink": str,
    "project_id": int,
    "title": str,
    "updated_at": str,
    "user_id": int,
    **dict.fromkeys(("body_edited_at", "body_edited_by", "body_edited_by_name"), type(None)),
    "user_name": str,
    "url": str,
}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def post(client, project, title="Storm", **fields):
    """Post a message and return it."""
    answer = client.post(f"/projects/{project}/messages", {"message": {"title": title, **fields}})
    assert answer.status == 201, answer.body
    return answer.item


def comment(client, message, body="Aye"):
    """Comment on a message and return the comment."""
    path = f"/projects/{message['project_id']}/messages/{message['id']}/comments"
    answer = client.post(path, {"comment": {"body": body}})
    assert answer.status == 201, answer.body
    return answer.item


def at(message):
    return f"/projects/{message['project_id']}/messages/{message['id']}"


@pytest.mark.matrix("both")
def test_a_message_has_every_field_of_the_contract_with_its_kind(ada, roof):
    message = post(ada, roof, "Storm: 1.1!", body="*Hold* fast")
    message.pop("comments", None)
    assert {name: type(value) for name, value in message.items()} == FIELDS
    assert (message["title"], message["permalink"]) == ("Storm: 1.1!", "storm-11")
    assert (message["body"], message["body_html"]) == ("*Hold* fast", "<div><p><em>Hold</em> fast</p></div>")
    assert (message["attachments_count"], message["comments_count"], message["parent_id"]) == (0, 0, None)
    assert (message["project_id"], message["user_id"], message["user_name"]) == (roof, ada.user_id, "Ada")
    assert message["url"] == f"http://{ada.host}{at(message)}"
    assert all(TIMESTAMP.fullmatch(message[name]) for name in ("created_at", "updated_at"))


@pytest.mark.matrix("both")
def test_the_fields_stand_in_alphabetical_order_before_the_computed_ones(ada, roof):
    path = at(post(ada, roof))
    (fields,) = json.loads(ada.get(f"{path}.json").body).values()
    assert list(fields) == [*FIELDS, "comments"]
    xml = ada.get(f"{path}.xml").body.decode()
    assert re.findall(r"<([a-z-]+)[ />]", xml)[1:] == [name.replace("_", "-") for name in FIELDS]
    assert '<parent-id type="integer" nil="true"/>' in xml


def test_the_response_to_a_new_message_has_its_location_and_equals_get(ada, roof):
    answer = ada.post(f"/projects/{roof}/messages", {"message": {"title": "Storm"}})
    assert answer.headers["location"] == f"http://{ada.host}{at(answer.item)}.{ada.format}"
    assert list(answer.data) == ["message"]
    assert ada.get(at(answer.item)).item == answer.item


@pytest.mark.matrix("both")
def test_a_new_message_is_empty(ada, roof):
    new = ada.get(f"/projects/{roof}/messages/new").item
    new.pop("comments", None)
    empty = dict.fromkeys(FIELDS) | {"project_id": roof, "attachments_count": 0, "comments_count": 0}
    assert new == empty | {"title": "", "body": "", "body_html": ""}


@pytest.mark.parametrize("title", ["", "  ", None])
def test_a_message_needs_a_title(ada, roof, title):
    answer = ada.post(f"/projects/{roof}/messages", {"message": {"title": title, "body": "Aye"}})
    assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    message = post(ada, roof)
    assert ada.put(at(message), {"message": {"title": title}}).status == 422
    assert ada.post(f"/projects/{roof}/messages", {"message": {"body": "Aye"}}).status == 422


def test_a_title_has_at_most_255_characters(ada, roof):
    assert post(ada, roof, "é" * 255)["title"] == "é" * 255
    answer = ada.post(f"/projects/{roof}/messages", {"message": {"title": "é" * 256}})
    assert (answer.status, answer.errors) == (422, ["Title is too long (at most 255 characters)"])


@pytest.mark.matrix("both")
@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_an_update_changes_what_is_sent_and_answers_with_the_message(ada, ben, roof, method):
    message = post(ada, roof, body="Soon")
    answer = ben.send(method, at(message), {"message": {"title": "Calm", "user_id": ben.user_id, "id": 99}})
    assert answer.status == 200
    assert "location" not in answer.headers
    now = answer.item
    assert (now["title"], now["body"], now["permalink"]) == ("Calm", "Soon", "storm")
    assert (now["id"], now["user_id"]) == (message["id"], ada.user_id)
    assert ada.put(at(message), {"message": {"body": "`x`"}}).item["body_html"] == (
        "<div><p><code>x</code></p></div>"
    )
    assert ada.get(at(message)).item["title"] == "Calm"


@pytest.mark.matrix("both")
def test_the_list_is_paged_and_holds_parents_only(ada, roof):
    messages = [post(ada, roof, f"Day {number}") for number in range(3)]
    comment(ada, messages[0])
    answer = ada.get(f"/projects/{roof}/messages?limit=2")
    assert [each["title"] for each in answer.items] == ["Day 0", "Day 2"]
    assert answer.headers["x-total-count"] == "3"
    assert 'rel="next"' in answer.headers["link"]
    assert [each["title"] for each in ada.get(f"/projects/{roof}/messages?limit=2&page=2").items] == ["Day 1"]
    assert ada.get(f"/projects/{roof}/messages?page=9").items == []
    assert b"total_pages" not in answer.body


def test_a_page_holds_thirty_messages_unless_more_are_asked_for(ada, roof):
    for number in range(31):
        post(ada, roof, f"Day {number}")
    assert len(ada.get(f"/projects/{roof}/messages?page=1").items) == 30
    assert len(ada.get(f"/projects/{roof}/messages?limit=500").items) == 31


def test_an_empty_list_is_an_empty_list_of_its_own_name(ada, roof):
    assert ada.get(f"/projects/{roof}/messages.json").body == b'{"messages":[]}'
    assert ada.get(f"/projects/{roof}/messages.xml").body.endswith(b'<messages type="array"/>')


def test_a_message_is_only_found_in_its_own_project(ada, roof, harbour):
    message = post(ada, roof)
    elsewhere = f"/projects/{harbour}/messages/{message['id']}"
    for answer in (
        ada.get(elsewhere),
        ada.put(elsewhere, {"message": {"title": "Mine"}}),
        ada.post(elsewhere, {"message": {"title": "Mine"}}),
        ada.delete(elsewhere),
        ada.post(f"{elsewhere}/comments", {"comment": {"body": "Mine"}}),
    ):
        assert answer.status == 404
    assert ada.get(at(message)).item["comments_count"] == 0
    assert ada.get(f"/projects/{harbour}/messages").items == []


def writes(client, project, message):
    """Return the status of everything that changes messages."""
    path = f"/projects/{project}/messages"
    return {
        client.post(path, {"message": {"title": "Mine"}}).status,
        client.post(f"{path}/{message['id']}/comments", {"comment": {"body": "Mine"}}).status,
        client.put(f"{path}/{message['id']}", {"message": {"title": "Mine"}}).status,
        client.post(f"{path}/{message['id']}", {"message": {"title": "Mine"}}).status,
        client.delete(f"{path}/{message['id']}").status,
        client.get(f"{path}/new").status,
    }


def reads(client, project, message):
    path = f"/projects/{project}/messages"
    return [client.get(path).status, client.get(f"{path}/{message['id']}").status]


def test_on_a_public_project_anybody_reads_and_whoever_is_signed_in_comments(ada, ben, cy, nobody, harbour):
    message = post(ben, harbour)
    assert reads(cy, harbour, message) == reads(nobody, harbour, message) == [200, 200]
    assert writes(cy, harbour, message) == {403, 201}
    assert [comment["user_id"] for comment in ada.get(at(message)).item["comments"]] == [cy.user_id]
    assert writes(nobody, harbour, message) == {401}
    assert ada.get(at(message)).item["title"] == "Storm"


def test_a_private_project_is_hidden_from_strangers(ben, cy, nobody, roof):
    message = post(ben, roof)
    assert reads(cy, roof, message) == [404, 404]
    assert reads(nobody, roof, message) == [401, 401]
    assert writes(cy, roof, message) == {404}
    assert writes(nobody, roof, message) == {401}


def test_a_read_only_token_reads_and_changes_nothing(world, ada, roof):
    message = post(ada, roof)
    token = world.token(ada.user_id, read_only=True)
    reader = ada.speaking(**{"X-ServiceToken": token})
    assert reads(reader, roof, message) == [200, 200]
    answer = reader.post(f"{at(message)}/comments", {"comment": {"body": "Mine"}})
    assert (answer.status, answer.errors) == (403, ["This token is read-only"])


def test_an_archived_project_shows_its_messages_and_takes_no_more(ada, roof):
    message = post(ada, roof)
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert reads(ada, roof, message) == [200, 200]
    assert ada.delete(at(message)).status == 403
    assert ada.post(f"{at(message)}/comments", {"comment": {"body": "Late"}}).status == 403


@pytest.mark.matrix("both")
def test_deleting_a_project_deletes_its_messages(ada, roof):
    message = post(ada, roof)
    comment(ada, message)
    assert ada.delete(f"/projects/{roof}").status == 200
    assert ada.get(at(message)).status == 404


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("application/xml", b"<message><title>Storm</title><body>Aye</body></message>"),
        (
            "text/xml",
            b"<message><title>Storm</title><body>Aye</body><comments_count>9</comments_count></message>",
        ),
        ("application/json", b'{"message":{"title":"Storm","body":"Aye","comments-count":"many"}}'),
        ("application/x-www-form-urlencoded", b"message[title]=Storm&message[body]=Aye"),
    ],
)
def test_old_clients_post_messages_in_their_own_ways(ada, roof, kind, raw):
    answer = ada.send("POST", f"/projects/{roof}/messages", raw=raw, kind=kind)
    assert answer.status == 201
    assert (answer.item["body"], answer.item["comments_count"]) == ("Aye", 0)
    assert answer.item["project_id"] == roof


@pytest.mark.matrix("both")
@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_whole_message_echoed_back_changes_nothing(ada, roof, form):
    message = post(ada, roof, body="Soon")
    comment(ada, message)
    before = ada.get(at(message)).item
    whole = ada.get(f"{at(message)}.{form}").body
    answer = ada.send("PUT", at(message), raw=whole, kind=f"application/{form}")
    assert answer.status == 200
    assert answer.item | {"updated_at": before["updated_at"]} == before


def test_a_request_without_a_message_cannot_be_read(ada, roof):
    message = post(ada, roof)
    for answer in (
        ada.post(f"/projects/{roof}/messages", {"ticket": {"title": "Storm"}}),
        ada.put(at(message), {"ticket": {"title": "Storm"}}),
        ada.post(f"{at(message)}/comments", {"ticket": {"body": "Aye"}}),
    ):
        assert answer.status == 400


@pytest.mark.matrix("both")
def test_a_stale_message_is_not_overwritten(ada, ben, roof):
    message = post(ada, roof)
    tag = ada.get(at(message)).headers["etag"]
    assert ada.get(at(message), If_None_Match=tag).status == 304
    comment(ben, message)
    assert ada.put(at(message), {"message": {"body": "Mine"}}, If_Match=tag).status == 412
    tag = ada.get(at(message)).headers["etag"]
    assert ada.put(at(message), {"message": {"body": "Mine"}}, If_Match=tag).status == 200


def test_a_path_may_carry_a_slug(ada, roof):
    message = post(ada, roof)
    assert ada.get(f"/projects/{roof}-roof/messages/{message['id']}-storm").item["id"] == message["id"]
