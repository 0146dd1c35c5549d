"""One attempt to deliver a payload: the request, the response and its meaning."""

import asyncio
import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from importlib.metadata import version
from time import perf_counter

import httpx

from skerry.database.transactions import SECOND
from skerry.hooks.problems import in_words
from skerry.hooks.transport import Refused, Transport
from skerry.tracker.sending import hook_addresses
from skerry.wire.values import UNSTORABLE

SECONDS = 10
"""The timeout for a receiver's response, in seconds."""

KEPT = 4096
"""How many bytes of a request and of a response are logged."""

_LONGEST = 255

_SUCCESS = range(200, 300)
_GONE = 410
# Too many requests; bad gateway, unavailable, and gateway timeout: about the receiver and not the event.
_UNAVAILABLE = (429, 502, 503, 504)

_AGENT = f"Skerry/{version('skerry')}"

# Not logged: these hold secrets of the receiver.
_SECRET = {"set-cookie", "authorization", "proxy-authenticate"}


class Kind(Enum):
    """The result of an attempt."""

    DELIVERED = auto()
    UNREACHED = auto()
    """No response, or one that says that the receiver is temporarily unavailable."""
    REFUSED = auto()
    """The receiver gave an error, perhaps because of this payload alone."""
    GONE = auto()
    """The receiver asks for no further deliveries."""
    BROKEN = auto()
    """The request could not be made, because of an internal error."""


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt, as the log and the schedule need it."""

    kind: Kind
    status: int | None = None
    milliseconds: int | None = None
    request: str = ""
    answer: str = ""

    @property
    def said(self) -> str:
        """Return the error in one line of at most 255 characters; empty after a success."""
        return "" if self.kind is Kind.DELIVERED else self.problem[:_LONGEST]

    @property
    def problem(self) -> str:
        """Return the error in one line."""
        return self.answer.partition("\n")[0]


async def deliver(
    transport: Transport, url: str, secrets: Iterable[str], message_id: str, now: int, body: bytes
) -> Outcome:
    """Post a body, signed with the time ``now`` in microseconds, and return the outcome."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": _AGENT,
        "Accept-Encoding": "identity",
        **sign(secrets, message_id, now // SECOND, body),
    }
    request = httpx.Request("POST", url, headers=headers, content=body)
    began, status, kind = perf_counter(), None, Kind.UNREACHED
    try:
        async with asyncio.timeout(SECONDS):
            status, answer = await _answered(transport, request)
        kind = _meaning(status)
    except TimeoutError:
        answer = f"No answer within {SECONDS} seconds"
    except Refused as error:
        answer = str(error)
    except (OSError, httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        answer = in_words(error)
    milliseconds = round((perf_counter() - began) * 1000)
    path = request.url.raw_path.decode("ascii", "replace").removeprefix("/")
    # Some receivers repeat it.
    shown = hook_addresses.masked_text(path)
    answer = answer.replace(path, shown) if path else answer
    return Outcome(kind, status, milliseconds, _shown_request(request, shown, body), _storable(answer))


async def _answered(transport: Transport, request: httpx.Request) -> tuple[int, str]:
    """Return the status of the response, and its beginning as text."""
    response = await transport.handle_async_request(request)
    body = b""
    try:
        # The status is the answer, also if the connection breaks within the body.
        with suppress(OSError, httpx.HTTPError):
            async for piece in response.stream:  # type: ignore[union-attr] # async, as its transport is
                body += piece
                if len(body) >= KEPT:
                    break
    finally:
        # Closes the connection if more of the body follows.
        await response.aclose()
    lines = [f"HTTP/1.1 {response.status_code} {response.reason_phrase}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items() if name not in _SECRET]
    text = "\n".join(lines).encode("utf-8", "replace") + b"\n\n" + body
    return response.status_code, text[:KEPT].decode("utf-8", "ignore")


def _meaning(status: int) -> Kind:
    if status in _SUCCESS:
        return Kind.DELIVERED
    if status == _GONE:
        return Kind.GONE
    return Kind.UNREACHED if status in _UNAVAILABLE else Kind.REFUSED


def _shown_request(request: httpx.Request, path: str, body: bytes) -> str:
    lines = [f"POST /{path} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers.items())]
    return _storable(("\n".join(lines).encode() + b"\n\n" + body)[:KEPT].decode("utf-8", "ignore"))


def _storable(text: str) -> str:
    return UNSTORABLE.sub("\ufffd", text)


PREFIX = "whsec_"


def sign(secrets: Iterable[str], message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that sign a body at a time, with one signature for each secret."""
    content = b".".join((message_id.encode(), str(seconds).encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(_signature(secret, content) for secret in secrets),
    }


def _signature(secret: str, content: bytes) -> str:
    key = b64decode(secret.removeprefix(PREFIX))
    return f"v1,{b64encode(hmac.digest(key, content, 'sha256')).decode()}"
