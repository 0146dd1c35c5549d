"""The receiver in deploy/ accepts signed events of hooks, and nothing else."""

import http.client
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from skerry.hooks.deliveries import sign
from skerry.tracker.sending.hooks import new_secret
from tests.support.processes import PATIENCE, free_port, until

RECEIVER = Path(__file__).parents[2] / "deploy" / "hook_receiver.py"
BODY = b'{"event":{"type":"ticket.created","url":"https://x"},"ticket":{"title":"Leak"}}'


@pytest.fixture
def receiver():
    """Return what posts to a running receiver, and what it has printed in the end."""
    secret, port = new_secret(), free_port()
    process = subprocess.Popen(
        [sys.executable, str(RECEIVER), str(port)], env={"SECRET": secret}, stdout=subprocess.PIPE, text=True
    )

    def post(headers, body=BODY):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("POST", "/", body, headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def listens():
        with suppress(OSError):
            return post({}) == 401

    def end():
        process.terminate()
        return process.communicate()[0]

    until(listens, "the receiver")
    yield secret, post, end
    process.kill()
    process.wait()


def test_the_receiver_accepts_each_signed_event_once(receiver):
    secret, post, end = receiver
    headers = sign([new_secret(), secret], "msg_1", int(time.time()), BODY)
    assert [post(headers), post(headers)] == [204, 204]
    assert end() == "ticket.created https://x Leak\n"


def test_the_receiver_refuses_forged_and_old_events(receiver):
    secret, post, end = receiver
    now = int(time.time())
    assert post(sign([new_secret()], "msg_1", now, BODY)) == 401
    assert post(sign([secret], "msg_1", now - 600, BODY)) == 401
    assert post(sign([secret], "msg_1", now, BODY), BODY + b" ") == 401
    assert end() == ""
