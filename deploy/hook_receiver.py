"""Receive events from a Skerry hook, and verify their signatures.

Run it with the secret of the hook, behind a proxy with TLS:

    SECRET=whsec_… python hook_receiver.py 9000

It needs only Python. Replace ``handle`` with your own code.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOLERANCE_SECONDS = 300
REMEMBERED = 10_000
LARGEST = 16 * 1024 * 1024

_seen: OrderedDict[str, None] = OrderedDict()


def handle(event: Mapping[str, Any], subject: Mapping[str, Any] | None) -> None:
    """Handle an event and its subject, which is None if it has been deleted."""
    title = (subject or {}).get("title", "")
    print(event["type"], event.get("url"), title, flush=True)


def is_signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Return whether a request was signed with the secret within five minutes of now."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    # There are two signatures for a day after the secret was replaced.
    return any(hmac.compare_digest(expected, each) for each in headers.get("webhook-signature", "").split())


class Receiver(BaseHTTPRequestHandler):
    """Answers requests from hooks."""

    def do_POST(self) -> None:
        """Receive an event. Without a valid signature, it gets 401. If handling fails, it comes again."""
        length = int(self.headers.get("content-length") or 0)
        if length > LARGEST:
            self._answer(413)
            return
        body = self.rfile.read(length)
        if not is_signed(os.environ["SECRET"], self.headers, body):
            self._answer(401)
            return
        message_id = self.headers["webhook-id"]
        # A delivery can arrive twice.
        if message_id not in _seen:
            sent = json.loads(body)
            event = sent.pop("event")
            handle(event, next(iter(sent.values()), None))
            _seen[message_id] = None
            if len(_seen) > REMEMBERED:
                _seen.popitem(last=False)
        self._answer(204)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
