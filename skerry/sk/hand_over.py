"""A token from the browser: a page makes it, and a code for it comes to a port of this machine."""

import hashlib
import secrets
import socket
import webbrowser
from base64 import urlsafe_b64encode
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import monotonic
from urllib.parse import parse_qs, urlencode, urlsplit

import click

from skerry.client import Client, ClientError, Record
from skerry.client.exchange import record_of
from skerry.sk.failures import Failure

_MINUTES = 5


class _Token(Record):
    """What the server gives for a code to who knows the verifier."""

    kind, path = "token_proof", "/profile/token-requests"

    token: str = ""


class _Listener(ThreadingHTTPServer):
    """Waits for an answer with the right state, and exchanges its code for a token."""

    daemon_threads = True

    def __init__(self, client: Client) -> None:
        """Listen at a free port, for answers of the client's server."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.timeout = 0.5
        self.state, self.verifier = secrets.token_hex(16), secrets.token_urlsafe(48)
        self.client, self.next = client, f"{client.url}/profile/tokens"
        self.first = Lock()
        self.outcome: str | Failure | ClientError | None = None

    def question(self) -> str:
        """Return the address of the page that asks."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "note": f"sk on {socket.gethostname()}",
            "port": self.server_port,
            "state": self.state,
            "challenge": urlsafe_b64encode(digest).decode().rstrip("="),
        }
        return f"{self.client.url}{_Token.path}/new?{urlencode(asked)}"

    def outcome_of(self, code: str) -> str | Failure | ClientError:
        """Return the token for a code, or why there is none; no code means that somebody refused."""
        if not code:
            return Failure("It was refused in the browser")
        try:
            body = {_Token.kind: {"verifier": self.verifier}}
            path = self.client.path(_Token, code, 0)
            return record_of(self.client.request("POST", path, json=body), _Token).token
        except ClientError as error:
            return error


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    timeout = 5

    def do_GET(self) -> None:
        """Take an answer, and lead the browser on to the tokens of the server."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        is_answer = {"code", "error"} & asked.keys()
        if not is_answer or not secrets.compare_digest(
            asked.get("state", "").encode(), self.server.state.encode()
        ):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        # A browser may send it twice, and the code works once.
        is_first = self.server.first.acquire(blocking=False)
        outcome = self.server.outcome_of(asked.get("code", "")) if is_first else None
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", self.server.next)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if is_first:
            self.server.outcome = outcome

    def log_message(self, *_words: object) -> None:
        """Print nothing on the terminal."""


def has_browser() -> bool:
    """Return whether a browser can be opened here."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def token_from_browser(client: Client) -> str:
    """Return the token that somebody allows in the browser; raises Failure or ClientError if they do not."""
    with _Listener(client) as listener:
        page = listener.question()
        click.echo(f"Allow this in the browser: {page}", err=True)
        click.echo("Or stop with Ctrl-C, and type a token: sk login --with-token", err=True)
        # A browser in the terminal returns when it is left.
        Thread(target=webbrowser.open, args=(page,), daemon=True).start()
        end = monotonic() + _MINUTES * 60
        while listener.outcome is None and monotonic() < end:
            listener.handle_request()
    outcome = listener.outcome or Failure(f"Nobody allowed it within {_MINUTES} minutes")
    if isinstance(outcome, str):
        return outcome
    raise outcome
