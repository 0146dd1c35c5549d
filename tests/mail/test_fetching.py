"""Incoming mail fetched by IMAP."""

import socket
from itertools import count
from unittest.mock import Mock
from urllib.parse import quote

import pytest
import trustme

from skerry import mail_settings
from skerry.errors import Unavailable
from skerry.failures import Failures
from skerry.mail.incoming import fetching, imap
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.fetching import Fetcher
from skerry.mail.incoming.parsing import BEGINNING, MAX_SIZE
from tests.mail.mails import address_of, mail
from tests.support import imap_server
from tests.support.imap_server import PASSWORD, USER
from tests.support.mail_server import Only
from tests.support.processes import free_port


def box(port, *, scheme="imap", password=PASSWORD, folder=""):
    place = f"{quote(USER, '')}:{quote(password, '')}@localhost:{port}{folder}"
    return mail_settings.mailbox(f"{scheme}://{place}")


class Process:
    """A process that fetches, and what it says."""

    def __init__(self, world, mailbox, data):
        instance = world.instance
        self.said, self.failed = [], []
        self.deliverer = Deliverer(instance.database, instance.blobs, instance.settings, self.said.append)
        self.data = data
        failures = Failures(data, self.said.append)
        self.fetch = Fetcher(mailbox, self.deliverer, failures, self._report)
        self.place = mailbox.place
        self.held = Only(self.deliverer.oldest_account())

    def _report(self, _name, error):
        self.failed.append(error)

    def round(self):
        self.fetch(self.held)


@pytest.fixture
def folder():
    with imap_server.running() as folder:
        yield folder


@pytest.fixture
def time(monkeypatch):
    """A clock of the processes, which is always a day further."""
    monkeypatch.setattr(fetching, "monotonic", count(1, 24 * 3600).__next__)


@pytest.fixture
def process(world, folder, time, tmp_path):
    return Process(world, box(folder.port), tmp_path)


def comments(ada, ticket):
    return [version["body"] for version in ada.get(ticket).item["versions"][1:]]


def test_a_mail_becomes_a_comment_and_is_marked_as_read(ada, ben, ticket, reply, folder, process):
    uid = folder.add(mail(ben.email, reply, "By IMAP").raw)
    process.round()
    process.round()
    assert (comments(ada, ticket), folder.flags[uid]) == (["By IMAP"], {r"\Seen"})
    assert (process.said, process.failed) == ([], [])


def test_a_mail_whose_mark_was_lost_is_one_comment(world, ada, ben, ticket, reply, folder, process):
    uid = folder.add(mail(ben.email, reply, "Once").raw)
    folder.breaks_at = "UID STORE"
    process.round()
    assert (comments(ada, ticket), folder.unread) == (["Once"], [uid])
    folder.breaks_at = "nothing"
    Process(world, box(folder.port), process.data).round()
    assert (comments(ada, ticket), folder.unread) == (["Once"], [])


def test_a_round_fetches_some_mails_and_the_next_one_the_rest(ada, ben, ticket, reply, folder, process):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "MAX", 2)
        uids = [folder.add(mail(ben.email, reply, f"Drop {number}").raw) for number in range(3)]
        process.round()
        assert folder.unread == uids[2:]
        process.round()
    assert comments(ada, ticket) == ["Drop 0", "Drop 1", "Drop 2"]


def test_a_huge_mail_is_refused_by_its_header(ben, reply, folder, process, post):
    uid = folder.add(mail(ben.email, reply).raw + b"x" * 100_000)
    folder.sizes[uid] = MAX_SIZE + 1
    process.round()
    ((_, answer),) = post.deliver()
    assert "too large" in answer.get_body(("plain",)).get_content()
    assert (folder.unread, f"<0.{BEGINNING}>" in folder.asked[-3]) == ([], True)


def test_a_mail_to_an_address_that_takes_none_is_marked_and_logged(world, ben, roof, folder, process):
    uids = [folder.add(mail(ben.email, to).raw) for to in ("news@example.org", address_of(world, roof))]
    process.round()
    assert folder.unread == []
    assert [sentence.partition(f" of {ben.email} was refused: ")[1] != "" for sentence in process.said] == [
        True for _ in uids
    ]


def test_a_mail_that_raises_an_error_is_flagged(ada, ben, ticket, reply, folder, process, monkeypatch):
    bad = folder.add(b"bad")
    folder.add(mail(ben.email, reply, "Good").raw)
    deliver = process.deliverer.deliver
    monkeypatch.setattr(
        process.deliverer, "deliver", lambda raw, **size: {}[raw] if raw == b"bad" else deliver(raw, **size)
    )
    process.round()
    assert (comments(ada, ticket), folder.unread) == (["Good"], [])
    assert (folder.flags[bad], len(process.failed)) == ({r"\Seen", r"\Flagged"}, 1)


def test_mails_stay_unread_while_the_database_is_away(ada, ben, ticket, reply, folder, process, monkeypatch):
    uid = folder.add(mail(ben.email, reply, "Later").raw)
    with monkeypatch.context() as patch:
        patch.setattr(process.deliverer, "deliver", Mock(side_effect=Unavailable))
        process.round()
    assert folder.unread == [uid]
    process.round()
    assert (comments(ada, ticket), folder.unread) == (["Later"], [])


def test_a_server_that_is_down_is_told_of_once_and_tried_less_and_less(world, monkeypatch, tmp_path):
    clock = Mock(return_value=0)
    monkeypatch.setattr(fetching, "monotonic", clock)
    port = free_port()
    process = Process(world, box(port), tmp_path)
    tries = []
    for clock.return_value in range(0, 1000, 10):
        before = process.fetch._tries
        process.round()
        if process.fetch._tries > before:
            tries.append(clock.return_value)
    assert tries == [0, 30, 90, 390]
    assert len(process.said) == 1
    with imap_server.running(port):
        clock.return_value = 10_000
        process.round()
    assert process.said[1:] == [f"Mails can be fetched from {process.place} again"]


def test_a_wrong_password_is_told_of_without_showing_it(world, folder, time, tmp_path):
    process = Process(world, box(folder.port, password="geheim"), tmp_path)
    process.round()
    process.round()
    (sentence,) = process.said
    assert sentence.endswith(f"from {process.place}: [AUTHENTICATIONFAILED] *** is no password")


def test_only_the_holder_of_the_oldest_accounts_lease_fetches(ben, reply, folder, process):
    uid = folder.add(mail(ben.email, reply).raw)
    for held in (Only(-1), Mock(accounts=frozenset())):
        process.fetch(held)
    assert (folder.unread, folder.asked) == ([uid], [])


def test_the_certificate_is_checked_and_a_folder_can_be_named(monkeypatch, tmp_path):
    authority = trustme.CA()
    with imap_server.running(authority=authority) as folder:
        folder.name = 'My "mails"'
        mailbox = box(folder.port, scheme="imaps", folder="/My%20%22mails%22")
        with pytest.raises(imap.MailboxDown, match="certificate"), imap.connect(mailbox):
            pass
        authority.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        with imap.connect(mailbox) as connection:
            assert connection.waiting() == []


def test_with_starttls_nothing_is_said_before_the_connection_is_encrypted(monkeypatch, tmp_path):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    with imap_server.running(authority=authority, starttls=True) as folder:
        with imap.connect(box(folder.port, folder="?starttls=yes")) as connection:
            assert connection.waiting() == []
        asked = [command.split()[0] for command in folder.asked]
        assert asked.index("STARTTLS") < asked.index("LOGIN")


def test_a_server_without_starttls_is_told_no_password_where_it_is_wanted(folder):
    mailbox = box(folder.port, folder="?starttls=yes")
    with pytest.raises(imap.MailboxDown, match="TLS not supported"), imap.connect(mailbox):
        pass
    assert not any("LOGIN" in command for command in folder.asked)


def test_a_server_that_does_not_respond_is_tried_again_later():
    with socket.create_server(("localhost", 0)) as silent:
        mailbox = box(silent.getsockname()[1])
        with pytest.raises(imap.MailboxDown, match="timed out"), imap.connect(mailbox, seconds=0.2):
            pass
