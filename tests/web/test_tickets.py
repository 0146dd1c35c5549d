"""Tickets over HTTP."""

import pytest

from skerry.store import counters, people
from skerry.store.statements import Statement
from skerry.store.tables import milestones

TICKET = {"ticket": {"title": "Leak"}}


@pytest.fixture
def tickets(roof):
    return f"/projects/{roof}/tickets"


def milestone(world, project_id, title="One"):
    """Make a milestone behind the interface and give its id."""
    with world.write() as transaction:
        number = counters.next_id(transaction, "milestones")
        values = {
            "account_id": world.account_id, "id": number, "project_id": project_id, "title": title,
            "permalink": "one", "goals": "", "goals_html": "", "due_on": None, "completed_at": None,
            "tickets_count": 0, "open_tickets_count": 0, "user_id": 1, "created_at": 0, "updated_at": 0,
        }  # fmt: skip
        transaction.run(Statement(milestones.insert().values(values), across_accounts=True), **values)
    return number


def milestone_counts(world, number):
    query = milestones.select().where(milestones.c.account_id == world.account_id, milestones.c.id == number)
    with world.database.engine.connect() as connection:
        row = connection.execute(query).one()
    return row.tickets_count, row.open_tickets_count


# --- Creating --------------------------------------------------------------------------------------


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


def test_every_writable_field_can_be_set_when_a_ticket_is_made(world, ada, ben, roof, tickets):
    stone = milestone(world, roof, "Spring")
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


def test_get_shows_versions_attachments_and_the_body_as_first_written(ada, leak):
    ticket = ada.get(leak).item
    assert [version["version"] for version in ticket["versions"]] == [1]
    assert ticket.get("attachments", []) == []
    assert (ticket["original_body"], ticket["latest_body"]) == ("It drips", "It drips")


def test_only_get_shows_them(ada, tickets, leak):
    answers = (ada.get(tickets).items[0], ada.put(leak, {"ticket": {}}).item, ada.post(tickets, TICKET).item)
    for shown in answers:
        assert not {"versions", "attachments", "original_body", "latest_body"} & set(shown)


def test_the_new_representation_is_an_empty_ticket(ada, roof, tickets):
    answer = ada.get(f"{tickets}/new")
    ticket = answer.item
    assert (answer.status, ticket["project_id"], ticket["attachments_count"]) == (200, roof, 0)
    assert (ticket["title"], ticket["body"], ticket["state"]) == ("", "", "new")
    for name in ("number", "version", "permalink", "assigned_user_id", "milestone_id", "tag", "created_at"):
        assert ticket[name] is None, name


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


# --- Fields ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["", "  ", None, "\t\n", "\u00a0"])
def test_a_title_is_required(ada, tickets, leak, title):
    for answer in (
        ada.post(tickets, {"ticket": {"title": title}}),
        ada.post(tickets, {"ticket": {"body": "b"}}),
        ada.put(leak, {"ticket": {"title": title}}),
    ):
        assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    assert len(ada.get(tickets).items) == 1


def test_a_title_has_at_most_255_characters_and_is_kept_as_typed(ada, tickets):
    title = " " + "ü" * 253 + " "
    assert ada.post(tickets, {"ticket": {"title": title}}).item["title"] == title
    answer = ada.post(tickets, {"ticket": {"title": title + "!"}})
    assert (answer.status, answer.errors) == (422, ["Title is too long (at most 255 characters)"])


def test_a_body_has_at_most_a_mebibyte_of_utf_8_and_nothing_is_cut(ada, tickets):
    body = "é" * (1024 * 512)
    assert ada.post(tickets, {"ticket": {"title": "T", "body": body}}).item["body"] == body
    answer = ada.post(tickets, {"ticket": {"title": "T", "body": body + "!"}})
    assert (answer.status, answer.errors) == (422, ["Body is too long (at most 1048576 bytes)"])


def test_all_problems_are_said_at_once(ada, tickets):
    answer = ada.post(tickets, {"ticket": {"title": "", "milestone_id": "soon", "importance": "very"}})
    assert answer.status == 422
    assert answer.errors == [
        "Importance must be a whole number",
        "Milestone must be a whole number",
        "Title can't be blank",
    ]


@pytest.mark.parametrize(
    ("title", "permalink"),
    [
        ("The roof's leak", "the-roofs-leak"),
        ("  Ärger mit -- Dächern! ", "rger-mit-dchern"),
        ("under_score 100% C++", "under_score-100-c"),
        ("日本", ""),
        ("a\tb\nc", "a-b-c"),
        ("--x--", "x"),
    ],
)
def test_the_permalink_is_made_from_the_first_title(ada, tickets, title, permalink):
    assert ada.post(tickets, {"ticket": {"title": title}}).item["permalink"] == permalink
    assert ada.put(f"{tickets}/1", {"ticket": {"title": "Other"}}).item["permalink"] == permalink


@pytest.mark.parametrize("importance", [0, 1, 9999])
def test_importance_is_kept_and_shown_as_priority_too(ada, leak, importance):
    ticket = ada.put(leak, {"ticket": {"importance": importance}}).item
    assert (ticket["importance"], ticket["priority"]) == (importance, importance)


@pytest.mark.parametrize("importance", [-1, 10000, 2**31, 2**63, "high", 1.5])
def test_an_importance_out_of_range_is_refused(ada, leak, importance):
    answer = ada.put(leak, {"ticket": {"importance": importance}})
    assert (answer.status, answer.errors[0].partition(" ")[0]) == (422, "Importance")
    assert ada.get(leak).item["version"] == 1


def test_the_assignee_must_be_a_member_of_the_project(ada, cy, leak):
    for user_id in (cy.user_id, 999_999, -3):
        answer = ada.put(leak, {"ticket": {"assigned_user_id": user_id}})
        assert (answer.status, answer.errors) == (422, ["Assigned user is not a member of this project"])
    assert ada.get(leak).item["assigned_user_id"] is None


def test_whoever_left_the_project_keeps_what_was_assigned(world, ada, ben, roof, leak):
    ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id}})
    with world.write() as transaction:
        people.leave_project(transaction, roof, ben.user_id)
    answer = ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id, "title": "Still"}})
    assert (answer.status, answer.item["assigned_user_id"]) == (200, ben.user_id)


def test_the_milestone_must_be_one_of_the_project(world, ada, tickets, leak):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    for number in (milestone(world, shed), 999_999, -1):
        answer = ada.put(leak, {"ticket": {"milestone_id": number}})
        assert (answer.status, answer.errors) == (422, ["Milestone is not one of this project"])
    assert ada.post(tickets, {"ticket": {"title": "T", "milestone_id": 999_999}}).status == 422


def test_a_milestone_counts_its_tickets_as_they_come_close_and_go(world, ada, roof, tickets):
    one, two = milestone(world, roof), milestone(world, roof, "Two")
    for _ in range(2):
        ada.post(tickets, {"ticket": {"title": "T", "milestone_id": one}})
    assert milestone_counts(world, one) == (2, 2)
    ada.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    assert milestone_counts(world, one) == (2, 1)
    ada.put(f"{tickets}/1", {"ticket": {"milestone_id": two}})
    assert (milestone_counts(world, one), milestone_counts(world, two)) == ((1, 1), (1, 0))
    ada.delete(f"{tickets}/2")
    assert milestone_counts(world, one) == (0, 0)


@pytest.mark.parametrize("nothing", [None, "", 0, "0", "nil"])
def test_null_empty_nil_and_0_clear_an_assignee_and_a_milestone(world, ada, ben, roof, leak, nothing):
    given = {"assigned_user_id": ben.user_id, "milestone_id": milestone(world, roof)}
    assert ada.put(leak, {"ticket": given}).item["milestone_id"]
    ticket = ada.put(leak, {"ticket": dict.fromkeys(given, nothing)}).item
    assert (ticket["assigned_user_id"], ticket["milestone_id"]) == (None, None)


# --- Updating --------------------------------------------------------------------------------------


def test_an_update_answers_with_the_ticket_as_it_is_now(ada, leak):
    answer = ada.put(leak, {"ticket": {"title": "Flood", "state": "open"}})
    assert (answer.status, answer.item["title"], answer.item["state"]) == (200, "Flood", "open")
    assert ada.get(leak).item["title"] == "Flood"


def test_what_is_answered_to_a_change_is_what_get_shows(world, ada, ben, roof, tickets):
    given = {"assigned_user_id": ben.user_id, "milestone_id": milestone(world, roof, "Spring"), "tag": "b a"}
    opened = ada.post(tickets, {"ticket": {"title": "T", "body": "*B*", "importance": 2, **given}}).item
    assert opened.items() <= ada.get(f"{tickets}/1").item.items()
    for change in ({"body": "Why?", "state": "hold"}, dict.fromkeys(given), {"title": "É"}):
        shown = ben.put(f"{tickets}/1", {"ticket": change}).item
        assert shown.items() <= ada.get(f"{tickets}/1").item.items()


def test_what_an_update_leaves_out_stays(world, ada, ben, roof, leak):
    stone = milestone(world, roof)
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


def test_the_list_is_ordered_by_last_update_the_newest_first(ada, tickets):
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    ada.put(f"{tickets}/1", {"ticket": {"body": "again"}})
    assert [ticket["number"] for ticket in ada.get(tickets).items] == [1, 3, 2]


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


# --- Text ------------------------------------------------------------------------------------------


def test_numbers_of_tickets_become_links_and_at_signs_code(ada, roof, tickets):
    body = "See #1 and @puts@\n\n@@@ ruby\nputs 1\n@@@\n"
    html = ada.post(tickets, {"ticket": {"title": "T", "body": body}}).item["body_html"]
    assert f'href="/projects/{roof}/tickets/1"' in html
    assert "<code>puts</code>" in html
    assert "<pre" in html
    assert "@@@" not in html


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        '<img src=x onerror="alert(1)">',
        "<svg/onload=x>",
    ],
)
def test_html_in_a_text_is_made_harmless(ada, tickets, body):
    html = ada.post(tickets, {"ticket": {"title": "T", "body": body}}).item["body_html"]
    for harm in ("<script", 'href="javascript', "<img src=x onerror", "<svg"):
        assert harm not in html
