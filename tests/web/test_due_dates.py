"""The due dates of tickets."""

from datetime import UTC, datetime

import pytest

from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.web.test_administration import login
from tests.web.test_bins import add, count
from tests.web.test_bulk_edit import edit, undo

BOTH, FORMATS = map(pytest.mark.matrix, ("both", "formats"))

# At this time, it is already the second of May in Auckland.
NOW = int(datetime(2027, 5, 1, 13, tzinfo=UTC).timestamp()) * 1_000_000
DAYS = {
    "Gable": "2027-04-30",
    "Roof": "2027-05-01",
    "Wall": "2027-05-02",
    "Stairs": "2027-05-03",
    "Door": None,
}


@pytest.fixture
def planned(ada, tickets, world, monkeypatch):
    """Tickets that are due around the first of May, which is a Saturday."""
    monkeypatch.setattr(world.instance.database, "clock", lambda: NOW)
    for title, day in DAYS.items():
        ada.post(tickets, {"ticket": {"title": title, "due_on": day}})
    return tickets


def titles(client, tickets, query):
    return [ticket["title"] for ticket in client.get(f"{tickets}?q={query}").items]


@BOTH
def test_a_due_date_is_kept_and_recorded(ada, tickets):
    made = ada.post(tickets, {"ticket": {"title": "Roof", "due_on": "2027-01-31"}}).item
    at = f"{tickets}/{made['number']}"
    after = [ada.put(at, {"ticket": {"due_on": day}}).item["due_on"] for day in ("2027-02-01", "")]
    versions = ada.get(at).item["versions"]
    assert (made["due_on"], after) == ("2027-01-31", ["2027-02-01", None])
    assert [version["due_on"] for version in versions] == ["2027-01-31", "2027-02-01", None]
    changed = [version["diffable_attributes"].get("due_on") for version in versions[1:]]
    assert changed == ["2027-01-31", "2027-02-01"]


def test_a_due_date_has_no_type_in_xml(world, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Roof", "due_on": "2027-01-31"}})
    assert b"<due-on>2027-01-31</due-on>" in ada.send("GET", f"{tickets}/1.xml").body
    ada.put(f"{tickets}/1", {"ticket": {"due_on": None}})
    assert b'<due-on nil="true"/>' in ada.send("GET", f"{tickets}/1.xml").body


@FORMATS
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2027-01-31T23:30:00-11:00", "2027-01-31"),
        ("2027-01-31T00:30:00+14:00", "2027-01-31"),
        ("2027-01-31T00:00:00Z", "2027-01-31"),
        ("2027/01/31", "2027-01-31"),
        ("nil", None),
    ],
)
def test_a_due_date_is_the_day_that_its_sender_wrote(ada, tickets, sent, kept):
    assert ada.post(tickets, {"ticket": {"title": "Roof", "due_on": sent}}).item["due_on"] == kept


@FORMATS
@pytest.mark.parametrize("sent", ["soon", "2027-02-30", "31.1.2027", "0", "99999-01-01", "2027-01-31 or so"])
def test_text_that_is_not_a_day_is_refused(ada, tickets, leak, sent):
    for answer in (
        ada.post(tickets, {"ticket": {"title": "Roof", "due_on": sent}}),
        ada.put(leak, {"ticket": {"due_on": sent}}),
    ):
        assert (answer.status, answer.errors) == (422, ["Due on must be a day such as 2027-01-31"])


@BOTH
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("due:today", ["Roof"]),
        ("due:tomorrow", ["Wall"]),
        ("due:yesterday", ["Gable"]),
        ("due:overdue", ["Gable"]),
        ("due:none", ["Door"]),
        ("due:next-week", ["Stairs"]),
        ("due:'this week' sort:due", ["Gable", "Roof", "Wall"]),
        ("due:<2027-05-01", ["Gable"]),
        ("due:>=2027-05-03", ["Stairs"]),
        ("due:(none,overdue) sort:due", ["Gable", "Door"]),
        ("-due:2027-05-01..2027-05-03 sort:due", ["Gable", "Door"]),
        ("sort:due", ["Gable", "Roof", "Wall", "Stairs", "Door"]),
        ("sort:due-", ["Stairs", "Wall", "Roof", "Gable", "Door"]),
    ],
)
def test_tickets_are_found_by_when_they_are_due(ada, planned, query, found):
    assert titles(ada, planned, query) == found


@BOTH
@pytest.mark.parametrize(
    "query", ["due:9999-12-31", "due:>=9999-12-31", "due:>9999-12-30", "due:9999-12-30.."]
)
def test_the_last_day_of_all_can_be_searched_for(ada, roof, planned, query):
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "#5", "command": "due:9999-12-31"}})
    assert titles(ada, planned, query) == ["Door"]
    assert "Door" not in titles(ada, planned, "due:<9999-12-31")
    assert len(titles(ada, planned, "due:<=9999-12-31")) == 5


def test_a_closed_ticket_is_not_overdue(ada, planned):
    ada.put(f"{planned}/1", {"ticket": {"state": "resolved"}})
    assert (titles(ada, planned, "due:overdue"), titles(ada, planned, "due:<today")) == ([], ["Gable"])


def test_pages_in_the_order_of_due_dates_follow_each_other(ada, planned):
    pages = [ada.get(f"{planned}?q=sort:due&limit=2&page={page}").items for page in (1, 2, 3)]
    assert [ticket["title"] for page in pages for ticket in page] == [
        "Gable",
        "Roof",
        "Wall",
        "Stairs",
        "Door",
    ]


@pytest.mark.matrix("databases")
def test_today_is_the_day_of_the_reader_and_in_counts_that_of_the_account(ada, ben, roof, planned):
    shared = add(ben, roof, query="due:today", shared=True)
    login(ben, ben.email).put("/profile/preferences", {"preferences": {"time_zone": "Pacific/Auckland"}})
    assert (titles(ben, planned, "due:today"), titles(ada, planned, "due:today")) == (["Wall"], ["Roof"])
    assert (count(ada, shared), count(ben, shared)) == (1, 1)
    ben.put(f"{planned}/3", {"ticket": {"state": "resolved"}})
    assert (titles(ben, planned, "due:overdue"), count(ben, shared)) == (["Roof", "Gable"], 1)
    account = {"account": {"time_zone": "Pacific/Auckland"}}
    assert login(ada, ada.email).put("/account", account).status == 200
    assert titles(ada, planned, "due:today") == ["Wall"]


@BOTH
def test_a_command_sets_the_due_date_and_can_be_undone(ada, ben, roof, planned):
    edited = edit(ben, roof, "number:(1,5)", "due:tomorrow")
    assert titles(ada, planned, "due:tomorrow sort:number") == ["Gable", "Wall", "Door"]
    assert undo(ben, edited).status == 201
    assert titles(ada, planned, "sort:due") == ["Gable", "Roof", "Wall", "Stairs", "Door"]
    ada.put(f"{planned}/2", {"ticket": {"body": "Later [due:none]"}})
    assert titles(ada, planned, "due:none sort:number") == ["Roof", "Door"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("due:soon", "Command: Cannot read 'soon' at 5 as a day: it is not in a known date format"),
        ("due:this-week", "Command: Cannot read 'this-week' at 5 as a day: it is not one day"),
    ],
)
def test_a_command_names_one_day(ben, roof, command, problem):
    answer = ben.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": command}})
    assert (answer.status, answer.errors) == (422, [problem])


def test_an_event_says_when_a_ticket_was_due_before(ada, roof, planned):
    ada.put(f"{planned}/2", {"ticket": {"due_on": "2027-06-01"}})
    last = ada.get(f"/projects/{roof}/events?limit=100").items[-1]
    assert last["changes"] == {"due_on": ["2027-05-01", "2027-06-01"]}


@BOTH
def test_a_moved_ticket_is_due_on_the_same_day(ada, roof, harbour, planned):
    edit(ada, roof, "due:today", f"project:{harbour}")
    assert titles(ada, f"/projects/{harbour}/tickets", "due:today") == ["Roof"]


def test_completions_know_when_tickets_are_due(ada, roof):
    offered = ada.get(f"/projects/{roof}/query/suggest?q=due:&caret=4").items
    assert {"today", "overdue", "none", "'next week'"} <= {each["text"].replace('"', "'") for each in offered}


def test_a_due_date_is_entered_and_shown_as_a_day(world, ada, planned):
    ada.put(f"{planned}/2", {"ticket": {"due_on": "2027-06-01"}})
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    form = web.get(f"{planned}/new")
    assert 'name="ticket[due_on]" autocomplete="off" type="date"' in form.source
    assert "May 1, 2027 → Jun 1, 2027" in web.get(f"{planned}/2").text
