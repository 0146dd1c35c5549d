"""Tickets over HTTP."""

import pytest

from tests.web.test_milestones import add

TICKET = {"ticket": {"title": "Leak"}}


# --- Creating --------------------------------------------------------------------------------------


@pytest.mark.matrix("both")
def test_a_new_ticket_is_answered_with_its_address_and_itself(ada, roof, tickets):
    answer = ada.post(tickets, {"ticket": {"title": "Leak", "body": "It *drips*"}})
    ticket = answer.item
    assert (answer.status, ticket["number"], ticket["project_id"]) == (201, 1, roof)
    assert answer.headers["location"] == f"http://{ada.host}{tickets}/1.{ada.format}"
    assert ticket["url"] == f"http://{ada.host}{tickets}/1"
    assert ticket["body"] == "It *drips*"
    assert "<p>It <em>drips</em></p>" in ticket["body_html"]
    assert (ticket["creator_id"], ticket["user_id"]) == (ada.user_id, ada.user_id)
    assert (ticket["creator_name"], ticket["user_name"]) == ("Ada", "Ada")


def test_a_ticket_has_defaults_for_what_is_left_out(ada, tickets):
    ticket = ada.post(tickets, TICKET).item
    assert (ticket["state"], ticket["closed"], ticket["body"], ticket["tag"]) == ("new", False, "", None)
    assert (ticket["assigned_user_id"], ticket["milestone_id"]) == (None, None)
    assert (ticket["importance"], ticket["priority"], ticket["version"]) == (0, 0, 1)
    assert (ticket["attachments_count"], ticket["watchers_ids"]) == (0, [ada.user_id])
    assert (ticket["assigned_user_name"], ticket["milestone_title"]) == (None, None)
    assert ticket["created_at"] == ticket["updated_at"]


@pytest.mark.matrix("both")
def test_every_writable_field_can_be_set_when_a_ticket_is_made(ada, ben, roof, tickets):
    stone = add(ada, roof, "Spring")["id"]
    sent = {"title": "T", "body": "B", "state": "hold", "assigned_user_id": ben.user_id,
            "milestone_id": stone, "tag": "wet, the roof", "importance": 3}  # fmt: skip
    ada.post(tickets, {"ticket": sent})
    ticket = ada.get(f"{tickets}/1").item
    assert {name: ticket[name] for name in sent} == {**sent, "tag": '"the roof" wet'}
    assert (ticket["assigned_user_name"], ticket["milestone_title"]) == ("Ben", "Spring")
    assert (ticket["closed"], ticket["priority"]) == (True, 3)


def test_no_other_field_of_a_ticket_can_be_set(ada, ben, tickets):
    sent = {"title": "T", "number": 77, "creator_id": ben.user_id, "user_id": ben.user_id, "version": 5,
            "permalink": "x", "project_id": 9, "created_at": "2001-01-01T00:00:00Z", "closed": True,
            "watchers_ids": [ben.user_id], "priority": 4, "body_html": "<b>", "url": "x"}  # fmt: skip
    ticket = ada.post(tickets, {"ticket": sent}).item
    assert (ticket["number"], ticket["creator_id"], ticket["user_id"]) == (1, ada.user_id, ada.user_id)
    assert (ticket["version"], ticket["permalink"], ticket["closed"]) == (1, "t", False)
    assert (ticket["priority"], ticket["watchers_ids"], ticket["body_html"]) == (0, [ada.user_id], "")
    assert ticket["created_at"] > "2020"


@pytest.mark.matrix("both")
def test_get_shows_versions_attachments_and_the_body_as_first_written(ada, leak):
    ticket = ada.get(leak).item
    assert [version["version"] for version in ticket["versions"]] == [1]
    assert ticket.get("attachments", []) == []
    assert (ticket["original_body"], ticket["latest_body"]) == ("It drips", "It drips")


def test_only_get_shows_them(ada, tickets, leak):
    answers = (ada.get(tickets).items[0], ada.put(leak, {"ticket": {}}).item, ada.post(tickets, TICKET).item)
    for shown in answers:
        assert not {"versions", "attachments", "original_body", "latest_body"} & set(shown)


@pytest.mark.matrix("both")
def test_the_new_representation_is_an_empty_ticket(ada, roof, tickets):
    answer = ada.get(f"{tickets}/new")
    ticket = answer.item
    assert (answer.status, ticket["project_id"], ticket["attachments_count"]) == (200, roof, 0)
    assert (ticket["title"], ticket["body"], ticket["state"]) == ("", "", "new")
    for name in ("number", "version", "permalink", "assigned_user_id", "milestone_id", "tag", "created_at"):
        assert ticket[name] is None, name


@pytest.mark.matrix("both")
def test_numbers_count_up_in_each_project_on_its_own(ada, tickets):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    assert [ada.post(tickets, TICKET).item["number"] for _ in range(3)] == [1, 2, 3]
    assert ada.post(f"/projects/{shed}/tickets", TICKET).item["number"] == 1


def test_deleted_numbers_are_never_given_again(ada, tickets):
    for _ in range(2):
        ada.post(tickets, TICKET)
    assert ada.delete(f"{tickets}/2").status == 200
    assert ada.post(tickets, TICKET).item["number"] == 3
    assert ada.get(f"{tickets}/2").status == 404


# --- Updating --------------------------------------------------------------------------------------


def test_an_update_answers_with_the_ticket_as_it_is_now(ada, leak):
    answer = ada.put(leak, {"ticket": {"title": "Flood", "state": "open"}})
    assert (answer.status, answer.item["title"], answer.item["state"]) == (200, "Flood", "open")
    assert ada.get(leak).item["title"] == "Flood"


@pytest.mark.matrix("both")
def test_the_response_to_a_change_equals_get(ada, ben, roof, tickets):
    given = {"assigned_user_id": ben.user_id, "milestone_id": add(ada, roof, "Spring")["id"], "tag": "b a"}
    opened = ada.post(tickets, {"ticket": {"title": "T", "body": "*B*", "importance": 2, **given}}).item
    assert opened.items() <= ada.get(f"{tickets}/1").item.items()
    for change in ({"body": "Why?", "state": "hold"}, dict.fromkeys(given), {"title": "É"}):
        shown = ben.put(f"{tickets}/1", {"ticket": change}).item
        assert shown.items() <= ada.get(f"{tickets}/1").item.items()


def test_omitted_fields_stay_in_an_update(ada, ben, roof, leak):
    stone = add(ada, roof)["id"]
    given = {
        "state": "hold",
        "assigned_user_id": ben.user_id,
        "milestone_id": stone,
        "tag": "a b",
        "importance": 2,
    }
    ada.put(leak, {"ticket": given})
    ticket = ada.put(leak, {"ticket": {"title": "Other"}}).item
    assert {name: ticket[name] for name in given} == given
    assert (ticket["title"], ticket["body"]) == ("Other", "It drips")


def test_the_body_of_an_update_is_a_comment_and_leaves_the_tickets_own_body(ada, leak):
    answer = ada.put(leak, {"ticket": {"body": "Called the *plumber*"}})
    assert answer.item["body"] == "It drips"
    assert "drips" in answer.item["body_html"]
    newest = ada.get(leak).item["versions"][-1]
    assert newest["body"] == "Called the *plumber*"
    assert "<p>Called the <em>plumber</em></p>" in newest["body_html"]


def test_an_update_moves_who_changed_it_last_and_not_who_made_it(ada, ben, leak):
    ticket = ben.put(leak, {"ticket": {"state": "open"}}).item
    assert (ticket["user_id"], ticket["user_name"]) == (ben.user_id, "Ben")
    assert (ticket["creator_id"], ticket["creator_name"]) == (ada.user_id, "Ada")


@pytest.mark.matrix("both")
def test_an_update_that_fails_changes_nothing(ada, cy, leak):
    before = ada.get(leak).item
    for sent in (
        {"state": "gone"},
        {"assigned_user_id": cy.user_id},
        {"milestone_id": 99},
        {"importance": -1},
    ):
        assert ada.put(leak, {"ticket": {"title": "No", "body": "no", **sent}}).status == 422
    assert ada.get(leak).item == before


def test_a_ticket_that_is_not_there_is_404_for_every_method(ada, leak):
    missing = leak.removesuffix("1") + "2"
    assert ada.get(missing).status == 404
    assert ada.put(missing, TICKET).status == 404
    assert ada.delete(missing).status == 404
    assert ada.get(f"{missing}/versions").status == 404


def test_a_ticket_of_another_project_is_not_found_through_this_one(ada, leak):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    path = f"/projects/{shed}/tickets/1"
    assert ada.get(path).status == 404
    assert ada.put(path, {"ticket": {"title": "X"}}).status == 404
    assert ada.delete(path).status == 404
    assert ada.get(leak).item["title"] == "Leak"


# --- Listing ---------------------------------------------------------------------------------------


@pytest.mark.matrix("both")
def test_the_list_is_ordered_by_last_update_the_newest_first(ada, tickets):
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    ada.put(f"{tickets}/1", {"ticket": {"body": "again"}})
    assert [ticket["number"] for ticket in ada.get(tickets).items] == [1, 3, 2]


@pytest.mark.matrix("both")
def test_tickets_of_the_same_moment_are_listed_by_number(world, ada, roof, tickets):
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE tickets SET updated_at = 5 WHERE account_id = {world.account_id} AND project_id = {roof}"
        )
    assert [ticket["number"] for ticket in ada.get(tickets).items] == [3, 2, 1]


def test_the_list_shows_each_ticket_as_it_stands_now(ada, tickets, leak):
    ada.put(leak, {"ticket": {"title": "Flood", "state": "resolved"}})
    (listed,) = ada.get(tickets).items
    shown = ada.get(leak).item
    assert (listed["title"], listed["state"], listed["version"]) == ("Flood", "resolved", 2)
    assert listed == {name: shown[name] for name in listed}
