"""Stored counts under concurrent changes: correct, and without deadlocks."""

import pytest

from skerry.store import attachments, tickets
from skerry.tracker.changes import ticket_counts, ticket_values
from tests.support import postgres
from tests.support.forms import KIND, field, file, form
from tests.web.test_bins import add, count

TICKETS = "/projects/1/tickets"


@pytest.fixture
def three(pair):
    """Both, with a project and three tickets."""
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    for _ in range(3):
        ada.post(TICKETS, {"ticket": {"title": "Leak", "importance": 3}})
    return ada, elsewhere


def test_a_bin_counts_a_change_that_is_seen_after_a_later_one(three, meanwhile):
    ada, elsewhere = three
    found = add(ada, 1, query="importance:3")
    changed = {"ticket": {"importance": 4}}

    def change_and_count():
        assert elsewhere.put(f"{TICKETS}/2", changed).status == 200
        return count(elsewhere, found)

    with meanwhile(tickets, "change") as do:
        later = do(change_and_count)
        assert ada.put(f"{TICKETS}/1", changed).status == 200
    assert later.result() == 2
    assert count(elsewhere, found) == 1


@pytest.mark.parametrize(("module", "step"), [(ticket_values, "defaults"), (ticket_counts, "moved")])
def test_no_ticket_is_opened_into_a_milestone_that_is_removed_meanwhile(three, meanwhile, module, step):
    ada, elsewhere = three
    ada.post("/projects/1/milestones", {"milestone": {"title": "Dry"}})
    ada.put("/projects/1/settings", {"settings": {"default_milestone_id": 1}})
    with meanwhile(module, step) as do:
        later = do(elsewhere.delete, "/projects/1/milestones/1")
        assert ada.post(TICKETS, {"ticket": {"title": "Drip"}}).status == 201
        assert later.result().status == 200
    assert ada.get(f"{TICKETS}/4").item["milestone_id"] is None


def deadlocks(url):
    with postgres.connect() as connection:
        return connection.exec_driver_sql(
            f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{url.database}'"
        ).scalar()


def test_files_that_come_with_new_tickets_and_with_changes_lead_to_no_ring(three, meanwhile):
    ada, elsewhere = three
    with meanwhile(attachments, "add") as do:
        changed = form(field("ticket[state]", "resolved"), file())
        later = do(lambda: elsewhere.send("PUT", f"{TICKETS}/1", raw=changed, kind=KIND))
        opened = form(field("ticket[title]", "Rain"), file())
        assert ada.send("POST", TICKETS, raw=opened, kind=KIND).status == 201
        assert later.result().status == 200
    assert deadlocks(ada.world.database.engine.url) == 0
