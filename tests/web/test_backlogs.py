"""Backlogs: what waits to be read or sent, and why."""

import re

import pytest

from skerry.store.events import events as event_store
from skerry.store.mail import mails
from skerry.store.sending import hooks, leases
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import call

BACKLOG = "/administration/backlog"


def make_hook(world, roof, **more):
    with world.write() as transaction:
        return hooks.add(
            transaction,
            roof,
            user_id=world.people["ada"].user_id,
            url="https://receiver.example/secret-path",
            query="",
            format="skerry",
            note="",
            secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            **{"active": 1, "events": "*", **more},
        )


def waiting(ada, kind):
    return [item for item in ada.get(BACKLOG).items if item["kind"] == kind]


def test_nothing_waits_at_first(ada, roof):
    assert ada.get(BACKLOG).items == []


@pytest.mark.matrix("both")
def test_hooks_say_how_far_they_are_behind_or_that_they_are_off(world, ada, roof):
    behind, off = make_hook(world, roof), make_hook(world, roof, active=0)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    found = {item["hook_id"]: item for item in waiting(ada, "hook")}
    assert (found[behind]["state"], found[behind]["count"]) == ("ready", 1)
    assert (found[off]["state"], found[off]["count"], found[off]["project_id"]) == ("off", 0, roof)
    # The rest of the address may hold a secret of the receiver.
    assert found[off]["name"] == "receiver.example"
    assert b"secret-path" not in ada.get(BACKLOG).body


@pytest.mark.matrix("databases")
def test_only_events_that_are_for_a_hook_are_waiting_for_it(world, ada, roof, hull):
    made = {
        events: make_hook(world, roof, events=events)
        for events in ("*", "ticket.created", "milestone.created ticket.updated", "bin.created")
    }
    ada.post(f"/projects/{roof}/hooks", {"hook": {"url": "https://a.example/", "active": False}})
    ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Elsewhere"}})
    for title in ("Leak", "Damp"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"title": "Dry"}})
    found = {item["hook_id"]: item["count"] for item in waiting(ada, "hook") if item["state"] != "off"}
    wanted = {"*": 3, "ticket.created": 2, "milestone.created ticket.updated": 1}
    assert found == {made[events]: count for events, count in wanted.items()}


@pytest.mark.matrix("both")
def test_a_reader_of_events_says_how_many_it_has_not_read(world, ada, roof):
    with world.write() as transaction:
        while event_store.unread(transaction, "tests", 100):
            pass
    for title in ("Leak", "Draught"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    (reader,) = [item for item in waiting(ada, "reader") if item["name"] == "tests"]
    assert (reader["count"], reader["state"]) == (2, "ready")


@pytest.mark.matrix("both")
def test_a_restored_account_without_events_has_no_backlog(world, ada):
    with world.write() as transaction:
        event_store.begin_generation(transaction)
        event_store.unread(transaction, "tests", 100)
    assert waiting(ada, "reader") == []


@pytest.mark.matrix("both")
def test_mails_wait_while_their_server_is_down_and_some_are_refused(world, ada):
    with world.write() as transaction:
        first, _ = (mails.add(transaction, "alert", {}, email=f"{n}@example.org") for n in range(2))
        mails.set_aside(transaction, first, "550 No such user")
        mails.note_outage(transaction, transaction.now + 60_000_000, "Connection refused")
    found = {item["state"]: item for item in waiting(ada, "mail")}
    assert (found["failing"]["count"], found["failing"]["problem"]) == (1, "Connection refused")
    assert found["failing"]["next_try_at"] > found["failing"]["since"]
    assert found["refused"]["count"] == 1


def test_an_administrator_resumes_what_is_paused_on_the_page(world, ada, roof):
    make_hook(world, roof)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    with world.write() as transaction:
        leases.pause(transaction, paused=True)
    assert [item["state"] for item in waiting(ada, "hook")] == ["paused"]
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    page = web.get(BACKLOG)
    assert "receiver.example paused" in page.text
    assert "Sending has been paused" not in web.submit(page, "/sending", "put").text
    assert [item["state"] for item in waiting(ada, "hook")] == ["ready"]


def test_only_administrators_see_what_waits(ben, cy):
    assert (ben.get(BACKLOG).status, cy.get(BACKLOG).status) == (403, 403)


@pytest.mark.matrix("both")
def test_metrics_cover_all_accounts_together(world, ada, roof):
    def figures():
        answer = call(world.instance.application, "GET", "/metrics")
        lines = re.findall(r"^(skerry_[^ ]+) (\S+)$", answer.body.decode(), re.MULTILINE)
        return {name: float(value) for name, value in lines}

    before = figures()
    make_hook(world, roof, active=0)
    make_hook(world, roof)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    with world.write() as transaction:
        mails.add(transaction, "alert", {}, email="dora@example.org")
    after = figures()
    for name in (
        'hooks{state="active"}',
        'hooks{state="off"}',
        'mails{state="waiting"}',
        "hook_events_waiting",
    ):
        assert after[f"skerry_{name}"] == before[f"skerry_{name}"] + 1, name
    assert {"skerry_event_streams", "skerry_mail_outages", "skerry_sending_paused"} <= set(after)
