"""Mails about tickets, as they arrive."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from skerry.store import accounts
from skerry.store.mail import mail_changes
from skerry.store.people import preferences
from skerry.tracker.events import event_readers
from skerry.tracker.mail import batching, reply_addresses
from skerry.tracker.mail.frequency import next_digest
from skerry.tracker.notifications import notifier
from skerry.tracker.people import people
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import basic, call
from tests.support.mail_server import BASE

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def told(world, ada, ben, roof, clock):
    """Ben, whose address is verified, watches everything that happens, whoever does it."""
    with world.write() as transaction:
        preferences.verify(transaction, ben.user_id, ben.email)
    world.join(roof, ben)
    level = {"notification_settings": {"level": "everything"}}
    assert ben.put(f"/projects/{roof}/notification_settings", level).status == 200
    return Ben(world, ben)


class Ben:
    def __init__(self, world, client):
        self.world, self.client = world, client
        self.in_person = world.client(**basic(client.email, PASSWORD))

    def hear(self):
        """Tell everybody of what has happened."""
        only = [self.world.account_id]
        event_readers.read_new(self.world.database, notifier.NAME, notifier.read, only=only)

    def prefers(self, **sent):
        return self.in_person.put("/profile/preferences", {"preferences": sent})


def texts(message):
    return [message.get_body((kind,)).get_content() for kind in ("plain", "html")]


def test_changes_of_a_ticket_within_two_minutes_are_one_mail(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain *comes* in", "body": "Over the **stairs**."}})
    told.hear()
    clock.turn(seconds=90)
    ada.put(f"{tickets}/1", {"ticket": {"state": "open", "body": "A bucket < a roof", "importance": 3}})
    told.hear()
    assert post.deliver() == []
    clock.turn(seconds=40)
    ((recipients, message),) = post.deliver()
    assert (recipients, message["subject"]) == ([told.client.email], "[Roof] Rain *comes* in (#1)")
    plain, html = texts(message)
    for said in (plain, html):
        assert f"{BASE}{tickets}/1" in said
        assert said.index("Ada opened the ticket") < said.index("Ada commented")
        assert "Importance:" in said
    assert "Over the **stairs**." in plain
    assert "Over the <strong>stairs</strong>." in html
    assert "A bucket &lt; a roof" in html
    assert post.deliver() == []


def test_a_ticket_is_one_thread(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain", "body": ""}})
    told.hear()
    clock.turn(minutes=3)
    ((_, first),) = post.deliver()
    ada.put(f"{tickets}/1", {"ticket": {"body": "Still"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, second),) = post.deliver()
    assert second["references"] == second["in-reply-to"] == first["message-id"] != second["message-id"]
    assert first["references"] is None
    assert second["list-id"] == first["list-id"]
    headers = ("auto-submitted", "precedence", "list-unsubscribe-post")
    assert [second[name] for name in headers] == ["auto-generated", "list", "List-Unsubscribe=One-Click"]


def test_nothing_is_mailed_that_its_reader_may_not_see_any_more(world, ada, told, roof, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Secret", "body": "Treasure"}})
    told.hear()
    members = ada.get(f"/projects/{roof}/memberships").items
    (at,) = [each["id"] for each in members if each["user_id"] == told.client.user_id]
    ada.delete(f"/projects/{roof}/memberships/{at}")
    clock.turn(minutes=3)
    assert post.deliver() == []
    world.join(roof, told.client)
    ada.put(f"{tickets}/1", {"ticket": {"body": "Password 1234"}})
    ada.delete(f"{tickets}/1/versions/2")
    told.hear()
    clock.turn(minutes=3)
    assert "1234" not in "".join(part for _, mail in post.deliver() for part in texts(mail))


def test_what_was_said_before_a_ticket_moved_is_told_to_those_who_see_it_there(
    world, ada, told, cy, roof, post, clock
):
    world.join(roof, cy)
    harbour = ada.post("/projects", {"project": {"name": "Harbour", "public": True}}).item["id"]
    with world.write() as transaction:
        preferences.verify(transaction, cy.user_id, cy.email)
    opened = {"title": "Rain", "body": "Since May", "multiple_watchers": [cy.user_id]}
    hidden = ada.post("/projects", {"project": {"name": "Cellar"}}).item["id"]
    world.join(hidden, told.client)
    for target, readers in ((harbour, {told.client.email, cy.email}), (hidden, {told.client.email})):
        number = ada.post(f"/projects/{roof}/tickets", {"ticket": opened}).item["number"]
        told.hear()
        move = {"bulk_edit": {"query": f"number:{number}", "command": f"project:{target}"}}
        assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 201
        told.hear()
        clock.turn(minutes=3)
        mails = {recipients[0]: texts(mail)[0] for recipients, mail in post.deliver()}
        assert mails.keys() == readers
        assert all("Since May" in plain for plain in mails.values())


@pytest.mark.parametrize("frequency", ["at_once", "daily"])
def test_a_mail_that_waits_for_its_server_follows_its_ticket(world, ada, told, roof, post, clock, frequency):
    told.prefers(frequency=frequency)
    target = ada.post("/projects", {"project": {"name": "Harbour"}}).item["id"]
    world.join(target, told.client)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Rain", "body": "Since May"}})
    told.hear()
    clock.turn(days=2)
    with world.write() as transaction:
        batching.gather(transaction)
    move = {"bulk_edit": {"query": "rain", "command": f"project:{target}"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 201
    ((_, message),) = post.deliver()
    assert all(
        f"{BASE}/projects/{target}/tickets/1" in part and "Since May" in part for part in texts(message)
    )


def test_nothing_is_mailed_of_a_ticket_that_is_gone(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Secret", "body": "Treasure"}})
    told.hear()
    ada.delete(f"{tickets}/1")
    told.hear()
    clock.turn(minutes=3)
    assert post.deliver() == []


def test_mails_end_with_one_click_and_without_signing_in(world, ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    address = message["list-unsubscribe"].strip("<>")
    path = address.removeprefix(BASE)
    assert path.startswith("/unsubscribe/")
    # As a mail service sends it: no Accept, no Origin, no cookie.
    answer = call(
        world.instance.application,
        "POST",
        path,
        body=b"List-Unsubscribe=One-Click",
        headers={"Content-Type": "application/x-www-form-urlencoded", "Host": world.host},
    )
    assert answer.status == 200, answer
    assert told.in_person.get("/profile/preferences").item["mail"] == "none"
    ada.put(f"{tickets}/1", {"ticket": {"body": "Still"}})
    told.hear()
    clock.turn(minutes=3)
    assert post.deliver() == []


def test_the_link_is_a_page_with_a_button_and_can_be_renewed(world, ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    path = message["list-unsubscribe"].strip("<>").removeprefix(BASE)
    web = WebClient(world.instance.application, world.host)
    page = web.get(path)
    assert told.in_person.get("/profile/preferences").item["mail"] == "at_once"
    assert "You no longer get" in web.submit(page, path).text
    assert told.in_person.get("/profile/preferences").item["mail"] == "none"
    assert told.in_person.delete("/profile/unsubscribe-link").status == 200
    assert world.client().post(path).status == world.client().post("/unsubscribe/0").status == 404


def test_a_digest_comes_once_a_day_at_seven(ada, told, tickets, post, clock):
    clock.now = int(datetime(2026, 3, 14, 12, tzinfo=UTC).timestamp()) * 1_000_000
    told.prefers(mail="daily", time_zone="Europe/Berlin")
    for title in ("Rain", "Wind"):
        ada.post(tickets, {"ticket": {"title": title, "body": "*Much* of it"}})
    told.hear()
    clock.turn(hours=17)
    assert post.deliver() == []
    clock.turn(hours=1)
    ((_, message),) = post.deliver()
    assert message["subject"].startswith("2 tickets changed in World")
    assert message["list-unsubscribe"]
    for said in texts(message):
        assert said.index("Rain") < said.index("Wind")
        assert "Much of it" in said
    clock.turn(hours=24)
    assert post.deliver() == []


@pytest.mark.parametrize(
    ("now", "frequency", "zone", "due"),
    [
        ("2026-03-14T05:59", "daily", "Europe/Berlin", "2026-03-14T06:00"),
        ("2026-03-14T06:00", "daily", "Europe/Berlin", "2026-03-15T06:00"),
        ("2026-03-28T12:00", "daily", "Europe/Berlin", "2026-03-29T05:00"),
        ("2026-03-14T12:00", "weekly", "", "2026-03-16T07:00"),
        ("2026-03-16T07:00", "weekly", "", "2026-03-23T07:00"),
    ],
)
def test_digests_are_due_at_seven_where_their_reader_is(now, frequency, zone, due):
    moments = [datetime.fromisoformat(each).replace(tzinfo=UTC).timestamp() for each in (now, due)]
    assert next_digest(int(moments[0]) * 1_000_000, frequency, zone) == moments[1] * 1_000_000


def test_nothing_in_a_title_or_a_text_becomes_a_header_or_markup(ada, told, tickets, post, clock):
    title = "Rain \u202e=?utf-8?q?x?= <b> & \u2028Bcc: eve@example.org"
    made = ada.post(tickets, {"ticket": {"title": title, "body": "![x](http://evil.example/x.png) <script>"}})
    assert made.status == 201
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    html = texts(message)[1]
    assert (message["bcc"], len(message.get_all("subject"))) == (None, 1)
    assert "Rain" in message["subject"]
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;b&gt;" in html


def test_a_person_without_a_verified_address_is_not_mailed(world, ada, told, cy, tickets, post, clock):
    with world.write() as transaction:
        people.change_email(transaction, told.client.email, f"b{told.client.email}")
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    assert post.deliver() == []


def test_a_wish_that_is_none_is_refused(told):
    assert told.prefers(mail="hourly").errors == ["Mail is not one of at_once, daily, weekly, none"]


def test_a_mail_is_written_in_german(ada, told, tickets, post, clock):
    told.prefers(language="de", time_zone="Europe/Berlin")
    ada.post(tickets, {"ticket": {"title": "Regen", "body": "@Ben"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert "Ada hat das Ticket eröffnet" in texts(message)[0]
    assert "erwähnt" in texts(message)[1]


def test_what_comes_while_a_mail_is_made_is_in_the_next_one(world, ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    with world.write() as transaction:
        found = mail_changes.due(transaction, 10)
    ada.put(f"{tickets}/1", {"ticket": {"body": "Late"}})
    told.hear()
    with world.write() as transaction:
        mail_changes.remove(transaction, found, clock.now)
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert "Late" in texts(message)[0]
    assert "opened" not in texts(message)[0]


def test_an_answer_goes_to_a_signed_address(world, ada, told, tickets, post, clock, monkeypatch):
    monkeypatch.setattr(world.database, "mail", replace(post.settings, reply_host="in.example"))
    with world.write() as transaction:
        accounts.renew_mail_secret(transaction)
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    address = message["reply-to"].addresses[0].addr_spec
    (target,) = reply_addresses.targets([address])
    assert (target.number, target.user_id) == (1, told.client.user_id)
    with world.write() as transaction:
        assert reply_addresses.is_genuine(transaction, target)
