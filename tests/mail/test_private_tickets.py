"""Who sees a private ticket no longer hears of it: not by mail, digest, reminder, inbox, event or answer."""

from datetime import UTC, datetime

import pytest

from tests.conftest import PASSWORD
from tests.mail.mails import address_of, mail, reply_to, verify, with_proof
from tests.support.client import basic
from tests.support.readers import read_events

pytestmark = pytest.mark.matrix("both")

MORNING = int(datetime(2027, 5, 1, 7, tzinfo=UTC).timestamp()) * 1_000_000


class Reader:
    """Somebody who watches a ticket of a public project, and a way in which he loses sight of it."""

    def __init__(self, world, client, ada, harbour, way):
        self.world, self.client, self.ada, self.harbour, self.way = world, client, ada, harbour, way
        if way != "hidden":
            world.join(harbour, client)
        assigned = client.user_id if way == "reassigned" else None
        fields = {
            "title": "Leak",
            "due_on": "2027-05-01",
            "assigned_user_id": assigned,
            "private": way != "hidden",
        }
        made = ada.post(f"/projects/{harbour}/tickets", {"ticket": fields})
        self.ticket = f"/projects/{harbour}/tickets/{made.item['number']}"
        assert client.put(self.ticket, {"ticket": {"body": "Mine too"}}).status == 200
        if way == "reassigned":
            self.leave()
        assert client.get(self.ticket).status == 200

    def leave(self):
        members = self.ada.get(f"/projects/{self.harbour}/memberships").items
        (at,) = [each["id"] for each in members if each["user_id"] == self.client.user_id]
        assert self.ada.delete(f"/projects/{self.harbour}/memberships/{at}").status < 300

    def lose(self):
        if self.way == "left":
            self.leave()
        else:
            fields = {"private": True} if self.way == "hidden" else {"assigned_user_id": None}
            assert self.ada.put(self.ticket, {"ticket": fields}).status == 200
        assert self.client.get(self.ticket).status == 404

    def tell(self, body="Hushword"):
        """Comment on the ticket, and tell everybody."""
        assert self.ada.put(self.ticket, {"ticket": {"body": body}}).status == 200
        self.hear()

    def hear(self):
        read_events(self.world)

    def prefers(self, **sent):
        person = self.world.client(**basic(self.client.email, PASSWORD))
        assert person.put("/profile/preferences", {"preferences": sent}).status == 200


@pytest.fixture(params=["hidden", "left", "reassigned"])
def reader(request, world, ada, cy, harbour, clock):
    clock.now = MORNING - 86_400_000_000
    verify(world, cy)
    return Reader(world, cy, ada, harbour, request.param)


def unread(client):
    answer = client.get("/notifications?unread=true")
    assert int(answer.headers["x-total-count"]) == len(answer.items)
    return len(answer.items)


@pytest.mark.parametrize("frequency", ["at_once", "daily"])
def test_what_waits_to_be_mailed_is_not_mailed(reader, post, clock, frequency):
    reader.prefers(frequency=frequency)
    reader.hear()
    reader.tell()
    assert unread(reader.client) == 1
    reader.lose()
    reader.tell()
    clock.turn(days=2)
    assert [each for each, _ in post.deliver() if reader.client.email in each] == []
    assert unread(reader.client) == 0


def test_what_happens_later_is_told_to_nobody_who_does_not_see_it(reader, post, clock):
    reader.hear()
    clock.turn(minutes=3)
    post.deliver()
    reader.lose()
    reader.tell("Hushword, @cy")
    clock.turn(minutes=3)
    assert post.deliver() == []
    assert reader.client.get("/notifications").items == []
    for address in ("/events", f"/projects/{reader.harbour}/events", "/activity"):
        assert "ushword" not in reader.client.get(address).body.decode()
    kinds = {each["subject_kind"] for each in reader.client.get(f"/projects/{reader.harbour}/events").items}
    assert "ticket" not in kinds


def test_nobody_is_reminded_of_a_ticket_that_they_cannot_see(reader, post, clock):
    clock.now = MORNING
    reader.lose()
    assert post.deliver() == []


def test_a_reply_is_refused_as_if_there_were_no_ticket(world, ada, reader):
    number = int(reader.ticket.rpartition("/")[2])
    addresses = [reply_to(world, reader.client, reader.harbour, each) for each in (number, 99)]
    reader.lose()
    versions = len(ada.get(reader.ticket).item["versions"])
    hidden, missing = (
        ada.post("/mail", with_proof(mail(reader.client.email, each))).item for each in addresses
    )
    assert hidden["reason"] == missing["reason"] == "Ticket not found. It may have been moved or deleted"
    assert (hidden["result"], hidden["number"]) == (missing["result"], missing["number"]) == ("refused", None)
    assert len(ada.get(reader.ticket).item["versions"]) == versions


@pytest.mark.parametrize("public", [True, False])
def test_a_reply_to_a_ticket_that_was_moved_out_of_sight_does_not_tell_so(
    world, ada, cy, harbour, clock, public
):
    ticket = Reader(world, cy, ada, harbour, "hidden").ticket
    there = ada.post("/projects", {"project": {"name": "Hull", "public": public}}).item["id"]
    addresses = [reply_to(world, cy, harbour, each) for each in (1, 99)]
    assert ada.put(ticket, {"ticket": {"private": True}}).status == 200
    move = {"bulk_edit": {"query": "#1", "command": f"project:{there}"}}
    assert ada.post(f"/projects/{harbour}/bulk_edit", move).item["count"] == 1
    hidden, missing = (ada.post("/mail", with_proof(mail(cy.email, each))).item for each in addresses)
    assert (hidden["result"], hidden["reason"]) == (missing["result"], missing["reason"])


def test_a_link_that_ends_mail_does_not_show_a_hidden_ticket(reader, post, clock):
    reader.hear()
    reader.tell()
    clock.turn(minutes=3)
    link = next(
        message["list-unsubscribe"].strip("<>").partition("/unsubscribe")[2]
        for each, message in post.deliver()
        if reader.client.email in each
    )
    reader.lose()
    code, _, _ = link.rpartition("-")
    hidden, missing = (reader.world.client().get(f"/unsubscribe{each}") for each in (link, f"{code}-99"))
    assert (hidden.status, hidden.errors) == (missing.status, missing.errors)
    assert hidden.status == 404


def test_somebody_mentioned_who_does_not_see_the_ticket_is_not_told(world, ada, cy, harbour, post, clock):
    verify(world, cy)
    fields = {"title": "Leak", "private": True, "body": "Ask @cy"}
    ada.post(f"/projects/{harbour}/tickets", {"ticket": fields})
    read_events(world)
    clock.turn(minutes=3)
    assert (post.deliver(), unread(cy)) == ([], 0)


@pytest.mark.parametrize("is_known", [True, False])
def test_the_sender_of_a_mail_can_make_the_new_ticket_private(world, ada, nobody, harbour, is_known):
    assert ada.put(f"/projects/{harbour}/settings", {"settings": {"mail_from_anyone": True}}).status == 200
    gil = world.person("gil", "member")
    verify(world, gil)
    sender = gil.email if is_known else "dora@example.net"
    message = mail(sender, address_of(world, harbour), "The lock can be picked", "Leak [private:true]")
    ticket = f"/projects/{harbour}/tickets/{ada.post('/mail', with_proof(message)).item['number']}"
    assert [each.get(ticket).status for each in (ada, gil, nobody)] == [200, 200 if is_known else 404, 404]
    assert ada.get(ticket).item["private"] is True
