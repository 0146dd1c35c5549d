"""Mail about tickets."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from skerry.mail.texts import REPLY_LINE
from skerry.mail_settings import sender
from skerry.store import accounts
from skerry.store.mail import mail_changes, mails
from skerry.store.people import preferences
from skerry.tracker.mail import batching, reply_addresses
from skerry.tracker.people import people
from skerry.tracker.people.frequency import next_digest
from tests.conftest import MAIL_HOST, PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import basic, call
from tests.support.mail_server import BASE
from tests.support.readers import read_events

ADDRESS = "skerry@tracker.example"

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
        read_events(self.world)

    def prefers(self, **sent):
        return self.in_person.put("/profile/preferences", {"preferences": sent})


def texts(message):
    return [message.get_body((kind,)).get_content() for kind in ("plain", "html")]


def test_mail_says_who_sees_a_ticket_in_the_words_of_its_page(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain comes in"}})
    ada.put(f"{tickets}/1", {"ticket": {"private": True}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert "Visible to: everybody → members, its author and its assignee" in texts(message)[0]
    assert "<bdi>everybody</bdi> → <bdi>members, its author and its assignee</bdi>" in texts(message)[1]


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
        assert "Priority:" in said
    assert "Over the **stairs**." in plain
    assert "Over the <strong>stairs</strong>." in html
    assert "A bucket &lt; a roof" in html
    assert post.deliver() == []


def test_a_mail_leaves_out_what_its_reader_wrote(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain", "body": "Over the stairs"}})
    told.client.put(f"{tickets}/1", {"ticket": {"body": "My own reply", "importance": 3}})
    ada.put(f"{tickets}/1", {"ticket": {"body": "A bucket"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    for said in texts(message):
        assert "Over the stairs" in said
        assert "A bucket" in said
        assert "My own reply" not in said
        assert "Priority" not in said


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


def test_each_mail_about_one_version_has_its_own_message_id(ada, told, tickets, post, clock):
    mails = []
    ada.post(tickets, {"ticket": {"title": "Rain", "body": "It rains"}})
    for version, body in ((0, ""), (1, "It rains, @Ben"), (0, "Still"), (2, "Still, @Ben")):
        if version:
            ada.put(f"{tickets}/1/versions/{version}", {"version": {"body": body}})
        elif body:
            ada.put(f"{tickets}/1", {"ticket": {"body": body}})
        told.hear()
        clock.turn(minutes=3)
        mails += [message for _, message in post.deliver()]
    ids = [message["message-id"] for message in mails]
    assert len(ids) == len(set(ids)) == 4
    assert {message["references"] for message in mails[1:]} == {ids[0]}


def test_a_mail_comes_from_who_wrote_it_and_names_its_list(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert message["from"] == f'"Ada (Skerry)" <{ADDRESS}>'
    assert message["list-id"].startswith('"Roof" <')


def test_a_service_with_a_name_of_its_own_mails_under_it(ada, told, tickets, post, clock):
    post.settings = replace(post.settings, sender=sender(f"Barn <{ADDRESS}>"))
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert message["from"] == f'"Ada (Barn)" <{ADDRESS}>'


def test_a_mail_of_several_people_comes_from_the_service(world, ada, cy, told, tickets, post, clock):
    world.join(int(tickets.split("/")[2]), cy)
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    cy.put(f"{tickets}/1", {"ticket": {"body": "Yes"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert message["from"] == f"Skerry <{ADDRESS}>"


def test_a_ticket_that_its_reader_may_no_longer_see_is_not_mailed(
    world, ada, told, roof, tickets, post, clock
):
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


def test_a_comment_before_a_move_is_mailed_to_those_who_see_the_ticket_afterwards(
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
        assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 200
        told.hear()
        clock.turn(minutes=3)
        mails = {recipients[0]: texts(mail)[0] for recipients, mail in post.deliver()}
        assert mails.keys() == readers
        assert all("Since May" in plain for plain in mails.values())


def test_a_moved_ticket_stays_in_its_thread(world, ada, told, roof, tickets, post, clock):
    target = ada.post("/projects", {"project": {"name": "Harbour"}}).item["id"]
    world.join(target, told.client)
    threads = []
    ada.post(tickets, {"ticket": {"title": "Rain", "multiple_watchers": [told.client.user_id]}})
    moves = (roof, f"project:{target}"), (target, "project:roof"), (roof, f"project:{target}")
    for project, command in ((roof, "importance:2"), *moves):
        move = {"bulk_edit": {"query": "rain", "command": command}}
        assert ada.post(f"/projects/{project}/bulk_edit", move).status == 200
        told.hear()
        clock.turn(minutes=3)
        ((_, message),) = post.deliver()
        threads.append(message["references"] or message["message-id"])
    assert len(set(threads)) == 1


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
    assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 200
    ((_, message),) = post.deliver()
    assert all(
        f"{BASE}/projects/{target}/tickets/1" in part and "Since May" in part for part in texts(message)
    )


def test_a_deleted_ticket_is_not_mailed(ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Secret", "body": "Treasure"}})
    told.hear()
    ada.delete(f"{tickets}/1")
    told.hear()
    clock.turn(minutes=3)
    assert post.deliver() == []


def one_click(world, message):
    """Unsubscribe as a mail service does: no Accept, no Origin, no cookie."""
    path = message["list-unsubscribe"].strip("<>").removeprefix(BASE)
    return call(
        world.instance.application,
        "POST",
        path,
        body=b"List-Unsubscribe=One-Click",
        headers={"Content-Type": "application/x-www-form-urlencoded", "Host": world.host},
    )


def test_one_click_in_a_mail_mutes_its_ticket_alone(world, ada, told, tickets, post, clock):
    for title in ("Rain", "Wind"):
        ada.post(tickets, {"ticket": {"title": title}})
    told.hear()
    clock.turn(minutes=3)
    (_, message), _ = post.deliver()
    for number in (1, 2):
        ada.put(f"{tickets}/{number}", {"ticket": {"body": "Still"}})
    told.hear()
    assert one_click(world, message).status == 200
    assert told.in_person.get("/profile/preferences").item["mail"] == "at_once"
    assert told.client.get(f"{tickets}/1/mute").item["muted"] is True
    clock.turn(minutes=3)
    assert [mail["subject"] for _, mail in post.deliver()] == ["[Roof] Wind (#2)"]


def test_one_click_in_a_digest_ends_digests_and_nothing_else(world, ada, told, tickets, post, clock):
    told.prefers(mail="daily")
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(days=2)
    ((_, message),) = post.deliver()
    for chosen, left in (("at_once", "at_once"), ("weekly", "none")):
        told.prefers(mail=chosen)
        assert one_click(world, message).status == 200
        assert told.in_person.get("/profile/preferences").item["mail"] == left
    assert told.client.get(f"{tickets}/1/mute").item["muted"] is False


def test_an_older_link_ends_all_notifications_by_mail(world, ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    path = message["list-unsubscribe"].strip("<>").removeprefix(BASE).partition("-")[0]
    assert world.client().get(path).item["ended"] is False
    assert world.client().post(path).item["ended"] is True
    assert told.in_person.get("/profile/preferences").item["mail"] == "none"


def test_the_link_is_a_page_with_a_button_and_can_be_renewed(world, ada, told, tickets, post, clock):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    path = message["list-unsubscribe"].strip("<>").removeprefix(BASE)
    web = WebClient(world.instance.application, world.host)
    page = web.get(path)
    assert "Mute this ticket" in page.text
    assert told.client.get(f"{tickets}/1/mute").item["muted"] is False
    assert "You no longer get" in web.submit(page, path).text
    assert told.client.get(f"{tickets}/1/mute").item["muted"] is True
    assert world.client().get(path).item["title"] == "Rain"
    assert told.in_person.delete("/profile/unsubscribe-link").status == 200
    for wrong in ("", "0", "-1", "-x-y", "-digest-1", f"-1-{10**30}", "-1-²"):
        assert world.client().post(f"{path.partition('-')[0]}{wrong}").status == 404
    assert world.client().post(path).status == 404


def test_a_link_reveals_nothing_about_a_ticket_that_its_reader_can_no_longer_see(
    world, ada, told, roof, tickets, post, clock
):
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    path = message["list-unsubscribe"].strip("<>").removeprefix(BASE)
    for member in ada.get(f"/projects/{roof}/memberships").items:
        if member["user_id"] == told.client.user_id:
            ada.delete(f"/projects/{roof}/memberships/{member['id']}")
    assert world.client().get(path).status == world.client().post(path).status == 404


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


def test_a_digest_has_fifty_tickets_and_a_link_to_the_rest(world, ada, told, tickets, post, clock):
    told.prefers(mail="daily")
    ada.post(tickets, {"ticket": {"title": "Rain", "body": "word " * 100}})
    part = {"project_id": int(tickets.split("/")[2]), "number": 1, "reason": 1}
    part |= {"first_version": 1, "last_version": 1}
    with world.write() as transaction:
        mails.add(transaction, batching.DIGEST, {"tickets": [part] * 60}, user_id=told.client.user_id)
    ((_, message),) = post.deliver()
    assert message["subject"].startswith("60 tickets changed")
    for said in texts(message):
        assert said.count("word…") == 50
        assert "10 more tickets" in said
        assert f"{BASE}/notifications" in said


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


@pytest.mark.parametrize("rest", ["", " drip" * 5_000])
def test_nothing_in_a_title_or_a_text_becomes_a_header_or_markup(ada, told, tickets, post, clock, rest):
    title = "Rain \u202e=?utf-8?q?x?= <b> & \u2028Bcc: eve@example.org"
    body = f"![x](http://evil.example/x.png) <script>{rest}"
    made = ada.post(tickets, {"ticket": {"title": title, "body": body}})
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


@pytest.mark.parametrize("end", ["\n", "\u2028"])
def test_a_title_of_two_lines_is_one_line_in_a_mail(ada, told, tickets, post, clock, end):
    title = f"Rain{end}Bcc: eve@example.org"
    ada.post(tickets, {"ticket": {"title": title, "body": "From here it leaks"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert (message["bcc"], message["subject"]) == (None, "[Roof] Rain Bcc: eve@example.org (#1)")
    for said in texts(message):
        assert "Rain Bcc: eve@example.org" in said
        assert "\nFrom here it leaks" in said.replace("<p>", "\n")


def test_a_person_without_a_verified_address_is_not_mailed(world, ada, told, cy, tickets, post, clock):
    with world.write() as transaction:
        people.change_email(transaction, told.client.email, f"b{told.client.email}")
    ada.post(tickets, {"ticket": {"title": "Rain"}})
    told.hear()
    clock.turn(minutes=3)
    assert post.deliver() == []


def test_an_invalid_preference_is_refused(told):
    assert told.prefers(mail="hourly").errors == ["Mail is not one of at_once, daily, weekly, none"]


def test_a_mail_is_written_in_german(ada, told, tickets, post, clock):
    told.prefers(language="de", time_zone="Europe/Berlin")
    ada.post(tickets, {"ticket": {"title": "Regen", "body": "@Ben"}})
    told.hear()
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    assert "Ada hat das Ticket eröffnet" in texts(message)[0]
    assert "erwähnt" in texts(message)[1]


def test_a_change_during_the_sending_of_a_mail_is_in_the_next_one(world, ada, told, tickets, post, clock):
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
    assert all("Reply to this mail to comment." in said for said in texts(message))
    address = message["reply-to"].addresses[0].addr_spec
    (target,) = reply_addresses.targets([address])
    assert (target.number, target.user_id) == (1, told.client.user_id)
    with world.write() as transaction:
        assert reply_addresses.is_genuine(transaction, target)


def test_a_mail_that_can_be_answered_begins_with_the_line_to_write_above(
    world, ada, told, tickets, post, clock, monkeypatch
):
    for host in (MAIL_HOST, ""):
        monkeypatch.setattr(world.database, "mail", replace(post.settings, reply_host=host))
        ada.post(tickets, {"ticket": {"title": "Rain"}})
        told.hear()
        clock.turn(minutes=3)
        ((_, message),) = post.deliver()
        plain, html = texts(message)
        assert plain.startswith(REPLY_LINE) == bool(host)
        assert (f">{REPLY_LINE}<" in html) == bool(host)
