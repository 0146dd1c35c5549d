"""Mails that a mail server hands over by LMTP."""

import smtplib
from contextlib import contextmanager
from itertools import product
from threading import Event, Thread

import pytest

from skerry.errors import Unavailable
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.lmtp import Listener
from tests.mail.mails import address_of, mail, reply_to
from tests.support.processes import free_port, until


class Held:
    def __init__(self):
        self.stopping = Event()


@pytest.fixture
def deliverer(world):
    instance = world.instance
    return Deliverer(instance.database, instance.blobs, instance.settings)


def ignore(_name, _error):
    """Take reports of what a test does on purpose."""


@contextmanager
def listening(place, data, deliverer):
    """Listen in a thread."""
    held = Held()
    thread = Thread(target=Listener(place, data, deliverer, ignore), args=(held,))
    thread.start()
    try:
        yield
    finally:
        held.stopping.set()
        thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def place(tmp_path, deliverer):
    path = tmp_path / "lmtp.sock"
    with listening(str(path), tmp_path, deliverer):
        until(path.exists, "listening")
        yield str(path)


@pytest.fixture
def away_for(deliverer, monkeypatch):
    """Lets the database be away for a while when something is done."""

    @contextmanager
    def away_for(name, error=Unavailable):
        def away(*_args):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(deliverer, name, away)
            yield

    return away_for


def comments(ada, ticket):
    return [version["body"] for version in ada.get(ticket).item["versions"][1:]]


def handed(place, sender, recipients, message, port=0):
    """Hand a mail over, and return the codes that its recipients got, at the end or before."""
    with smtplib.LMTP(place, port) as server:
        server.ehlo_or_helo_if_needed()
        server.mail(sender)
        codes = {recipient: server.rcpt(recipient)[0] for recipient in recipients}
        taken = [recipient for recipient, code in codes.items() if code == 250]
        if taken:
            content = message.raw.replace(b"\n", b"\r\n").replace(b"\n.", b"\n..")
            assert server.docmd("DATA")[0] == 354
            server.send(content + b".\r\n")
        return codes | {recipient: server.getreply()[0] for recipient in taken}


def test_each_recipient_gets_an_answer_of_its_own(world, ada, ben, roof, ticket, place):
    reply, project = reply_to(world, ben, roof, 1), address_of(world, roof)
    everybody = [reply, project, "nobody@tracker.example"]
    codes = handed(place, ben.email, everybody, mail(ben.email, reply, "By LMTP"))
    assert codes == dict(zip(everybody, (250, 550, 550), strict=True))
    assert comments(ada, ticket) == ["By LMTP"]


def test_a_forged_address_is_refused_at_once(world, ben, roof, ticket, place):
    reply = reply_to(world, ben, roof, 1)
    forged = reply.replace("reply+", "reply+a", 1)
    assert handed(place, ben.email, [forged], mail(ben.email, forged)) == {forged: 550}


def test_a_bounce_is_taken_and_does_nothing(world, ada, ben, roof, ticket, place):
    reply = reply_to(world, ben, roof, 1)
    assert handed(place, "", [reply], mail(ben.email, reply)) == {reply: 250}
    assert comments(ada, ticket) == []


def test_long_lines_and_dots_arrive(world, ada, ben, roof, ticket, place):
    reply, text = reply_to(world, ben, roof, 1), f"{'long ' * 2000}\n.\n..two\nend"
    assert handed(place, ben.email, [reply], mail(ben.email, reply, text)) == {reply: 250}
    (comment,) = comments(ada, ticket)
    assert [line[:5] for line in comment.splitlines()] == ["long ", ".", "..two", "end"]


def test_the_mail_server_keeps_a_mail_while_the_database_is_away(ada, ben, reply, ticket, place, away_for):
    message = mail(ben.email, reply)
    # What the program stumbles over is kept as well, until that is put right.
    for name, error in product(("deliver", "knows"), (Unavailable, KeyError)):
        with away_for(name, error):
            assert handed(place, ben.email, [reply], message) == {reply: 451}
    assert [handed(place, ben.email, [reply], message) for _ in range(2)] == [{reply: 250}] * 2
    assert len(comments(ada, ticket)) == 1


def test_where_mails_go_out_the_mail_server_bounces_nothing(world, ben, roof, place, post):
    project = address_of(world, roof)
    assert handed(place, ben.email, [project], mail(ben.email, project)) == {project: 250}
    assert len(post.deliver()) == 1


def test_one_process_listens_and_another_one_takes_over(world, ben, roof, ticket, deliverer, tmp_path):
    reply, port = reply_to(world, ben, roof, 1), free_port()

    def taken():
        try:
            return handed("127.0.0.1", ben.email, [reply], mail(ben.email, reply), port) == {reply: 250}
        except ConnectionRefusedError:
            return False

    for _ in range(2):
        with listening(f"127.0.0.1:{port}", tmp_path, deliverer):
            until(taken, "listening")
            # A second one does nothing, and is asked again in a second.
            Listener(f"127.0.0.1:{port}", tmp_path, deliverer, ignore)(Held())
