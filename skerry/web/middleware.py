"""The middleware: everything that precedes routing.

It strips the format from the path, determines the URL that the client used, assigns an id to the request, and
logs the response.
"""

import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from string import punctuation
from typing import Any, NamedTuple
from urllib.parse import quote

from falcon.asgi import Request

from skerry.oidc_settings import ProviderSettings, offered_at
from skerry.prefixes import inside, is_prefix, outside, prefix_of
from skerry.settings import Settings
from skerry.text.networks import network_of
from skerry.web import bodies
from skerry.web.cors import Cors
from skerry.web.log import Log
from skerry.web.metrics import METHODS, ROUTE, Metrics
from skerry.wire.formats import FORMATS

Scope = dict[str, Any]
Event = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

KEY = "skerry.arrival"

ALLOWANCE = "skerry.allowance"
"""The key in the scope of a request for the headers with the remaining allowance of requests."""

_MAX_EXTENSION_LENGTH = 16
_OK, _SEE_OTHER = 200, 303
_FILES = ("/.well-known/", "/attachments/", "/static/")
# Old feed readers request recent activity here.
_OLD_FEED = "/events.atom"
# Revisions may contain dots, so a suffix may be part of one.
_REVISION = re.compile(r"/projects/[^/]+/changesets/[^/]+")
# Ids of proxies and traces have up to 32 hexadecimal digits; 40 could be a token.
_REQUEST_ID = re.compile(r"(?!.*[0-9a-fA-F]{40})[A-Za-z0-9_.-]{1,64}")
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?:(?P<port>:[0-9]{1,5})|:)?")
# Some proxies add the client's port, which differs with each connection.
_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
# No host name is longer than 253 characters. Hosts are cached, and clients must not be able to fill the
# memory with them.
_MAX_HOST_LENGTH = 253 + len(":65535")
_SECRET = re.compile(r"[0-9a-fA-F]{32,}")
# The server accepts URLs of more than 60,000 characters, too long for a log.
_MAX_LOGGED_LENGTH = 2000

# Everything that a response may depend on besides its URL: caller, format and language. Responses that are
# the same for everybody set a shorter value.
_VARY = (
    "Accept, Accept-Encoding, Accept-Language, Authorization, Content-Type, Cookie, "
    "X-LighthouseToken, X-ServiceToken"
)

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"vary", _VARY.encode()),
]

# The request headers that are read here.
_HEADERS_READ = frozenset(
    (
        b"host",
        b"origin",
        b"x-forwarded-for",
        b"x-forwarded-host",
        b"x-forwarded-prefix",
        b"x-forwarded-proto",
        b"x-no-redirect",
        b"x-request-id",
        b"access-control-request-method",
    )
)


class RequestInfo(NamedTuple):
    """The results of the middleware; ``path`` has no extension, and ``extension`` is None if there was none.

    If the extension is the whole name, as in ``/tickets/.xml``, it also stays in the path. ``host`` is empty
    unless the request names exactly one host, as RFC 9112 requires; such a request is refused. ``prefix`` is
    the path below which the service lives, with which ``base`` ends; it is no part of ``path``. ``read_only``
    says that this server refuses changes. ``providers`` are those that are offered at the host.
    """

    request_id: str
    path: str
    extension: str | None
    host: str
    base: str
    address: str
    read_only: bool
    prefix: str
    providers: Sequence[ProviderSettings]

    @property
    def network(self) -> str:
        """Return the network that counts as one client: with IPv6, a /64."""
        return network_of(self.address)

    @property
    def quoted_path(self) -> str:
        """Return the path quoted for a URL."""
        return quote(self.path, safe="/:@!$&'()*+,;=~")


def request_info_of(request: Request) -> RequestInfo:
    """Return the results of the middleware for a request."""
    info: RequestInfo = request.scope[KEY]
    return info


class Middleware:
    """An ASGI application in front of Falcon."""

    def __init__(self, inside: Application, settings: Settings, log: Log, metrics: Metrics) -> None:
        """Wrap an application."""
        self._prefix = prefix_of(settings.base_url)
        self._inside = inside
        self._settings = settings
        self._log = log
        self._metrics = metrics
        self._offered = () if settings.read_only else settings.providers
        self._sharing = Cors(settings.cors_origins) if settings.cors_origins else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or pass on the server's lifespan events."""
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        headers = _selected_headers(scope)
        preflight = self._sharing.preflight(scope["method"], headers) if self._sharing else None
        info = self._request_info(scope, headers)
        if preflight is not None and info.host:
            await send({"type": "http.response.start", "status": 204, "headers": _encoded(preflight)})
            await send({"type": "http.response.body"})
            return
        stream = bodies.BodyStream(receive)
        query = _encoded_query(scope["query_string"])
        inner = {**scope, "path": info.path, "query_string": query, KEY: info, bodies.KEY: stream}
        # Otherwise Falcon adds it to addresses once more.
        inner["root_path"] = ""
        with self._metrics.in_progress, stream:
            answer = _to_root if info.prefix and scope["path"] == info.prefix else self._inside
            await answer(inner, stream.first, self._finishing(inner, scope["path"], headers, send))

    def _finishing(self, scope: Scope, shown: str, headers: Mapping[bytes, str], send: Send) -> Send:
        """Return a function that adds the common headers to a response, sends it and logs it."""
        began = time.perf_counter()

        async def finish(event: Event) -> None:
            if event["type"] == "http.response.start":
                info: RequestInfo = scope[KEY]
                if event["status"] == _SEE_OTHER and b"x-no-redirect" in headers:
                    # A script that followed a redirect would lose the fragment of the URL.
                    event["status"] = _OK
                shared = self._sharing.headers(headers.get(b"origin")) if self._sharing else ()
                extra = [*shared, *scope.get(ALLOWANCE, ())]
                extra.append(("X-Request-Id", info.request_id))
                own = event["headers"]
                if info.prefix:
                    own = [(name, _with_prefix(name, value, info.prefix)) for name, value in own]
                event["headers"] = [*own, *_missing(own), *_encoded(extra)]
                self._note(scope, shown, event["status"], time.perf_counter() - began)
            await send(event)

        return finish

    def _note(self, scope: Scope, shown: str, status: int, seconds: float) -> None:
        method, info = scope["method"], scope[KEY]
        self._metrics.request(method, scope.get(ROUTE), str(status), seconds)
        self._log.request(
            method if method in METHODS else "?", _logged(shown), status, seconds * 1000, info.request_id
        )

    def _request_info(self, scope: Scope, headers: Mapping[bytes, str]) -> RequestInfo:
        client = scope["client"][0] if scope.get("client") else ""
        forwarded = headers if client in self._settings.trusted_proxies else {}
        prefix = self._prefix_of(scope, forwarded)
        path, extension = _split_extension(inside(scope["path"], prefix) or "/")
        host = _host(scope, headers, forwarded)
        name, port = host or _own_host(scope)
        sent = headers.get(b"x-request-id", "")
        return RequestInfo(
            request_id=sent if _REQUEST_ID.fullmatch(sent) else _new_id(),
            path=path,
            extension=extension,
            host=name.lower() if host else "",
            base=self._settings.base_url or f"{_scheme(scope, forwarded)}://{name}{port}{prefix}",
            address=_address(client, forwarded),
            read_only=self._settings.read_only,
            prefix=prefix,
            providers=offered_at(name, self._offered) if self._offered else (),
        )

    def _prefix_of(self, scope: Scope, forwarded: Mapping[bytes, str]) -> str:
        """Return the prefix of the settings, or else of the proxy or the server in front; mostly empty."""
        if self._settings.base_url:
            return self._prefix
        said = forwarded.get(b"x-forwarded-prefix") or scope.get("root_path") or ""
        return said if said and is_prefix(said) else ""


def _selected_headers(scope: Scope) -> dict[bytes, str]:
    """Return the request headers that the middleware reads; repeated ones are joined with a comma.

    A name with underscores is a different name: proxies forward ``X_Forwarded_For`` from anybody.
    """
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        if name in _HEADERS_READ:
            text = value.decode("latin-1")
            headers[name] = f"{headers[name]},{text}" if name in headers else text
    return headers


async def _to_root(scope: Scope, _receive: Receive, send: Send) -> None:
    """Redirect from the prefix alone, for which browsers have no cookie, to the root of the service."""
    query = scope["query_string"]
    place = b"/?" + query if query else b"/"
    await send({"type": "http.response.start", "status": 308, "headers": [(b"location", place)]})
    await send({"type": "http.response.body"})


def _with_prefix(name: bytes, value: bytes, prefix: str) -> bytes:
    """Return the value of a header with the prefix, if it is a redirect within the service or a cookie."""
    if name == b"location" and value.startswith(b"/"):
        return outside(value.decode("latin-1"), prefix).encode("latin-1")
    if name == b"set-cookie":
        return value.replace(b"; Path=/;", f"; Path={prefix}/;".encode(), 1)
    return value


def _encoded_query(query: bytes) -> bytes:
    """Return a query string in the correct encoding; Falcon accepts only valid UTF-8."""
    return query if query.isascii() else quote(query, safe=punctuation).encode()


def _encoded(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _logged(path: str) -> str:
    """Return a path for the log, shortened and without secrets."""
    told = _SECRET.sub("[hidden]", path)
    return told if len(told) <= _MAX_LOGGED_LENGTH else f"{told[:_MAX_LOGGED_LENGTH]}…"


def _missing(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the common headers that a response lacks."""
    names = {name for name, _ in headers}
    return [pair for pair in _HEADERS if pair[0] not in names]


def _new_id() -> str:
    """Return a unique id, which need not be unpredictable."""
    return f"{random.getrandbits(64):016x}"


def _split_extension(path: str) -> tuple[str, str | None]:
    rest, _, extension = path.rpartition(".")
    if rest.startswith(_FILES) or "/" not in rest or not _is_extension(extension):
        return path, None
    if path == _OLD_FEED:
        return "/activity", extension
    known = extension.lower() in FORMATS
    if rest.endswith("/"):
        # An extension without a name, as from an empty variable in a script, matches no path.
        return path, extension.lower() if known else None
    if not known and _REVISION.fullmatch(rest):
        return path, None
    return rest, extension.lower()


def _is_extension(text: str) -> bool:
    """Return whether a text is a possible extension; it begins with a letter, unlike the end of ``r1.2``."""
    return text.isalnum() and text.isascii() and text[0].isalpha() and len(text) <= _MAX_EXTENSION_LENGTH


def _host(
    scope: Scope, headers: Mapping[bytes, str], forwarded: Mapping[bytes, str]
) -> tuple[str, str] | None:
    """Return the host name and the port with its colon, or None unless the request names one host.

    HTTP/1.0 requests need not name a host.
    """
    said = headers.get(b"host", "").strip()
    host = _host_in(said) if said or scope["http_version"] != "1.0" else _own_host(scope)
    first = forwarded.get(b"x-forwarded-host", "").split(",")[0].strip()
    return host and (_host_in(first) or host)


def _own_host(scope: Scope) -> tuple[str, str]:
    name, port = scope.get("server") or ("localhost", 80)
    return name, f":{port}"


def _host_in(header: str) -> tuple[str, str] | None:
    return _parsed_host(header) if len(header) <= _MAX_HOST_LENGTH else None


@lru_cache
def _parsed_host(header: str) -> tuple[str, str] | None:
    match = _HOST.fullmatch(header)
    return (match["name"], match["port"] or "") if match else None


def _scheme(scope: Scope, forwarded: Mapping[bytes, str]) -> str:
    scheme = forwarded.get(b"x-forwarded-proto", "").split(",")[0].strip().lower()
    return scheme if scheme in ("http", "https") else str(scope["scheme"])


def _address(client: str, forwarded: Mapping[bytes, str]) -> str:
    """Return the network address of the client; the last forwarded address is the one that the proxy saw."""
    said = forwarded.get(b"x-forwarded-for", "").split(",")[-1].strip()
    match = _WITH_PORT.fullmatch(said)
    return (match[1] or match[2] if match else said) or client
