"""Edited texts are marked, and their earlier versions can be read."""

import pytest

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def ticket(ada, tickets):
    made = ada.post(tickets, {"ticket": {"title": "Roof", "body": "It leaks"}}).item
    return f"{tickets}/{made['number']}"


@pytest.fixture
def comment(ada, ticket):
    ada.post(f"{ticket}/versions", {"version": {"body": "Since May"}})
    return f"{ticket}/versions/2"


@pytest.fixture
def message(ada, roof):
    made = ada.post(f"/projects/{roof}/messages", {"message": {"title": "Party", "body": "On Friday"}}).item
    return f"/projects/{roof}/messages/{made['id']}"


def edit(client, path, body):
    return client.put(path, {"message" if "/messages/" in path else "version": {"body": body}})


def bodies(client, path):
    return [text["body"] for text in client.get(f"{path}/texts").items]


def test_an_edited_comment_says_who_edited_it_and_keeps_what_it_said(ada, ben, comment):
    edited = edit(ben, comment, "Since June").item
    assert (edited["body_edited_by"], edited["body_edited_by_name"]) == (ben.user_id, "Ben")
    assert edited["body_edited_at"] >= edited["created_at"]
    [text] = ada.get(f"{comment}/texts").items
    assert (text["body"], text["user_id"], text["user_name"]) == ("Since May", ada.user_id, "Ada")
    assert text["created_at"] == edited["created_at"]


def test_the_second_editor_finds_the_text_of_the_first(ada, ben, comment):
    edit(ben, comment, "Since June")
    edit(ada, comment, "Since July")
    assert bodies(ada, comment) == ["Since May", "Since June"]
    assert [text["user_name"] for text in ada.get(f"{comment}/texts").items] == ["Ada", "Ben"]


def test_a_ticket_shows_the_edit_of_its_opening_text(ada, ben, ticket):
    edit(ben, f"{ticket}/versions/1", "It leaks a lot")
    shown = ada.get(ticket).item
    assert (shown["body_edited_by"], shown["body_edited_by_name"]) == (ben.user_id, "Ben")
    assert ada.put(ticket, {"ticket": {"title": "Gutter"}}).item["body_edited_by_name"] == "Ben"
    [listed] = ada.get(ticket.rpartition("/")[0]).items
    assert listed["body_edited_by_name"] == "Ben"


def test_a_renamed_editor_is_renamed_everywhere(ada, ben, ticket):
    edit(ben, f"{ticket}/versions/1", "It leaks a lot")
    ada.get(ticket), ada.get(ticket.rpartition("/")[0])
    ben.put(f"/users/{ben.user_id}", {"user": {"name": "Benjamin"}})
    shown = ada.get(ticket).item
    [listed] = ada.get(ticket.rpartition("/")[0]).items
    names = [each["body_edited_by_name"] for each in (shown, listed, shown["versions"][0])]
    assert names == ["Benjamin"] * 3


def test_an_edited_message_keeps_what_it_said(ada, ben, message):
    assert edit(ben, message, "On Sunday").item["body_edited_by_name"] == "Ben"
    [text] = ada.get(f"{message}/texts").items
    assert (text["body"], text["user_name"]) == ("On Friday", "Ada")


def test_a_new_title_is_no_edit_of_the_text(ada, message):
    assert ada.put(message, {"message": {"title": "Feast"}}).item["body_edited_at"] is None
    assert bodies(ada, message) == []


def test_saving_an_equal_text_is_no_edit(ada, ben, ticket, comment, message):
    for path, body in ((f"{ticket}/versions/1", "It leaks"), (comment, "Since May"), (message, "On Friday")):
        before = ada.get(path).item
        assert edit(ben, path, body).item == before
        assert bodies(ada, path) == []


def test_the_newest_hundred_texts_are_kept(ada, comment):
    for number in range(103):
        edit(ada, comment, f"Text {number}")
    kept = ada.get(f"{comment}/texts").items
    assert [text["id"] for text in kept] == list(range(4, 104))
    assert kept[-1]["body"] == "Text 101"


def test_an_earlier_text_can_be_removed_by_who_may_delete_the_present_one(ada, ben, ticket, comment):
    edit(ben, comment, "Since June")
    edit(ben, comment, "Since July")
    assert ben.delete(f"{comment}/texts/1").status == 200
    assert bodies(ada, comment) == ["Since June"]
    assert ben.delete(f"{comment}/texts/1").status == 404
    edit(ben, comment, "Since August")
    assert [text["id"] for text in ada.get(f"{comment}/texts").items] == [2, 3]


def test_removing_an_earlier_opening_text_empties_the_original(ada, ticket):
    edit(ada, f"{ticket}/versions/1", "It drips")
    assert ada.get(ticket).item["original_body"] == "It leaks"
    ada.delete(f"{ticket}/versions/1/texts/1")
    shown = ada.get(ticket).item
    assert (shown["body"], shown["original_body"], shown["latest_body"]) == ("It drips", "", "")


def test_deleting_a_text_removes_its_earlier_texts(ada, comment, message):
    edit(ada, comment, "Since June")
    edit(ada, message, "On Sunday")
    ada.delete(comment)
    assert bodies(ada, comment) == []
    assert ada.get(comment).item["body_edited_by"] is None
    ada.delete(message)
    assert ada.get(f"{message}/texts").status == 404


def test_a_stranger_reads_the_texts_of_a_public_project_only(ada, cy, roof, comment):
    edit(ada, comment, "Since June")
    assert cy.get(f"{comment}/texts").status == 404
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert bodies(cy, comment) == ["Since May"]
    assert cy.delete(f"{comment}/texts/1").status == 403


def test_earlier_texts_follow_a_ticket_to_another_project(ada, roof, comment):
    edit(ada, comment, "Since June")
    other = ada.post("/projects", {"project": {"name": "Cellar"}}).item
    ada.post(
        f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": f"project:{other['id']}"}}
    )
    assert bodies(ada, f"/projects/{other['id']}/tickets/1/versions/2") == ["Since May"]


def test_earlier_texts_are_not_searched(ada, tickets, comment):
    edit(ada, comment, "Since June")
    assert ada.get(f"{tickets}?q=May").items == []
    assert len(ada.get(f"{tickets}?q=June").items) == 1


def test_long_earlier_texts_fit_into_a_response(ada, comment):
    for letter in "abcdefghijkl":
        edit(ada, comment, letter * 1_000_000)
    found = ada.get(f"{comment}/texts")
    assert len(found.items) == 12
    assert sum(len(text["body"]) for text in found.items) < 8 * 2**20
    assert ada.get(f"{comment}/texts/2").item["body"] == "a" * 1_000_000
