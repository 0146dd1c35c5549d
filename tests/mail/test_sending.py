"""Sending of mail to servers that are down, slow, strict or encrypted."""

import socket

import pytest
import trustme

from skerry import mail_settings
from skerry.mail import smtp
from skerry.mail.sender import MailSender
from skerry.store.mail import mails
from skerry.store.people import people
from skerry.tracker.mail import batching
from tests.conftest import PASSWORD, build_world
from tests.support import mail_server
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.mail_server import LOGIN, Everything, Post
from tests.support.processes import free_port

pytestmark = pytest.mark.matrix("databases")

MAILS = "/administration/mails"


def invite(in_person, *names):
    for name in names:
        address = f"{name}@example.org"
        in_person.post("/invitations", {"invitation": {"email": address, "role": "member"}})
    return [f"{name}@example.org" for name in names]


def test_a_server_that_is_down_for_an_hour_gets_everything_in_order(world, in_person, clock, monkeypatch):
    port = free_port()
    post = Post(world, mail_server.Server(port))
    monkeypatch.setattr(world.database, "mail", post.settings)
    wanted = invite(in_person, "dora", "emil", "fay")
    tried = 0
    for _ in range(240):  # every 15 seconds for an hour
        before = in_person_outage(world)
        post.deliver()
        tried += in_person_outage(world) != before
        clock.turn(seconds=15)
    assert 4 <= tried <= 6
    assert {mail["failure"] for mail in in_person.get(MAILS).items} != {""}
    clock.turn(hours=1)
    with mail_server.running(port) as server:
        post.server = server
        post.deliver()
        assert server.recipients == wanted
    assert in_person.get(MAILS).items == []
    assert in_person_outage(world) is None


def in_person_outage(world):
    with world.database.read(world.account_id) as transaction:
        return mails.outage(transaction)


def test_an_address_that_is_refused_for_good_holds_nobody_up_and_is_shown(post, server, in_person):
    server.answers["emil@example.org"] = "550 No such user here"
    invite(in_person, "dora", "emil", "fay")
    post.deliver()
    assert server.recipients == ["dora@example.org", "fay@example.org"]
    (aside,) = in_person.get(MAILS).items
    assert (aside["email"], aside["failure"]) == ("emil@example.org", "550 No such user here")
    assert (aside["set_aside_at"] is None, aside["due_at"]) == (False, None)
    assert post.deliver() == []
    server.answers.clear()
    assert in_person.post(f"{MAILS}/{aside['id']}/retry").item["set_aside_at"] is None
    assert [recipients for recipients, _ in post.deliver()] == [["emil@example.org"]]


def test_a_mail_that_is_refused_for_now_is_retried_for_days(post, server, in_person, clock):
    server.answers["emil@example.org"] = "451 Try again later"
    invite(in_person, "emil", "fay")
    post.deliver()
    assert server.recipients == ["fay@example.org"]
    for _ in range(10):
        clock.turn(hours=49)
        post.deliver()
    # The invitation has expired meanwhile, so nobody is told of it any more.
    assert (server.recipients, in_person.get(MAILS).items) == (["fay@example.org"], [])


def test_a_server_that_closes_has_refused_no_mail(world, post, server, in_person, clock):
    server.answers["dora@example.org"] = "421 Shutting down"
    wanted = invite(in_person, "dora", "fay")
    post.deliver()
    with world.database.read(world.account_id) as transaction:
        assert [mail.tries for mail in mails.due(transaction, 9)] == [0, 0]
    server.answers.clear()
    clock.turn(minutes=1)
    post.deliver()
    assert server.recipients == wanted


def test_a_mail_that_is_given_up_is_removed(post, server, in_person):
    server.answers["emil@example.org"] = "550 No"
    invite(in_person, "emil")
    post.deliver()
    at = f"{MAILS}/{in_person.get(MAILS).items[0]['id']}"
    assert (in_person.delete(at).status, in_person.get(at).status) == (200, 404)


def test_a_slow_server_gets_each_mail_once(post, server, in_person, monkeypatch):
    monkeypatch.setattr(server, "seconds", 0.2)
    wanted = invite(in_person, "dora", "emil")
    post.deliver()
    assert (post.deliver(), server.recipients) == ([], wanted)


def test_only_what_was_under_way_when_the_sender_died_is_sent_twice(post, server, in_person, monkeypatch):
    wanted = invite(in_person, "dora", "emil", "fay")
    real = mails.remove

    def dies(transaction, mail_id):
        if len(server.messages) == 2:
            raise KeyboardInterrupt
        return real(transaction, mail_id)

    monkeypatch.setattr(mails, "remove", dies)
    with pytest.raises(KeyboardInterrupt):
        post.deliver()
    monkeypatch.setattr(mails, "remove", real)
    post.deliver()
    assert server.recipients == [*wanted[:2], *wanted[1:]]
    assert server.messages[1][1]["message-id"] == server.messages[2][1]["message-id"]


def test_an_older_address_that_no_mail_can_have_is_set_aside_at_once(world, server, in_person, monkeypatch):
    post = Post(world, server)
    monkeypatch.setattr(world.database, "mail", post.settings)
    user_id = odd_person(world)
    with world.write() as transaction:
        mails.add(transaction, "verification", {}, user_id=user_id)
    invite(in_person, "fay")
    post.deliver()
    assert server.recipients == ["fay@example.org"]
    (unsent,) = in_person.get(MAILS).items
    assert unsent["failure"] == "Email must be an address such as ada@example.org"
    assert unsent["set_aside_at"]


def odd_person(world):
    with world.write() as transaction:
        user_id = people.add(transaction, f"{world.account_id}a,b@[x", "Odd", "")
        people.join_account(transaction, user_id, "member")
    return user_id


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_server_with_tls_and_a_password_is_checked(world, in_person, security, monkeypatch, tmp_path):
    authority = trustme.CA()
    user, password = (part.decode().replace("@", "%40").replace("/", "%2F") for part in LOGIN)
    with mail_server.running(authority=authority, tls=security == "tls", password=True) as server:
        scheme, option = ("smtps", "") if security == "tls" else ("smtp", "?starttls=yes")
        url = f"{scheme}://{user}:{password}@localhost:{server.port}{option}"
        post = Post(world, server, url)
        monkeypatch.setattr(world.database, "mail", post.settings)
        invite(in_person, "dora")
        post.deliver()
        assert server.recipients == [], "nobody vouches for it"
        assert "certificate" in in_person.get(MAILS).items[0]["failure"]
        authority.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        in_person.post(f"{MAILS}/1/retry")
        post.deliver()
        assert server.recipients == ["dora@example.org"]


def test_a_server_that_does_not_respond_is_tried_again_later():
    with socket.create_server(("localhost", 0)) as silent:
        server = mail_settings.smtp_server(f"smtp://localhost:{silent.getsockname()[1]}")
        with pytest.raises(smtp.ServerDown, match="timed out"), smtp.connect(server, seconds=0.2):
            pass


def test_administrators_see_on_a_page_what_waits_and_why(world, ada, post, server, in_person):
    server.answers["emil@example.org"] = "550 No such user here"
    invite(in_person, "emil")
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    assert "emil@example.org" in web.get("/administration/mails").text
    post.deliver()
    page = web.get("/administration/mails")
    assert "550 No such user here" in page.text
    server.answers.clear()
    web.submit(page, "/administration/mails/1/retry")
    post.deliver()
    assert "No mails are waiting." in web.get("/administration/mails").text


def test_a_mail_at_which_the_server_breaks_down_does_not_stop_the_others(post, server, in_person, clock):
    server.breaks_at = "emil@example.org"
    invite(in_person, "dora", "emil", "fay")
    for _ in range(3):
        post.deliver()
        clock.turn(minutes=1)
    post.deliver()
    assert server.recipients == ["dora@example.org", "fay@example.org"]
    (left,) = in_person.get(MAILS).items
    assert (left["email"], left["set_aside_at"]) == ("emil@example.org", None)


def test_an_error_in_one_account_does_not_stop_the_mails_of_others(world, ada, server, monkeypatch):
    other = build_world(world.instance, world.log, world.format)
    post, said = Post(world, server), []
    monkeypatch.setattr(world.database, "mail", post.settings)
    invite(world.client(**basic(ada.email, PASSWORD)), "dora")
    invite(other.client(**basic(other.people["ada"].email, PASSWORD)), "emil")
    monkeypatch.setattr(batching, "accounts_due", lambda _transaction: [world.account_id])
    monkeypatch.setattr(batching, "gather", lambda _transaction: 1 / 0)
    sender = MailSender(world.database, post.settings, lambda name, error: said.append((name, type(error))))
    for _ in range(3):
        sender(Everything())
    assert said == [(f"changes of account {world.account_id}", ZeroDivisionError)]
    # Mails of other accounts may wait, which other tests have made.
    assert {"dora@example.org", "emil@example.org"} <= set(server.recipients)
