"""Compress large responses for clients that accept it."""

import gzip

import brotli

SMALLEST = 4096
"""Bodies with fewer bytes are sent as they are: they fit into a few packets anyway."""

# Beyond these levels the time grows faster than the savings.
_BROTLI_QUALITY = 4
_GZIP_LEVEL = 5


def compressed(body: bytes, accept_encoding: str | None) -> tuple[bytes, str | None]:
    """Return a body, compressed if it is large and the client accepts that, and its encoding."""
    if len(body) < SMALLEST or not accept_encoding:
        return body, None
    liked = _liked(accept_encoding)
    if liked.get("br"):
        smaller: bytes = brotli.compress(body, quality=_BROTLI_QUALITY)
        return smaller, "br"
    if liked.get("gzip", liked.get("*")):
        return gzip.compress(body, _GZIP_LEVEL, mtime=0), "gzip"
    return body, None


def _liked(header: str) -> dict[str, bool]:
    """Return for each encoding in a header whether it may be used; ``*`` is all others."""
    pieces = [piece.replace(" ", "").lower().partition(";") for piece in header.split(",")]
    return {name: quality not in ("q=0", "q=0.0", "q=0.00", "q=0.000") for name, _, quality in pieces}
