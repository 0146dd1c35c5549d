"""Answers to mails that cannot be used: one with the reason, and never to a program."""

from urllib.parse import urlencode

import pytest

from skerry.store.people import preferences
from skerry.tracker.mail.senders import MAX_ANSWERS_PER_DAY, MAX_PER_HOUR
from tests.mail.mails import address_of, mail, verify, with_proof
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
    assert "This project does not accept mail from this address" in text


def test_the_answer_is_in_the_language_of_its_reader(world, ada, cy, harbour, post):
    verify(world, cy)
    with world.write() as transaction:
        preferences.change(transaction, cy.user_id, language="de", time_zone="")
    ada.put(f"/projects/{harbour}", {"project": {"archived": True}})
    ada.post("/mail", with_proof(mail(cy.email, address_of(world, harbour))))
    ((_, message),) = post.deliver()
    assert "Deine Mail konnte nicht verarbeitet werden" in message.get_body(("plain",)).get_content()


@pytest.mark.parametrize("headers", [{"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}])
def test_a_program_is_never_answered(ada, to, post, headers):
    assert ada.post("/mail", mail(DORA, to, **headers)).item["answered"] is False
    assert post.deliver() == []


def test_whoever_did_not_send_a_mail_gets_no_answer(ada, to, post):
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


def test_an_answer_that_comes_back_does_nothing(ada, to, post):
    ada.post("/mail", mail(DORA, to))
    ((_, message),) = post.deliver()
    here = f"/mail?{urlencode({'to': to})}"
    assert ada.post(here, Mail(message.as_bytes())).item["result"] == "ignored"
    del message["auto-submitted"]
    again = ada.post(here, Mail(message.as_bytes())).item
    assert again["reason"] == "The mail seems to have been sent by a program (own message)"
    assert post.deliver() == []


def test_where_no_mails_are_sent_nobody_is_answered(ada, to):
    assert ada.post("/mail", mail(DORA, to)).item["answered"] is False


def test_the_ids_of_answers_do_not_tell_how_many_mails_are_sent(ada, to, post):
    for _ in range(2):
        ada.post("/mail", mail(DORA, to))
    first, second = (message["message-id"].split(".")[2].partition("@")[0] for _, message in post.deliver())
    assert abs(int(first) - int(second)) > 1000
