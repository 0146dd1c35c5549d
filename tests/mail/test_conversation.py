"""Outgoing mail, and replies to it."""

from dataclasses import replace

import pytest

from skerry.store.people import preferences
from skerry.tracker.mail import senders
from tests.conftest import MAIL_HOST
from tests.support.client import Mail
from tests.support.readers import read_events
from tests.web.test_events import happened

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def told(world, ada, ben, roof, clock, post, monkeypatch):
    """The mail that Ben gets of a ticket of Ada's."""
    monkeypatch.setattr(world.database, "mail", replace(post.settings, reply_host=MAIL_HOST))
    with world.write() as transaction:
        preferences.verify(transaction, ben.user_id, ben.email)
    level = {"notification_settings": {"level": "everything"}}
    ben.put(f"/projects/{roof}/notification_settings", level)
    ada.post(
        f"/projects/{roof}/tickets", {"ticket": {"title": "Rain", "body": "Since when?\n\nOver the stairs"}}
    )
    read_events(world)
    clock.turn(minutes=3)
    ((_, message),) = post.deliver()
    return message


def quoted(message):
    return "\n".join(f"> {line}" for line in message.get_body(("plain",)).get_content().splitlines())


def answer(ben, told, text):
    head = f"From: Ben <{ben.email}>\nTo: {told['reply-to']}\nSubject: Re: {told['subject']}"
    thread = f"Message-ID: <answer@example.org>\nIn-Reply-To: {told['message-id']}"
    return Mail(f"{head}\n{thread}\n\n{text}\n".encode())


OWN = "Since May [state:open]"
FORMS = {
    "top": OWN + "\n\nOn Wed, 25 Nov 2026 at 10:02, Ada <skerry@tracker.example> wrote:\n\n{quoted}",
    "bottom": "Am 25.11.26 um 10:02 schrieb Ada:\n{quoted}\n\n" + OWN + "\n\n-- \nBen",
    "unmarked": OWN + "\n\nFrom: Skerry <skerry@tracker.example>\nSent: today\nTo: Ben\n\n{plain}",
}


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_to_a_mail_is_a_comment_without_what_it_quotes(world, ada, ben, roof, told, form):
    plain = told.get_body(("plain",)).get_content()
    text = FORMS[form].format(quoted=quoted(told), plain=plain)
    assert ada.post("/mail", answer(ben, told, text)).item["result"] == "comment"
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    # Below the first sign of a mail from here, nothing is a command.
    state = "new" if form == "bottom" else "open"
    assert (ticket["versions"][1]["body"], ticket["state"]) == (OWN, state)
    assert happened(world)[-1]["via"] == "mail"


def test_a_forwarded_mail_does_not_reveal_the_reply_address_of_its_reader(ada, ben, roof, told):
    header = f"Subject: Rain\nFrom: Skerry\nTo: Ben\nReply-To: {told['reply-to']}"
    text = f"Look\n\n---------- Forwarded message ---------\n{header}\n\nSince when?"
    assert ada.post("/mail", answer(ben, told, text)).item["result"] == "comment"
    said = ada.get(f"/projects/{roof}/tickets/1").item["versions"][1]["body"]
    assert "Reply-To: reply+…@" in said
    assert told["reply-to"] not in said


def test_a_bounced_mail_does_nothing(ada, told):
    lists = [name for name in told if name.startswith("List-")]
    for name in ("auto-submitted", "precedence", *lists):
        del told[name]
    raw = f"Delivered-To: {told['reply-to']}\n".encode() + told.as_bytes()
    result = ada.post("/mail", Mail(raw)).item
    assert result["reason"] == "The mail seems to have been sent by a program (own message)"


def test_two_programs_that_answer_each_others_comments_stop(world, ada, ben, told, clock, post, monkeypatch):
    """They answer each mail at once, and say nowhere that they are programs."""
    monkeypatch.setattr(senders, "MAX_PER_DAY_AND_TICKET", 5)
    with world.write() as transaction:
        preferences.verify(transaction, ada.user_id, ada.email)
    waiting, handed_in = [told], 0
    while waiting and handed_in < 60:
        message = waiting.pop(0)
        client = ada if ada.email in message["to"] else ben
        handed_in += 1
        head = f"From: {client.email}\nTo: {message['reply-to']}\nSubject: Re: {message['subject']}"
        ada.post("/mail", Mail(f"{head}\nMessage-ID: <{handed_in}@example.org>\n\nI am away\n".encode()))
        read_events(world)
        clock.turn(minutes=3)
        waiting += [each for _, each in post.deliver()]
    assert (waiting, handed_in) == ([], 11)
