"""Receiving of bodies: slow, truncated, long, in pieces, too many, or refused."""

import io
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from skerry import app
from skerry.files.temporary_files import TemporaryFile
from skerry.web import bodies
from skerry.web.log import Log
from tests.support.client import FORM, JSON, NeverRead, call, parse
from tests.support.forms import file
from tests.support.processes import PATIENCE
from tests.web.test_attachments import attach

SECONDS = 1

CHUNKED = {"Transfer-Encoding": "chunked"}

TICKET = b'{"ticket": {"title": "Leak"}}'


@pytest.fixture
def hasty(world, ada):
    """Ada, where bodies have a second to begin with, and at most 4 MB."""
    settings = replace(world.instance.settings, body_seconds=SECONDS, body_limit=4_000_000)
    with app.build(settings, Log(stream=world.log)) as instance:
        ada.application = instance.application
        yield ada


@pytest.fixture
def post(hasty, roof):
    """Send the body of a new ticket."""

    def post(body, /, **headers):
        sent = {"Host": hasty.host, "Content-Type": JSON, **hasty.headers, **headers}
        return call(hasty.application, "POST", f"/projects/{roof}/tickets.json", body=body, headers=sent)

    return post


class Stuck(io.BytesIO):
    """A body whose end does not come before the test is over."""

    def __init__(self, content, over):
        super().__init__(content)
        self._over = over

    def read(self, size=-1):
        piece = super().read(size)
        if not piece:
            self._over.wait(PATIENCE)
        return piece


@pytest.fixture
def stuck():
    """Return a body that begins and does not end."""
    over = Event()
    yield lambda content: Stuck(content, over)
    over.set()


def padded(size):
    """Return a ticket in JSON of a given size."""
    return b'{"ticket": {"title": "Leak", "unknown": "%s"}}' % (b"x" * size)


# --- Time ------------------------------------------------------------------------------------------


def test_a_body_that_does_not_arrive_in_time_gets_408_and_ends_the_connection(post, stuck):
    answer = post(stuck(TICKET), **{"Content-Length": "100"})
    assert (answer.status, answer.headers["connection"]) == (408, "close")
    assert parse(answer.body)["errors"] == ["The request took too long to arrive"]


def test_a_body_gets_more_time_as_it_arrives(post, monkeypatch):
    # What comes at the beginning is enough for a minute.
    monkeypatch.setattr(bodies, "BYTES_A_SECOND", 10)

    class Steady(io.BytesIO):
        def read(self, _size=-1):
            time.sleep(SECONDS / 2 if self.tell() else 0)
            return super().read(600)

    assert post(Steady(padded(2000)), **CHUNKED).status == 201


def test_a_body_that_is_cut_is_400_and_changes_nothing(hasty, roof, post):
    answer = post(io.BytesIO(TICKET[:-5]), **{"Content-Length": str(len(TICKET))})
    assert (answer.status, hasty.get(f"/projects/{roof}/tickets").items) == (400, [])


# --- Size ------------------------------------------------------------------------------------------


def test_a_body_that_says_that_it_is_too_large_is_413_before_it_is_read(post):
    answer = post(NeverRead(), **{"Content-Length": "4000001"})
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    assert parse(answer.body)["errors"] == ["The request is too large (at most 4 MB)"]


def test_a_body_that_turns_out_too_large_is_413(post):
    assert post(io.BytesIO(padded(4_000_000)), **CHUNKED).status == 413


def test_a_long_body_is_spooled_to_a_file_that_is_removed(world, post):
    waiting = world.instance.settings.data / "uploads"
    seen = []

    class Looking(io.BytesIO):
        def read(self, size=-1):
            seen.append(open_files_in(waiting))
            return super().read(size)

    assert post(Looking(padded(2 * bodies.MEMORY)), **CHUNKED).status == 201
    assert (seen[0], seen[-1]) == (0, 1)
    left = [path.name for path in waiting.iterdir() if path.suffix != ".lock"]
    assert (open_files_in(waiting), left) == (0, [])


def open_files_in(folder):
    """Return how many files of a folder this process has open, with a name or without."""
    links = Path("/proc/self/fd")
    if not links.exists():
        pytest.skip("the system does not tell which files are open")
    found = 0
    for link in links.iterdir():
        try:
            found += folder in link.readlink().parents
        except FileNotFoundError:
            continue  # the one with which the folder was listed
    return found


def test_a_form_that_comes_in_pieces_is_read(hasty, roof, post):
    class Pieces(io.BytesIO):
        def read(self, _size=-1):
            return super().read(7)

    answer = post(Pieces(b"ticket[title]=Leak+in+pieces"), **CHUNKED, **{"Content-Type": FORM})
    assert answer.status == 201
    assert hasty.get(f"/projects/{roof}/tickets/1").item["title"] == "Leak in pieces"


def test_others_are_answered_while_a_file_is_brought_to_the_disk(ada, roof, written, monkeypatch):
    statuses, write = written
    to_disk = TemporaryFile.finish

    def slowly(temporary_file):
        write()
        to_disk(temporary_file)

    with monkeypatch.context() as patch:
        patch.setattr(TemporaryFile, "finish", slowly)
        attach(ada, roof, file(b"x" * 1000))
    assert set(statuses) == {201}


# --- All bodies together ---------------------------------------------------------------------------


def test_a_body_is_refused_with_503_while_too_many_others_arrive(post, monkeypatch):
    monkeypatch.setattr(bodies, "MAX_INCOMING", 10_000)
    answer = post(padded(20_000))
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert parse(answer.body)["errors"] == [bodies.BUSY]
    # What came of it no longer counts.
    assert [post(padded(9_000)).status for _ in range(3)] == [201] * 3


# --- Refused bodies --------------------------------------------------------------------------------


def test_the_body_of_a_refused_request_is_read_so_that_its_sender_reads_the_answer(post):
    body = io.BytesIO(padded(1_000_000))
    answer = post(body, **{"Content-Length": str(len(body.getvalue())), "X-ServiceToken": "0" * 40})
    assert (answer.status, answer.headers.get("connection"), body.read()) == (401, None, b"")


def test_a_refused_body_that_does_not_end_ends_the_connection(post, stuck):
    answer = post(stuck(TICKET), **CHUNKED, **{"X-ServiceToken": "0" * 40})
    assert (answer.status, answer.headers["connection"]) == (401, "close")


def test_a_refused_body_that_is_huge_is_not_read_and_ends_the_connection(post):
    body = io.BytesIO(b"x" * 1000)
    answer = post(body, **{"Content-Length": str(bodies.REST + 1)})
    assert (answer.status, answer.headers["connection"], body.tell()) == (413, "close", 0)


def test_a_refused_client_gets_no_100_continue(post):
    answer = post(NeverRead(), **{"Content-Length": "100", "X-ServiceToken": "0" * 40})
    assert (answer.status, answer.headers["connection"]) == (401, "close")


def test_an_accepted_client_gets_100_continue(post):
    assert post(TICKET, Expect="100-continue").status == 201
