"""The days of a milestone over HTTP, against a replay of its tickets' versions by hand."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


class Clock:
    """A clock that tests put forward by days."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return int(self.now.timestamp() * 1_000_000)

    def goes_on(self, **time):
        self.now += timedelta(**time)


@pytest.fixture
def clock(world, monkeypatch):
    made = Clock()
    monkeypatch.setattr(world.database, "clock", made)
    return made


def set_milestone(client, project, title="Dry"):
    return client.post(f"/projects/{project}/milestones", {"milestone": {"title": title}}).item["id"]


def days(client, project, milestone):
    answer = client.get(f"/projects/{project}/milestones/{milestone}/burndown")
    assert answer.status == 200, answer.body
    return [(day["date"], day["open_tickets_count"], day["tickets_count"]) for day in answer.items]


def replayed(client, project, milestone, first, last):
    """Return the same days from the versions as everybody sees them."""
    numbers = [ticket["number"] for ticket in client.get(f"/projects/{project}/tickets?limit=100").items]
    histories = [client.get(f"/projects/{project}/tickets/{number}/versions").items for number in numbers]
    found = []
    for step in range((last - first).days + 1):
        day = (first + timedelta(days=step)).isoformat()
        stand = [[each for each in history if each["created_at"][:10] <= day] for history in histories]
        there = [past[-1] for past in stand if past and past[-1]["milestone_id"] == milestone]
        found.append((day, sum(not each["closed"] for each in there), len(there)))
    return found


def test_a_milestone_without_tickets_has_its_own_day(ben, roof, clock):
    milestone = set_milestone(ben, roof)
    assert days(ben, roof, milestone) == [("2026-03-14", 0, 0)]


@pytest.mark.matrix("databases")
def test_tickets_that_come_are_closed_and_go_are_counted_at_the_end_of_each_day(ben, roof, clock):
    milestone, tickets = set_milestone(ben, roof), f"/projects/{roof}/tickets"
    for _ in range(3):
        ben.post(tickets, {"ticket": {"title": "Leak", "milestone_id": milestone}})
    clock.goes_on(days=2)
    ben.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    ben.put(f"{tickets}/2", {"ticket": {"milestone_id": None}})
    clock.goes_on(days=1)
    ben.put(f"{tickets}/1", {"ticket": {"state": "open"}})
    assert days(ben, roof, milestone) == [
        ("2026-03-14", 3, 3),
        ("2026-03-15", 3, 3),
        ("2026-03-16", 1, 2),
        ("2026-03-17", 2, 2),
    ]


def test_the_days_end_with_the_one_on_which_it_was_completed(ben, roof, clock):
    milestone = set_milestone(ben, roof)
    clock.goes_on(days=1)
    ben.put(f"/projects/{roof}/milestones/{milestone}/close")
    clock.goes_on(days=5)
    assert [day for day, *_ in days(ben, roof, milestone)] == ["2026-03-14", "2026-03-15"]


def test_a_ticket_older_than_its_milestone_appears_when_it_is_added(ben, roof, clock):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    clock.goes_on(days=3)
    milestone = set_milestone(ben, roof)
    ben.put(f"/projects/{roof}/tickets/1", {"ticket": {"milestone_id": milestone}})
    assert days(ben, roof, milestone) == [("2026-03-17", 1, 1)]


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(1, 20))])
def test_every_day_is_that_of_a_replay_of_the_versions(ben, roof, clock, seed):
    dice = random.Random(seed)
    milestones = [set_milestone(ben, roof, title) for title in ("Dry", "Warm")]
    tickets = f"/projects/{roof}/tickets"
    for number in range(1, 9):
        values = {"state": dice.choice(["new", "hold"]), "milestone_id": dice.choice([*milestones, None])}
        ben.post(tickets, {"ticket": {"title": f"Ticket {number}", **values}})
        clock.goes_on(hours=dice.randrange(30))
    for _ in range(40):
        change = {"body": "Hm."} if dice.random() < 0.3 else {}
        change |= (
            {"state": dice.choice(["new", "open", "resolved", "invalid"])} if dice.random() < 0.6 else {}
        )
        change |= {"milestone_id": dice.choice([*milestones, None])} if dice.random() < 0.4 else {}
        ben.put(f"{tickets}/{dice.randrange(1, 9)}", {"ticket": change or {"body": "Well."}})
        clock.goes_on(hours=dice.randrange(30))
    for milestone in milestones:
        found = days(ben, roof, milestone)
        expected = replayed(ben, roof, milestone, date(2026, 3, 14), clock.now.date())
        assert found == expected
        counts = ben.get(f"/projects/{roof}/milestones/{milestone}").item
        assert found[-1][1:] == (counts["open_tickets_count"], counts["tickets_count"])


@pytest.mark.matrix("databases")
def test_changes_of_a_deleted_comment_still_count(ben, roof, clock):
    milestone, tickets = set_milestone(ben, roof), f"/projects/{roof}/tickets"
    for _ in range(3):
        ben.post(tickets, {"ticket": {"title": "Leak", "milestone_id": milestone}})
    ben.post(tickets, {"ticket": {"title": "Draught"}})
    clock.goes_on(days=1)
    changes = ({"state": "resolved"}, {"milestone_id": None}, {"body": "Hm"}, {"milestone_id": milestone})
    for number, change in enumerate(changes, start=1):
        ben.put(f"{tickets}/{number}", {"ticket": {"body": "Done", **change}})
        assert ben.delete(f"{tickets}/{number}/versions/2").status == 200
    assert days(ben, roof, milestone) == [("2026-03-14", 3, 3), ("2026-03-15", 2, 3)]


def test_the_days_of_a_missing_milestone_are_404(ben, roof):
    assert ben.get(f"/projects/{roof}/milestones/99/burndown").status == 404


@pytest.mark.matrix("both")
def test_the_days_begin_with_the_start_date_of_the_milestone(ben, roof, clock):
    ben.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry", "start_on": "2026-03-16"}})
    at, tickets = f"/projects/{roof}/milestones/1", f"/projects/{roof}/tickets"
    assert ben.get(at).item["start_on"] == "2026-03-16"
    ben.post(tickets, {"ticket": {"title": "Leak", "milestone_id": 1}})
    clock.goes_on(days=1)
    ben.post(tickets, {"ticket": {"title": "Draught", "milestone_id": 1}})
    assert days(ben, roof, 1) == [("2026-03-15", 2, 2)]
    clock.goes_on(days=2)
    assert days(ben, roof, 1) == [("2026-03-16", 2, 2), ("2026-03-17", 2, 2)]
    ben.put(at, {"milestone": {"start_on": "2026-03-12"}})
    assert days(ben, roof, 1)[:3] == [("2026-03-12", 0, 0), ("2026-03-13", 0, 0), ("2026-03-14", 1, 1)]
    ben.put(at, {"milestone": {"start_on": None}})
    assert days(ben, roof, 1)[0] == ("2026-03-14", 1, 1)
    assert ben.put(at, {"milestone": {"start_on": "soon"}}).status == 422
