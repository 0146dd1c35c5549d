"""Versions of tickets, which are their comments, over HTTP."""

import pytest


@pytest.fixture
def flood(ada, harbour):
    """A ticket of Ada's in the public project; gives its address."""
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Flood"}})
    return f"/projects/{harbour}/tickets/1"


def comment(client, ticket, body):
    return client.post(f"{ticket}/versions", {"version": {"body": body}})


def plain(ticket):
    """Return the members of a ticket that both formats can write: no lists of things."""
    return {name: value for name, value in ticket.items() if name not in ("versions", "attachments")}


def bodies(client, ticket):
    return [version["body"] for version in client.get(f"{ticket}/versions").items]


@pytest.mark.matrix("both")
def test_every_update_makes_a_version_that_holds_the_fields_as_they_stood_after_it(ada, leak):
    ada.put(leak, {"ticket": {"title": "Flood", "state": "open", "tag": "wet"}})
    ada.put(leak, {"ticket": {"state": "resolved", "body": "Fixed"}})
    versions = ada.get(leak).item["versions"]
    shown = [(v["version"], v["title"], v["state"], v["closed"], v["tag"], v["body"]) for v in versions]
    assert shown == [
        (1, "Leak", "new", False, None, "It drips"),
        (2, "Flood", "open", False, "wet", ""),
        (3, "Flood", "resolved", True, "wet", "Fixed"),
    ]


def test_an_update_that_changes_nothing_makes_a_version_too(ada, leak):
    answer = ada.put(leak, {"ticket": {"title": "Leak"}})
    assert (answer.status, answer.item["version"]) == (200, 2)
    assert ada.put(leak, {"ticket": {}}).item["version"] == 3
    assert ada.get(leak).item["versions"][-1]["diffable_attributes"] == {}


@pytest.mark.parametrize("place", ["", "?page=1"])
def test_a_whole_ticket_sent_back_with_one_change_says_nothing(ada, ben, roof, place):
    path = f"/projects/{roof}/tickets"
    ada.post(path, {"ticket": {"title": "Leak", "body": "It drips.\r\n\r\n[tagged:wet]", "tag": "wet"}})
    ben.put(f"{path}/1", {"ticket": {"tag": "dry"}})
    shown = ben.get(f"{path}/1").item if not place else ben.get(f"{path}{place}").items[0]
    for state, body in (("hold", shown["body"]), ("open", shown["body"].replace("\r", ""))):
        answer = ben.put(f"{path}/1", {"ticket": {**plain(shown), "state": state, "body": body}})
        assert (answer.status, answer.item["state"], answer.item["tag"]) == (200, state, "dry")
    assert bodies(ada, f"{path}/1")[1:] == ["", "", ""]


@pytest.mark.matrix("both")
@pytest.mark.parametrize("nothing", ["", 0, None])
def test_a_ticket_sent_back_with_all_that_can_be_set_says_nothing(ada, leak, nothing):
    shown = ada.get(leak).item
    sent = {"title": shown["title"], "body": shown["body"], "state": "resolved", "tag": nothing or ""}
    sent |= {"assigned_user_id": nothing, "milestone_id": nothing}
    assert ada.put(leak, {"ticket": sent}).item["state"] == "resolved"
    ada.put(leak, {"ticket": {**sent, "body": "Still?"}})
    ada.put(leak, {"ticket": {name: sent[name] for name in sent if name != "tag"}})
    assert bodies(ada, leak) == ["It drips", "", "Still?", "It drips"]


def test_a_whole_ticket_sent_back_with_another_text_comments(ada, leak):
    shown = ada.get(leak).item
    ada.put(leak, {"ticket": {**plain(shown), "body": "Still?"}})
    ada.put(leak, {"ticket": {"title": shown["title"], "body": shown["body"]}})
    assert bodies(ada, leak) == ["It drips", "Still?", "It drips"]


@pytest.mark.parametrize("number", [None, "", "nil"])
def test_a_ticket_without_a_number_was_not_read_here_and_comments(ada, leak, number):
    ada.put(leak, {"ticket": {"number": number, "body": "It drips"}})
    assert bodies(ada, leak) == ["It drips", "It drips"]


@pytest.mark.matrix("both")
def test_a_version_names_what_changed_with_the_old_values(ada, ben, leak):
    sent = {"state": "open", "title": "Flood", "tag": "wet", "assigned_user_id": ben.user_id, "importance": 4}
    ada.put(leak, {"ticket": sent})
    ada.put(leak, {"ticket": {"assigned_user_id": None, "importance": 1, "tag": ""}})
    _, second, third = ada.get(leak).item["versions"]
    assert second["diffable_attributes"] == {
        "state": "new", "title": "Leak", "tag": None, "assigned_user": None, "importance": 0,
    }  # fmt: skip
    assert third["diffable_attributes"] == {"assigned_user": ben.user_id, "importance": 4, "tag": "wet"}


@pytest.mark.matrix("both")
def test_a_version_has_the_attributes_of_a_ticket_and_its_author(ada, ben, leak):
    comment(ben, leak, "Mine")
    first, second = ada.get(leak).item["versions"]
    ticket = ada.get(leak).item
    more = {"versions", "links", "attachments", "original_body", "latest_body", "milestone_due_on"}
    assert set(ticket) - more <= set(second)
    assert (first["user_id"], second["user_id"], second["user_name"]) == (ada.user_id, ben.user_id, "Ben")
    assert (second["creator_id"], second["number"], second["permalink"]) == (ada.user_id, 1, "leak")


@pytest.mark.matrix("both")
def test_the_list_of_versions_is_the_one_inside_the_ticket(ada, leak):
    comment(ada, leak, "One")
    answer = ada.get(f"{leak}/versions")
    assert answer.status == 200
    assert list(answer.data) == ["versions"]
    assert answer.items == ada.get(leak).item["versions"]
    assert "x-total-count" not in answer.headers


def test_a_version_can_be_read_alone(ada, leak):
    comment(ada, leak, "One")
    answer = ada.get(f"{leak}/versions/2")
    assert (answer.status, list(answer.data)) == (200, ["version"])
    assert answer.item == ada.get(f"{leak}/versions").items[1]
    assert ada.get(f"{leak}/versions/3").status == 404


def test_posting_a_version_is_an_update_that_only_comments(ada, ben, leak):
    answer = ben.post(f"{leak}/versions", {"version": {"body": "Seen", "title": "No", "state": "resolved"}})
    assert (answer.status, answer.item["version"], answer.item["body"]) == (201, 2, "Seen")
    assert answer.headers["location"] == f"http://{ada.host}{leak}/versions/2.{ada.format}"
    ticket = ada.get(leak).item
    assert (ticket["title"], ticket["state"], ticket["version"]) == ("Leak", "new", 2)
    assert (ticket["user_id"], ticket["body"]) == (ben.user_id, "It drips")


def test_a_comment_may_be_sent_under_the_root_ticket(ada, leak):
    assert ada.post(f"{leak}/versions", {"ticket": {"body": "Seen"}}).item["body"] == "Seen"
    assert ada.put(f"{leak}/versions/2", {"ticket": {"body": "Seen again"}}).item["body"] == "Seen again"


@pytest.mark.parametrize("body", ["", "  \n ", "\u200b", None])
def test_a_comment_needs_a_text(ada, leak, body):
    answer = comment(ada, leak, body)
    assert (answer.status, answer.errors) == (422, ["Body can't be blank"])
    assert bodies(ada, leak) == ["It drips"]


def test_editing_a_version_replaces_its_text_in_place(world, ada, leak):
    comment(ada, leak, "Frist")
    with world.database.engine.begin() as connection:
        account = f"account_id = {world.account_id}"
        connection.exec_driver_sql(f"UPDATE versions SET created_at = 0, updated_at = 0 WHERE {account}")
        connection.exec_driver_sql(f"UPDATE tickets SET updated_at = 0 WHERE {account}")
    answer = ada.put(f"{leak}/versions/2", {"version": {"body": "*First*"}})
    assert (answer.status, answer.item["body"]) == (200, "*First*")
    assert "<p><em>First</em></p>" in answer.item["body_html"]
    assert (answer.item["created_at"], answer.item["updated_at"] > "2020") == ("1970-01-01T00:00:00Z", True)
    assert bodies(ada, leak) == ["It drips", "*First*"]
    assert ada.get(leak).item["version"] == 2


@pytest.mark.matrix("both")
def test_editing_version_1_changes_the_tickets_body_and_keeps_the_one_first_written(ada, leak):
    ada.put(f"{leak}/versions/1", {"version": {"body": "It *pours*"}})
    ada.put(f"{leak}/versions/1", {"version": {"body": "It *storms*"}})
    ticket = ada.get(leak).item
    assert (ticket["body"], ticket["versions"][0]["body"]) == ("It *storms*", "It *storms*")
    assert "<p>It <em>storms</em></p>" in ticket["body_html"]
    assert (ticket["original_body"], ticket["latest_body"]) == ("It drips", "It drips")


def test_an_edit_changes_only_the_text(ada, leak):
    comment(ada, leak, "One")
    before = ada.get(f"{leak}/versions/2").item
    sent = {"title": "X", "state": "hold", "version": 9, "watchers_ids": []}
    after = ada.put(f"{leak}/versions/2", {"version": sent}).item
    assert {**after, "updated_at": before["updated_at"]} == before


@pytest.mark.matrix("both")
def test_a_deleted_comment_leaves_its_version_and_says_who_deleted_it(ada, ben, leak):
    before = comment(ben, leak, "One").item
    answer = ada.delete(f"{leak}/versions/2")
    assert (answer.status, answer.body) == (200, b"")
    after = ada.get(f"{leak}/versions/2").item
    assert (after["body"], after["body_deleted_by"], after["body_deleted_by_name"]) == (
        "",
        ada.user_id,
        "Ada",
    )
    kept = ("version", "user_id", "user_name", "created_at", "diffable_attributes")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert comment(ada, leak, "Two").item["version"] == 3


def test_what_a_change_was_cannot_be_deleted(ada, leak):
    ada.put(leak, {"ticket": {"state": "resolved"}})
    answer = ada.delete(f"{leak}/versions/2")
    sentence = "There is no text to delete in this version; what it changed stays in the history"
    assert (answer.status, answer.errors) == (422, [sentence])
    ada.put(leak, {"ticket": {"state": "hold", "body": "Later"}})
    assert ada.delete(f"{leak}/versions/3").status == 200
    assert ada.get(f"{leak}/versions/3").item["diffable_attributes"] == {"state": "resolved"}
    assert ada.delete(f"{leak}/versions/3").status == 422


def test_a_deleted_text_that_is_written_anew_is_not_deleted_any_more(ada, leak):
    comment(ada, leak, "One")
    ada.delete(f"{leak}/versions/2")
    shown = ada.put(f"{leak}/versions/2", {"version": {"body": "Again"}}).item
    assert (shown["body"], shown["body_deleted_by"], shown["body_deleted_by_name"]) == ("Again", None, None)


@pytest.mark.matrix("both")
def test_a_comment_in_the_middle_can_be_deleted(ada, leak):
    for body in ("One", "Two"):
        comment(ada, leak, body)
    assert ada.delete(f"{leak}/versions/2").status == 200
    assert bodies(ada, leak) == ["It drips", "", "Two"]
    assert ada.get(leak).item["version"] == 3


def test_the_first_version_cannot_be_deleted(ada, leak):
    answer = ada.delete(f"{leak}/versions/1")
    assert (answer.status, len(answer.errors)) == (422, 1)
    assert bodies(ada, leak) == ["It drips"]


@pytest.mark.matrix("both")
def test_a_comment_moves_the_ticket_to_the_top_of_the_list(ada, roof, leak):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Newer"}})
    comment(ada, leak, "Bump")
    assert [ticket["number"] for ticket in ada.get(f"/projects/{roof}/tickets").items] == [1, 2]


@pytest.mark.matrix("both")
def test_a_comment_that_is_refused_changes_nothing(ada, leak):
    before = ada.get(leak).item
    sent = b'{"version": {"body": ["a"]}}'
    assert ada.post(f"{leak}/versions", raw=sent, kind="application/json").status == 422
    assert comment(ada, leak, "x" * (2**20 + 1)).status == 422
    assert ada.get(leak).item == before


def test_a_member_edits_and_deletes_the_comments_of_others(ada, ben, cy, flood):
    comment(cy, flood, "Mine")
    assert ben.put(f"{flood}/versions/2", {"version": {"body": "Tidied"}}).item["user_id"] == cy.user_id
    assert ben.delete(f"{flood}/versions/2").status == 200


def test_the_author_of_a_comment_edits_it_from_outside_the_project(ada, cy, flood):
    comment(cy, flood, "Mine")
    assert cy.put(f"{flood}/versions/2", {"version": {"body": "Still mine"}}).status == 200
    assert cy.put(f"{flood}/versions/1", {"version": {"body": "Not mine"}}).status == 403
    comment(ada, flood, "Hers")
    assert cy.put(f"{flood}/versions/3", {"version": {"body": "Not mine"}}).status == 403
    assert cy.delete(f"{flood}/versions/3").status == 403
    assert bodies(ada, flood) == ["", "Still mine", "Hers"]


def test_comments_of_a_ticket_that_is_not_there_are_404(ada, roof, leak):
    missing = f"/projects/{roof}/tickets/9"
    for answer in (
        ada.get(f"{missing}/versions"),
        ada.get(f"{missing}/versions/1"),
        comment(ada, missing, "x"),
        comment(ada, missing, ""),
        ada.put(f"{missing}/versions/1", {"version": {"body": "x"}}),
        ada.delete(f"{missing}/versions/1"),
    ):
        assert answer.status == 404
