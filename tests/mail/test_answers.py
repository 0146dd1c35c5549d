"""Replies to refused mail: one with the reason, and never to a program."""

from urllib.parse import urlencode

import pytest

from skerry.mail.incoming.delivery import Deliverer
from skerry.store.mail import incoming_mails
from skerry.store.people import preferences
from skerry.tracker.mail.incoming import NOWHERE
from skerry.tracker.mail.senders import MAX_ANSWERS_PER_DAY, MAX_PER_HOUR
from tests.conftest import PASSWORD
from tests.mail.mails import address_of, mail, verify, with_proof
from tests.support.browser_client import WebClient
from tests.support.client import Mail

pytestmark = pytest.mark.matrix("both")

DORA = "dora@example.net"


@pytest.fixture
def to(world, roof):
    """The address of a project that takes no mails from strangers."""
    return address_of(world, roof)


def test_a_mail_that_cannot_be_used_is_answered_once_with_the_reason(ada, to, post):
    refused = mail(DORA, to, subject="Wet\tceiling", **{"Message-ID": "<wet@example.net>"})
    assert ada.post("/mail", refused).item["answered"] is True
    ada.post("/mail", refused)
    ((recipients, message),) = post.deliver()
    assert recipients == [DORA]
    assert (message["subject"], message["in-reply-to"]) == ("Re: Wet ceiling", "<wet@example.net>")
    assert message["auto-submitted"] == "auto-replied"
    text = " ".join(message.get_body(("plain",)).get_content().split())
    assert "the mail server could not verify the sender" in text


def test_the_answer_is_in_the_language_of_its_reader(world, ada, ben, roof, to, post):
    verify(world, ben)
    with world.write() as transaction:
        preferences.change(transaction, ben.user_id, language="de", time_zone="")
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    ada.post("/mail", with_proof(mail(ben.email, to)))
    ((_, message),) = post.deliver()
    assert "Deine Mail konnte nicht verarbeitet werden" in message.get_body(("plain",)).get_content()


@pytest.mark.parametrize("headers", [{"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}])
def test_automatic_mail_is_never_answered(ada, to, post, headers):
    assert ada.post("/mail", mail(DORA, to, **headers)).item["answered"] is False
    assert post.deliver() == []


def test_only_senders_of_mail_get_an_answer(ada, to, post):
    ada.post("/mail", with_proof(mail(DORA, to), "fail"))
    assert post.deliver() == []


def test_two_programs_that_answer_each_other_stop(ada, to, post):
    """The other one answers everything, each time anew, and says nowhere that it is a program."""
    answers = 0
    for _ in range(MAX_PER_HOUR + 10):
        ada.post("/mail", mail(DORA, to, "I am away until Monday", "Away"))
        answered = len(post.deliver())
        answers += answered
        if not answered:
            break
    assert answers == MAX_ANSWERS_PER_DAY


def test_a_bounced_reply_does_nothing(ada, to, post):
    ada.post("/mail", mail(DORA, to))
    ((_, message),) = post.deliver()
    here = f"/mail?{urlencode({'to': to})}"
    assert ada.post(here, Mail(message.as_bytes())).item["result"] == "ignored"
    del message["auto-submitted"]
    again = ada.post(here, Mail(message.as_bytes())).item
    assert again["reason"] == "The mail seems to have been sent by a program (own message)"
    assert post.deliver() == []


def test_nobody_gets_a_reply_if_mail_is_off(ada, to):
    assert ada.post("/mail", mail(DORA, to)).item["answered"] is False


def test_the_ids_of_answers_do_not_tell_how_many_mails_are_sent(ada, to, post):
    for _ in range(2):
        ada.post("/mail", mail(DORA, to))
    first, second = (message["message-id"].split(".")[2].partition("@")[0] for _, message in post.deliver())
    assert abs(int(first) - int(second)) > 1000


@pytest.mark.parametrize(
    ("sender", "headers", "reason"),
    [
        ("nobody", {}, "The message must have exactly one sender"),
        (f"{DORA}, emil@example.net", {}, "The message must have exactly one sender"),
        ("no-reply@example.net", {}, "members"),
        (DORA, {"Precedence": "bulk"}, "members"),
    ],
)
def test_a_refused_mail_that_gets_no_reply_bounces(world, to, post, sender, headers, reason):
    raw = mail(DORA, to, **headers).raw.replace(
        f"From: Somebody <{DORA}>".encode(), f"From: {sender}".encode()
    )
    deliverer = Deliverer(world.database, world.instance.blobs, world.instance.settings)
    results = deliverer.deliver(raw)
    assert (results[0].result, results[0].answered) == ("refused", False)
    assert reason in deliverer.bounces(results)
    assert post.deliver() == []


def test_a_mail_that_gets_a_reply_does_not_bounce(world, to, post):
    deliverer = Deliverer(world.database, world.instance.blobs, world.instance.settings)
    assert deliverer.bounces(deliverer.deliver(mail(DORA, to).raw)) is None
    assert len(post.deliver()) == 1


def test_administrators_see_what_was_refused_or_ignored_and_why(world, ada, ben, to):
    said = []
    deliverer = Deliverer(world.database, world.instance.blobs, world.instance.settings, said.append)
    for headers in ({"subject": "First"}, {"subject": "Second", "Auto_Submitted": "auto-replied"}):
        message = mail(DORA, to, **headers)
        for _ in range(2):
            deliverer.deliver(message.raw)
    unused = ada.get("/administration/unused-mails").items
    assert [(each["email"], each["subject"], each["result"]) for each in unused] == [
        (DORA, "Second", "ignored"),
        (DORA, "First", "refused"),
    ]
    assert "members" in unused[1]["reason"]
    assert len(said) == 4
    assert f" of {DORA} was refused: This project" in said[0]
    assert ben.get("/administration/unused-mails").status == 403


def test_the_page_of_mails_shows_what_was_not_used(world, ada, to):
    ada.post("/mail", mail(DORA, to, subject="First"))
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    assert f"{DORA} · First refused" in " ".join(web.get("/administration/mails").text.split())


def test_a_mail_to_no_address_is_listed_in_the_oldest_account(world):
    said = []
    deliverer = Deliverer(world.database, world.instance.blobs, world.instance.settings, said.append)
    message = mail(DORA, "nobody@tracker.example", **{"Message-ID": "<lost@example.net>"})
    assert deliverer.deliver(message.raw) == []
    assert said == [f"Mail <lost@example.net> of {DORA} was refused: {NOWHERE}"]
    with world.database.read(deliverer.oldest_account()) as transaction:
        assert NOWHERE in [each.reason for each in incoming_mails.list_unused(transaction, 500)]
