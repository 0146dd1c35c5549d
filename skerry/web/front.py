"""The front door: what is decided about a request before any of it is understood.

It takes the format off the path, works out the address that the caller used, gives the request
an id, and writes the one line in the log when the answer is on its way.
"""

import random
import re
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, NamedTuple
from urllib.parse import quote

from skerry.config import Settings
from skerry.web import throttling
from skerry.web.cors import Cors
from skerry.web.log import Log
from skerry.web.metrics import METHODS, ROUTE, Metrics
from skerry.wire.formats import FORMATS

Environment = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environment, StartResponse], Iterable[bytes]]

KEY = "skerry.arrival"

_LONGEST_EXTENSION = 16
_ORIGIN = re.compile(r"https?://[^/]*", re.IGNORECASE)
_FILES = ("/attachments/", "/static/")
# Where feed readers of old look for what happened lately.
_OLD_FEED = "/events.atom"
# Revisions have dots in them, and whatever follows the last one may be part of them.
_REVISION = re.compile(r"/projects/[^/]+/changesets/[^/]+")
# A token, which has forty digits, is none; the ids of proxies and traces have up to 32.
_REQUEST_ID = re.compile(r"(?!.*[0-9a-fA-F]{40})[A-Za-z0-9_.-]{1,64}")
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?:(?P<port>:[0-9]{1,5})|:)?")
# Of these a client need not say any host; granian calls HTTP/1.0 the former.
_WITHOUT_HOST = ("HTTP/1", "HTTP/1.0")
# As some proxies name a caller: with the port, which is another one for each connection.
_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
# No name is longer than 253 characters. Hosts are remembered, and nobody is to fill the memory with them.
_LONGEST_HOST = 253 + len(":65535")
_SECRET = re.compile(r"[0-9a-fA-F]{32,}")
# The server takes addresses of more than 60,000 characters, which nobody would read.
_LONGEST_LOGGED = 2000

# All that an answer may depend on beside its address: who asks, in what format and language. What is the same
# for everybody says less itself.
_VARY = (
    "Accept, Accept-Encoding, Accept-Language, Authorization, Content-Type, Cookie, "
    "X-LighthouseToken, X-ServiceToken"
)

_HEADERS = [
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    ("Vary", _VARY),
]
_NAMES = frozenset(name.lower() for name, _ in _HEADERS)


class Arrival(NamedTuple):
    """What the front door found out; ``path`` has no extension and ``extension`` is None without one.

    An extension that is all of a name, as in ``/tickets/.xml``, also stays in the path. ``host`` is
    empty if the request does not name one host, as RFC 9112 demands; such a request is refused.
    """

    request_id: str
    path: str
    extension: str | None
    host: str
    base: str
    address: str

    @property
    def network(self) -> str:
        """Give what callers are told apart by: with IPv6 anybody has 2 ** 64 addresses and may use each."""
        return _network(self.address)

    @property
    def quoted_path(self) -> str:
        """Give the path as it stands in an address; there may be anything in it, even # or a line end."""
        return quote(self.path.encode("latin-1", "replace"), safe="/:@!$&'()*+,;=~")


def arrival_of(environment: Environment) -> Arrival:
    """Give what was worked out about a request at the front door."""
    found: Arrival = environment[KEY]
    return found


class Front:
    """A WSGI application in front of the one that knows the routes."""

    def __init__(self, inside: Application, settings: Settings, log: Log, metrics: Metrics) -> None:
        """Stand in front of an application."""
        self._inside = inside
        self._settings = settings
        self._log = log
        self._metrics = metrics
        self._sharing = Cors(settings.cors_origins)

    def __call__(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        began = time.perf_counter()
        shown = environment.get("PATH_INFO", "")
        arrival = environment[KEY] = self._arrival(environment)
        preflight = self._sharing.preflight(environment) if arrival.host else None
        if preflight is not None:
            start_response("204 No Content", preflight)
            return []
        environment["PATH_INFO"] = arrival.path

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            extra = _missing(headers)
            extra += self._sharing.headers(environment.get("HTTP_ORIGIN"))
            extra += environment.get(throttling.KEY, ())
            seconds = time.perf_counter() - began
            method = environment.get("REQUEST_METHOD", "")
            self._metrics.request(method, environment.get(ROUTE), status[:3], seconds)
            self._log.request(
                method if method in METHODS else "?",
                _logged(shown),
                int(status[:3]),
                seconds * 1000,
                arrival.request_id,
            )
            return start_response(status, [*headers, *extra, ("X-Request-Id", arrival.request_id)], *rest)

        return self._inside(environment, start)

    def _arrival(self, environment: Environment) -> Arrival:
        path = _without_origin(environment.get("PATH_INFO") or "/")
        path, extension = _split_extension(path)
        proxied = environment.get("REMOTE_ADDR", "") in self._settings.trusted_proxies
        host = _host(environment, proxied=proxied)
        name, port = host or _own_host(environment)
        sent = environment.get("HTTP_X_REQUEST_ID", "")
        return Arrival(
            request_id=sent if _REQUEST_ID.fullmatch(sent) else _new_id(),
            path=path,
            extension=extension,
            host=name.lower() if host else "",
            base=self._settings.base_url or f"{_scheme(environment, proxied=proxied)}://{name}{port}",
            address=_address(environment, proxied=proxied),
        )


def _logged(path: str) -> str:
    """Give a path as it stands in the log: without secrets, and no longer than anybody would read."""
    told = _SECRET.sub("[hidden]", path)
    return told if len(told) <= _LONGEST_LOGGED else f"{told[:_LONGEST_LOGGED]}…"


def _missing(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give the headers of every answer that this one, whose names are lower-case, does not set itself."""
    if _NAMES.isdisjoint(names := dict(headers)):
        return _HEADERS.copy()
    return [pair for pair in _HEADERS if pair[0].lower() not in names]


def _new_id() -> str:
    """Give an id that no other request has, but that anybody may guess."""
    return f"{random.getrandbits(64):016x}"


def _without_origin(path: str) -> str:
    """An absolute request target, as proxies send it, is read as its path."""
    return _ORIGIN.sub("", path, count=1) or "/" if _ORIGIN.match(path) else path


def _split_extension(path: str) -> tuple[str, str | None]:
    rest, _, extension = path.rpartition(".")
    if rest.startswith(_FILES) or "/" not in rest or not _is_extension(extension):
        return path, None
    if path == _OLD_FEED:
        return "/activity", extension
    known = extension.lower() in FORMATS
    if rest.endswith("/"):
        # No name stands before it, as where the variable of a script was empty: nothing has this address.
        return path, extension.lower() if known else None
    if not known and _REVISION.fullmatch(rest):
        return path, None
    return rest, extension.lower()


def _is_extension(text: str) -> bool:
    """Say whether a format can have this name; it begins with a letter, as no end of ``r1.2`` does."""
    return text.isalnum() and text.isascii() and text[0].isalpha() and len(text) <= _LONGEST_EXTENSION


def _host(environment: Environment, *, proxied: bool) -> tuple[str, str] | None:
    """Return the host's name and its port with the colon, None unless the request names one host.

    Two ``Host`` headers have reached us as one, with a comma between them.
    """
    said = environment.get("HTTP_HOST", "").strip()
    if said or environment.get("SERVER_PROTOCOL") not in _WITHOUT_HOST:
        found = _host_in(said)
    else:
        found = _own_host(environment)
    forwarded = environment.get("HTTP_X_FORWARDED_HOST", "").split(",")[0].strip() if proxied else ""
    return found and (_host_in(forwarded) or found)


def _own_host(environment: Environment) -> tuple[str, str]:
    return environment.get("SERVER_NAME", "localhost"), f":{environment.get('SERVER_PORT', '80')}"


def _host_in(header: str) -> tuple[str, str] | None:
    return _parsed_host(header) if len(header) <= _LONGEST_HOST else None


@lru_cache
def _parsed_host(header: str) -> tuple[str, str] | None:
    match = _HOST.fullmatch(header)
    return (match["name"], match["port"] or "") if match else None


def _scheme(environment: Environment, *, proxied: bool) -> str:
    forwarded = environment.get("HTTP_X_FORWARDED_PROTO", "") if proxied else ""
    scheme = forwarded.split(",")[0].strip().lower()
    return scheme if scheme in ("http", "https") else str(environment.get("wsgi.url_scheme", "http"))


@lru_cache
def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), 64), strict=False))


def _address(environment: Environment, *, proxied: bool) -> str:
    """Give the network address of the caller; the last one named is the one that the proxy saw."""
    forwarded = environment.get("HTTP_X_FORWARDED_FOR", "") if proxied else ""
    said = forwarded.split(",")[-1].strip()
    match = _WITH_PORT.fullmatch(said)
    return (match[1] or match[2] if match else said) or str(environment.get("REMOTE_ADDR", ""))
