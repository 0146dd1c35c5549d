"""Cross-origin requests (CORS): disabled unless the settings list origins."""

from collections.abc import Mapping

_EXPOSED = (
    "Content-Disposition, Content-Range, ETag, Last-Modified, Link, Location, Retry-After, "
    "WWW-Authenticate, X-Ignored-Fields, X-Last-Event-Id, X-Oldest-Event, X-RateLimit-Limit, "
    "X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Searched-Since, X-Texts-Shortened, "
    "X-Total-Count, X-Total-Count-Exact"
)
_READ = (
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Unmodified-Since, "
    "Last-Event-ID, Range, X-LighthouseToken, X-Request-Id, X-ServiceToken"
)


class Cors:
    """The origins whose pages may read responses; cookies are never allowed."""

    def __init__(self, origins: frozenset[str]) -> None:
        """Allow these origins; ``*`` is every origin."""
        self._origins = origins

    def headers(self, origin: str | None) -> list[tuple[str, str]]:
        """Return the headers that let a page of this origin read the response; none if it may not."""
        if not self._origins:
            return []
        if origin is None or not self._origins & {origin, "*"}:
            return [("Vary", "Origin")]
        return [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", _EXPOSED),
            ("Vary", "Origin"),
        ]

    def preflight(self, method: str, headers: Mapping[bytes, str]) -> list[tuple[str, str]] | None:
        """Return the response to a preflight request, or None for any other request."""
        if method != "OPTIONS" or b"access-control-request-method" not in headers:
            return None
        allowed = self.headers(headers.get(b"origin"))
        if len(allowed) < 2:  # noqa: PLR2004 - only Vary: this origin is not allowed
            return None
        return [
            *allowed,
            ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE"),
            ("Access-Control-Allow-Headers", _READ),
            ("Access-Control-Max-Age", "86400"),
            ("Content-Length", "0"),
        ]
