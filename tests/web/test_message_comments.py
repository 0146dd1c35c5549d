"""Comments on messages over HTTP."""

import json

import pytest

from tests.web.test_messages import FIELDS, at, comment, post


@pytest.mark.matrix("both")
def test_a_comment_carries_every_attribute_with_the_title_of_its_parent(ada, ben, roof):
    message = post(ada, roof)
    answer = ben.post(f"{at(message)}/comments", {"comment": {"body": "_Aye_"}})
    made = answer.item
    assert list(answer.data) == ["message"]
    assert answer.headers["location"] == f"http://{ada.host}{at(made)}.{ada.format}"
    assert {name: type(value) for name, value in made.items()} == FIELDS | {"parent_id": int}
    assert (made["parent_id"], made["title"], made["permalink"]) == (message["id"], "Storm", "storm")
    assert (made["body"], made["body_html"]) == ("_Aye_", "<div><p><em>Aye</em></p></div>")
    assert (made["user_name"], made["comments_count"], made["url"]) == ("Ben", 0, message["url"])
    assert ada.get(at(made)).item == made


@pytest.mark.matrix("both")
def test_a_parent_shows_its_comments_oldest_first_in_get_and_in_the_list(ada, ben, roof):
    other, message = post(ada, roof, "Calm"), post(ada, roof)
    made = [comment(client, message, body) for client, body in ((ada, "One"), (ben, "Two"), (ada, "Three"))]
    alone = comment(ben, other)
    assert ada.get(at(message)).item["comments"] == made
    found = ada.get(f"/projects/{roof}/messages").items
    assert [(each["title"], each["comments"]) for each in found] == [("Calm", [alone]), ("Storm", made)]


@pytest.mark.matrix("both")
def test_nested_comments_are_typed_in_xml_and_bare_in_json(ada, roof):
    message = post(ada, roof)
    empty = ada.get(f"{at(message)}.xml").body
    assert b"<comments " not in empty
    assert ada.get(f"{at(message)}.json").item["comments"] == []
    made = comment(ada, message)
    xml = ada.get(f"{at(message)}.xml").body
    assert b'<comments type="array"><comment type="Message"><attachments-count type="integer">0' in xml
    bare = json.loads(ada.get(f"{at(message)}.json").body)["message"]["comments"]
    assert [each["id"] for each in bare] == [made["id"]]
    listed = json.loads(ada.get(f"/projects/{roof}/messages.json").body)
    assert listed["messages"][0]["message"]["comments"] == bare


def test_a_comment_fetched_alone_has_no_comments(ada, roof):
    path = at(comment(ada, post(ada, roof)))
    assert b"comments type" not in ada.get(f"{path}.xml").body
    assert "comments" not in ada.get(f"{path}.json").item


@pytest.mark.matrix("both")
def test_a_comment_moves_its_parent_to_the_top_and_its_count(ada, roof):
    first, second = post(ada, roof, "First"), post(ada, roof, "Second")
    titles = [each["title"] for each in ada.get(f"/projects/{roof}/messages").items]
    assert titles == ["Second", "First"]
    comment(ada, first)
    found = ada.get(f"/projects/{roof}/messages").items
    assert [(each["title"], each["comments_count"]) for each in found] == [("First", 1), ("Second", 0)]
    ada.put(at(second), {"message": {"body": "News"}})
    assert ada.get(f"/projects/{roof}/messages").items[0]["title"] == "Second"


@pytest.mark.parametrize("body", ["", " \n", "\u200b", None])
def test_a_comment_needs_a_body(ada, roof, body):
    message = post(ada, roof)
    answer = ada.post(f"{at(message)}/comments", {"comment": {"body": body}})
    assert (answer.status, answer.errors) == (422, ["Body can't be blank"])
    assert ada.post(f"{at(message)}/comments", {"comment": {"title": "Mine"}}).status == 422
    made = comment(ada, message)
    answer = ada.put(at(made), {"comment": {"body": body}})
    assert (answer.status, answer.errors) == (422, ["Body can't be blank"])
    assert ada.get(at(message)).item["comments_count"] == 1


@pytest.mark.parametrize("root", ["comment", "message"])
@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_an_update_of_a_comment_changes_its_text_and_nothing_else(ada, roof, root, method):
    message = post(ada, roof)
    made = comment(ada, message)
    answer = ada.send(method, at(made), {root: {"body": "Nay", "title": "Mine", "parent_id": None}})
    assert answer.status == 200
    assert answer.item == made | {
        "body": "Nay",
        "body_html": "<div><p>Nay</p></div>",
        "body_edited_at": answer.item["body_edited_at"],
        "body_edited_by": ada.user_id,
        "body_edited_by_name": "Ada",
        "updated_at": answer.item["updated_at"],
    }
    assert ada.get(at(message)).item["title"] == "Storm"


def test_a_new_title_is_also_that_of_the_comments(ada, roof):
    message = post(ada, roof)
    old = comment(ada, message)
    ada.put(at(message), {"message": {"title": "Calm"}})
    assert ada.get(at(old)).item["title"] == "Calm"
    new = comment(ada, message)
    assert (new["title"], new["permalink"]) == ("Calm", "storm")


def test_a_comment_cannot_be_commented_on(ada, roof):
    made = comment(ada, post(ada, roof))
    assert ada.post(f"{at(made)}/comments", {"comment": {"body": "Nay"}}).status == 404
    assert ada.get(at(made)).item == made


@pytest.mark.matrix("both")
def test_deleting_a_message_deletes_its_comments(ada, roof):
    kept, message = post(ada, roof, "Kept"), post(ada, roof)
    made, other = comment(ada, message), comment(ada, kept)
    answer = ada.delete(at(message))
    assert (answer.status, answer.body) == (200, b"")
    assert [ada.get(at(each)).status for each in (message, made, kept, other)] == [404, 404, 200, 200]
    assert ada.delete(at(message)).status == 404
    assert ada.post(f"{at(message)}/comments", {"comment": {"body": "Late"}}).status == 404


@pytest.mark.matrix("both")
def test_deleting_a_comment_lowers_the_count_of_its_parent(ada, ben, roof):
    message = post(ada, roof)
    first, second = comment(ada, message, "One"), comment(ada, message, "Two")
    assert ben.delete(at(first)).status == 200
    left = ada.get(at(message)).item
    assert (left["comments_count"], left["comments"]) == (1, [second])
    assert ben.delete(at(first)).status == 404
    assert ada.get(at(message)).item["comments_count"] == 1


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("application/xml", b"<comment><body>Aye</body></comment>"),
        ("text/xml", b'<comment type="Message"><body type="string"><![CDATA[Aye]]></body></comment>'),
        ("application/xml", b"<message><title>Mine</title><body>Aye</body><parent-id/></message>"),
        ("application/json", b'{"comment":{"body":"Aye","parent-id":"","user-id":"7"}}'),
        ("application/json", b'{"message":{"title":"Mine","body":"Aye","parent_id":3}}'),
        ("application/x-www-form-urlencoded", b"comment[body]=Aye&comment[title]=Mine"),
    ],
)
def test_old_clients_comment_in_their_own_ways(ada, roof, kind, raw):
    message = post(ada, roof)
    answer = ada.send("POST", f"{at(message)}/comments", raw=raw, kind=kind)
    assert answer.status == 201
    assert (answer.item["body"], answer.item["title"]) == ("Aye", "Storm")
    assert answer.item["parent_id"] == message["id"]


@pytest.mark.matrix("both")
@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_whole_comment_echoed_back_changes_nothing(ada, roof, form):
    made = comment(ada, post(ada, roof))
    whole = ada.get(f"{at(made)}.{form}").body
    answer = ada.send("PUT", at(made), raw=whole, kind=f"application/{form}")
    assert answer.status == 200
    assert answer.item | {"updated_at": made["updated_at"]} == made


def test_a_comment_that_was_edited_changes_what_was_seen_of_its_message(world, ada, roof, monkeypatch):
    message = post(ada, roof)
    made = comment(ada, message)
    seen = ada.get(at(message)).headers["last-modified"]
    later = world.database.clock() + 2_000_000
    monkeypatch.setattr(world.database, "clock", lambda: later)
    ada.put(at(made), {"message": {"body": "Aye, aye"}})
    assert ada.delete(at(message), If_Unmodified_Since=seen).status == 412
    present = ada.get(at(message)).headers["last-modified"]
    assert ada.delete(at(message), If_Unmodified_Since=present).status == 200
