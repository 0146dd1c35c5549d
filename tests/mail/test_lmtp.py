"""Incoming mail by LMTP."""

import smtplib
import stat
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from threading import Event, Thread

import pytest

from skerry.errors import Unavailable
from skerry.failures import Failures
from skerry.mail.incoming import lmtp
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.lmtp import Listener
from skerry.store.mail import incoming_mails
from skerry.tracker.mail.incoming import MAX_REFUSED_PER_HOUR
from tests.mail.mails import address_of, mail, reply_to
from tests.support.client import Mail
from tests.support.processes import PATIENCE, free_port, until


class Held:
    def __init__(self):
        self.stopping = Event()


@pytest.fixture
def deliverer(world):
    instance = world.instance
    return Deliverer(instance.database, instance.blobs, instance.settings)


def ignore(_name, _error):
    """Take reports of what a test does on purpose."""


@pytest.fixture
def said(deliverer, monkeypatch):
    """What the operator is told."""
    said = []
    monkeypatch.setattr(deliverer, "say", said.append)
    return said


def is_greeted(place):
    """Return whether a listener replies; its socket is there before anybody listens."""
    try:
        lmtp.greet(place)
    except OSError:
        return False
    return True


@contextmanager
def listening(place, data, deliverer, said=None):
    """Listen in a thread, and keep what is said to the operator."""
    held, said = Held(), [] if said is None else said
    listener = Listener(place, data, deliverer, ignore, Failures(data, said.append))
    thread = Thread(target=listener, args=(held,))
    with pytest.MonkeyPatch.context() as patch:
        # On a busy machine the library may wait too short a time for its own thread.
        patch.setenv("AIOSMTPD_CONTROLLER_TIMEOUT", str(PATIENCE))
        thread.start()
        try:
            yield
        finally:
            held.stopping.set()
            thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.fixture
def place(tmp_path, deliverer):
    path = str(tmp_path / "lmtp.sock")
    with listening(path, tmp_path, deliverer):
        until(lambda: is_greeted(path), "listening")
        yield path


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


def test_the_mail_server_bounces_nothing_if_replies_are_sent(world, ben, roof, place, post):
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
            Listener(f"127.0.0.1:{port}", tmp_path, deliverer, ignore, Failures(tmp_path))(Held())


def test_a_listener_that_cannot_listen_reports_it_once_and_starts_when_it_can(
    world, deliverer, tmp_path, monkeypatch
):
    monkeypatch.setattr(lmtp, "_PAUSE_SECONDS", 0)
    place, said = tmp_path / "missing" / "lmtp.sock", []
    sentence = f"Skerry cannot receive mail at {place}: No such file or directory"
    listener = Listener(str(place), tmp_path, deliverer, ignore, Failures(tmp_path, said.append))
    for _ in range(2):
        listener(Held())
    assert said == [sentence]
    assert Failures(tmp_path).all() == {"mail in": sentence}
    place.parent.mkdir()
    with listening(str(place), tmp_path, deliverer, said):
        until(lambda: len(said) == 2, "listening")
    assert (said[1], Failures(tmp_path).all()) == (f"Skerry can receive mail at {place} again", {})


def test_only_the_group_of_the_service_may_connect(place):
    # The socket is there a moment before its mode.
    until(lambda: stat.S_IMODE(Path(place).stat().st_mode) == 0o660, "the mode of the socket")


def test_an_unusual_sender_is_accepted_and_an_invalid_one_is_refused_with_a_sentence(
    world, ada, ben, reply, ticket, place, post
):
    unusual = Mail(mail(ben.email, reply).raw.replace(b"From: Somebody <", b"From: Berg, Ben <"))
    assert handed(place, ben.email, [reply], unusual) == {reply: 250}
    nobody = Mail(mail(ben.email, reply).raw.replace(b"From: Somebody <", b"From: ada@example.org, <"))
    assert handed(place, ben.email, [reply], nobody) == {reply: 550}
    assert len(comments(ada, ticket)) == 1
    assert post.deliver() == []


@pytest.fixture
def listed(world, ada, deliverer):
    """The mails that administrators of the account, and of the oldest one, see as not used."""

    def listed():
        with world.database.read(deliverer.oldest_account()) as transaction:
            oldest = [(each.email, each.reason) for each in incoming_mails.list_unused(transaction, 500)]
        own = [(each["email"], each["reason"]) for each in ada.get("/administration/unused-mails").items]
        return own + [each for each in oldest if each not in own]

    return listed


@pytest.fixture
def sender(world):
    return f"dora@{world.host}"


def test_a_recipient_that_is_refused_is_listed_once_and_logged(world, sender, place, said, listed):
    address = f"nobody@{world.host}"
    for _ in range(2):
        assert handed(place, sender, [address], mail(sender, address)) == {address: 550}
    (reason,) = [each[1] for each in listed() if each[0] == sender]
    # Versions of Python write the command in different cases.
    assert reason.lower() == f"rcpt to:<{address}>: 550 5.1.1 no recipient address accepts mail"
    assert said == [f"Mail of {sender} was refused: {reason}"] * 2


def replies_to(place, *commands):
    """Return what a listener replies to the last of some commands."""
    with smtplib.LMTP(place) as server:
        server.ehlo_or_helo_if_needed()
        return [server.docmd(command)[0] for command in commands][-1]


@pytest.mark.parametrize("command", ["FROM:<{}> SIZE=99999999", "FROM:<{}> COLOUR=blue", "FROM:{}>>"])
def test_a_mail_that_the_protocol_refuses_is_listed_and_logged(sender, place, said, listed, command):
    named = f"MAIL {command.format(sender)}"
    assert replies_to(place, named) >= 500
    ((email, reason),) = [each for each in listed() if sender in each[0]]
    assert reason.startswith(f"{named}: 5")
    assert said == [f"Mail of {email} was refused: {reason}"]


@pytest.mark.parametrize("command", ["TO:<{}> NOTIFY=NEVER", "TO:<>{}", "<{}>"])
def test_a_recipient_that_the_protocol_refuses_is_listed(sender, reply, place, listed, command):
    assert replies_to(place, f"MAIL FROM:<{sender}>", f"RCPT {command.format(reply)}") >= 500
    ((_, reason),) = [each for each in listed() if each[0] == sender]
    assert reason.startswith(f"RCPT {command.format(reply)}: 5")


def test_a_mail_whose_text_is_refused_is_listed_and_logged_once(world, ben, reply, place, said, listed):
    nobody = Mail(mail(ben.email, reply).raw.replace(b"From: Somebody <", b"From: ada@example.org, <"))
    before = listed()
    assert handed(place, ben.email, [reply], nobody) == {reply: 550}
    assert (len(listed()) - len(before), len(said)) == (1, 1)


@pytest.fixture
def narrow(tmp_path, deliverer, monkeypatch):
    """A listener that takes small mails only."""
    monkeypatch.setattr(lmtp, "MAX_SIZE", 5000)
    path = str(tmp_path / "narrow.sock")
    with listening(path, tmp_path, deliverer):
        until(lambda: is_greeted(path), "listening")
        yield path


def test_a_mail_that_is_too_large_is_refused_for_each_recipient_and_listed(
    world, ben, roof, ticket, narrow, listed
):
    recipients = [reply_to(world, ben, roof, 1), address_of(world, roof)]
    large = mail(ben.email, recipients[0], "wet\n" * 2000)
    assert handed(narrow, ben.email, recipients, large) == dict.fromkeys(recipients, 552)
    assert (ben.email, "DATA: 552 Error: Too much mail data") in listed()


def test_a_flood_of_refused_mails_is_logged_and_the_first_are_listed(
    world, sender, place, said, listed, clock
):
    # Hours before those of other tests, which are not to be crowded out.
    clock.turn(hours=-3)
    with smtplib.LMTP(place) as server:
        server.ehlo_or_helo_if_needed()
        server.mail(sender)
        for number in range(MAX_REFUSED_PER_HOUR + 5):
            server.rcpt(f"nobody{number}@{world.host}")
    assert len(said) == MAX_REFUSED_PER_HOUR + 5
    assert len(listed()) <= MAX_REFUSED_PER_HOUR
