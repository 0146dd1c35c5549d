"""The fields of a ticket over HTTP: what each may be, and what its texts become."""

import pytest

from skerry.store.people import people
from tests.web.test_milestones import add, counts

BOTH, FORMATS = map(pytest.mark.matrix, ("both", "formats"))


@FORMATS
@pytest.mark.parametrize("title", ["", "  ", None, "\t\n", "\u00a0"])
def test_a_title_is_required(ada, tickets, leak, title):
    for answer in (
        ada.post(tickets, {"ticket": {"title": title}}),
        ada.post(tickets, {"ticket": {"body": "b"}}),
        ada.put(leak, {"ticket": {"title": title}}),
    ):
        assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    assert len(ada.get(tickets).items) == 1


@BOTH
def test_a_title_has_at_most_255_characters_and_is_kept_as_typed(ada, tickets):
    title = " " + "ü" * 253 + " "
    assert ada.post(tickets, {"ticket": {"title": title}}).item["title"] == title
    answer = ada.post(tickets, {"ticket": {"title": title + "!"}})
    assert (answer.status, answer.errors) == (422, ["Title is too long (at most 255 characters)"])


def test_a_body_has_at_most_a_mebibyte_of_utf_8_and_nothing_is_cut(ada, tickets):
    body = "é" * (1024 * 512)
    assert ada.post(tickets, {"ticket": {"title": "T", "body": body}}).item["body"] == body
    answer = ada.post(tickets, {"ticket": {"title": "T", "body": body + "!"}})
    assert (answer.status, answer.errors) == (422, ["Body is too long (at most 1 MiB)"])


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


@FORMATS
@pytest.mark.parametrize("importance", [0, 1, 9999, 2**31 - 1])
def test_importance_is_kept_and_shown_as_priority_too(ada, leak, importance):
    ticket = ada.put(leak, {"ticket": {"importance": importance}}).item
    assert (ticket["importance"], ticket["priority"]) == (importance, importance)


@FORMATS
@pytest.mark.parametrize("importance", [-1, 2**31, 2**63, "high", 1.5])
def test_an_importance_out_of_range_is_refused(ada, leak, importance):
    answer = ada.put(leak, {"ticket": {"importance": importance}})
    assert (answer.status, answer.errors[0].partition(" ")[0]) == (422, "Importance")
    assert ada.get(leak).item["version"] == 1


@BOTH
def test_the_assignee_must_be_a_member_of_the_project(ada, cy, leak):
    for user_id in (cy.user_id, 999_999, -3):
        answer = ada.put(leak, {"ticket": {"assigned_user_id": user_id}})
        assert (answer.status, answer.errors) == (422, ["Assignee is not a member of this project"])
    assert ada.get(leak).item["assigned_user_id"] is None


@BOTH
def test_former_members_keep_their_tickets(world, ada, ben, roof, leak):
    ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id}})
    with world.write() as transaction:
        people.leave_project(transaction, roof, ben.user_id)
    answer = ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id, "title": "Still"}})
    assert (answer.status, answer.item["assigned_user_id"]) == (200, ben.user_id)


@BOTH
def test_the_milestone_must_be_one_of_the_project(ada, tickets, leak):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    for number in (add(ada, shed)["id"], 999_999, -1):
        answer = ada.put(leak, {"ticket": {"milestone_id": number}})
        assert (answer.status, answer.errors) == (422, ["Milestone is not in this project"])
    assert ada.post(tickets, {"ticket": {"title": "T", "milestone_id": 999_999}}).status == 422


@BOTH
def test_a_milestone_counts_its_tickets_as_they_come_close_and_go(ada, roof, tickets):
    one, two = add(ada, roof), add(ada, roof, "Mast")
    for _ in range(2):
        ada.post(tickets, {"ticket": {"title": "T", "milestone_id": one["id"]}})
    assert counts(ada, one) == (2, 2)
    ada.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    assert counts(ada, one) == (2, 1)
    ada.put(f"{tickets}/1", {"ticket": {"milestone_id": two["id"]}})
    assert (counts(ada, one), counts(ada, two)) == ((1, 1), (1, 0))
    ada.delete(f"{tickets}/2")
    assert counts(ada, one) == (0, 0)


@BOTH
@pytest.mark.parametrize("nothing", [None, "", 0, "0", "nil"])
def test_null_empty_nil_and_0_clear_an_assignee_and_a_milestone(ada, ben, roof, leak, nothing):
    given = {"assigned_user_id": ben.user_id, "milestone_id": add(ada, roof)["id"]}
    assert ada.put(leak, {"ticket": given}).item["milestone_id"]
    ticket = ada.put(leak, {"ticket": dict.fromkeys(given, nothing)}).item
    assert (ticket["assigned_user_id"], ticket["milestone_id"]) == (None, None)


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
