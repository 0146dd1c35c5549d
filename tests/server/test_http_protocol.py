"""HTTP as bytes on a connection, cut anywhere."""

import asyncio
import re
from logging import ERROR

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from skerry.http_protocol import HEADER_BYTES, Protocol
from tests.support import loops

UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\nUpgrade: h2c\r\n"
SENT = b"POST /one HTTP/1.1\r\nHost: a\r\n%sContent-Length: 9\r\n\r\nc\r\n\r\nbody" % UPGRADE
CHUNKED = (
    b"POST /two HTTP/1.1\r\nHost: a\r\n%sTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nc\r\n\r\n\r\n4\r\nbody\r\n0\r\nTrailer: x\r\n\r\n" % UPGRADE
)
READ = b"GET /three HTTP/1.1\r\nHost: a\r\n%s\r\n" % UPGRADE
ECHOED = b"c\r\n\r\nbody"


class Wire:
    """A transport that keeps what is written and, as uvloop's, refuses it once it is closed."""

    def __init__(self):
        self.written, self.closed, self.limits = b"", False, None

    def write(self, data):
        if self.closed:
            raise RuntimeError("the handler is closed")
        self.written += data

    def close(self):
        self.closed = True

    abort = close

    def is_closing(self):
        return self.closed

    def get_extra_info(self, _name):
        return None

    def set_write_buffer_limits(self, high):
        self.limits = high

    def get_write_buffer_size(self):
        return 0

    def pause_reading(self):
        assert not self.closed

    resume_reading = pause_reading


async def echo(scope, receive, send):
    """Answer with the method, the path, the host and the body."""
    body, more = b"", True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            break
        body, more = body + event["body"], event["more_body"]
    host = dict(scope["headers"]).get(b"host", b"")
    said = b"%s %s %s %s." % (scope["method"].encode(), scope["path"].encode(), host, body)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": said})


@pytest.fixture(scope="module")
def config():
    config = Config(echo, http=Protocol, ws="none", lifespan="off", log_config=None)
    config.load()
    return config


def written(config, *pieces, leaves=False):
    """Return what is written when a request arrives in pieces."""

    async def converse():
        wire, state = Wire(), ServerState()
        protocol = Protocol(config=config, server_state=state, app_state={})
        protocol.connection_made(wire)
        for piece in pieces:
            protocol.data_received(piece)
            await asyncio.sleep(0)
        if leaves:
            wire.closed = True
            await asyncio.sleep(0)
        for _ in range(0 if leaves else 9):
            await asyncio.gather(*state.tasks)
        protocol.connection_lost(None)
        await asyncio.gather(*state.tasks)
        return wire.written

    return loops.run(converse())


def answered(config, *pieces, leaves=False):
    """Return the statuses and the texts of the answers to what arrives in pieces."""
    answers = written(config, *pieces, leaves=leaves)
    return [int(status) for status in re.findall(rb"HTTP/1.1 (\d+) ", answers)], re.findall(
        rb"(?s)[0-9a-f]+\r\n([A-Z]+ /.*?)\.\r\n0\r\n", answers
    )


def test_an_upgrade_is_ignored_wherever_the_request_is_cut(config):
    whole = SENT + READ + CHUNKED + SENT + READ
    said = [b"POST /one a " + ECHOED, b"GET /three a ", b"POST /two a " + ECHOED]
    for cut in range(len(whole) + 1):
        assert answered(config, whole[:cut], whole[cut:]) == ([200] * 5, said + said[:2]), cut
    for size in (1, 2, 3, 5):
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert answered(config, *pieces) == ([200] * 5, said + said[:2]), size


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /\r\n", 505),
        (b"GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
        (b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        (b"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: a\n\n", 400),
        (b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"GET http://[/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n" % (b"x" * HEADER_BYTES), 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\n%s\r\n" % (b"X: y\r\n" * (HEADER_BYTES // 6)), 431),
        (b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"x" * HEADER_BYTES), 431),
    ],
)
def test_a_request_that_is_refused_leaves_a_line_and_the_answers_before_it(config, caplog, request_, status):
    for size in (len(request_), 1000, 7):
        pieces = [request_[start : start + size] for start in range(0, len(request_), size)]
        assert answered(config, *pieces) == ([status], [])
    reasons = [record.getMessage() for record in caplog.records if record.levelno >= ERROR]
    assert [reason.partition(f": {status} ")[0] for reason in reasons] == ["Refused a request from ?"] * 3
    before, said = answered(config, SENT + request_ + READ)
    assert (before[0], said) == (200, [b"POST /one a " + ECHOED])


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"BREW /a.%s HTTP/1.1\r\n", 400),
        (b"GET /a.%s HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        (b"GET /a.%%s?q=%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"x" * HEADER_BYTES), 431),
        (b"GET /a.%%s HTTP/1.1\r\nX: %s" % (b"x" * HEADER_BYTES), 431),
    ],
)
def test_a_refusal_before_the_application_says_why_in_the_format_of_the_address(config, start, status):
    for kind, opening in ((b"json", b'{"errors":["The '), (b"xml", b"<?xml ")):
        head, _, body = written(config, start % kind).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status)
        assert b"content-type: application/%s; charset=utf-8\r\n" % kind in head
        assert body.startswith(opening)


def test_a_request_that_can_never_be_answered_is_not_to_be_sent_again(config):
    assert b"retry-after" not in written(config, b"GET / HTTP/2.0\r\nHost: a\r\n\r\n")


@pytest.mark.parametrize(
    ("target", "host", "path"),
    [(b"http://b", b"b", b"/"), (b"HTTP://u@b:81/x", b"b:81", b"/x"), (b"/x", b"a", b"/x")],
)
def test_the_host_of_an_absolute_target_wins(config, target, host, path):
    said = [b"GET %s %s " % (path, host)]
    assert answered(config, b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % target)[1] == said
    if path != target:
        assert answered(config, b"GET %s HTTP/1.0\r\n\r\n" % target)[1] == said
    assert answered(config, b"GET %s HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n" % target)[0] == [200]


def test_a_client_that_leaves_at_any_moment_leaves_no_traceback(config, caplog):
    whole = SENT + CHUNKED + READ
    for cut in range(0, len(whole), 3):
        answered(config, whole[:cut], leaves=True)
        answered(config, SENT, whole[:cut], leaves=True)
    assert not caplog.records
