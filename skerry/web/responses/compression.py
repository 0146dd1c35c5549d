"""Compression of large responses for clients that accept it."""

import gzip

import brotli

SMALLEST = 4096
"""Smaller bodies are not compressed: they fit into a few packets anyway."""

# Above these levels, time grows faster than savings.
_BROTLI_QUALITY = 4
_GZIP_LEVEL = 5


def compressed(body: bytes, accept_encoding: str | None) -> tuple[bytes, str | None]:
    """Return a body and its encoding; it is compressed if it is large and the client accepts that."""
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
    """Return for each encoding in a header whether it is acceptable; ``*`` stands for all others."""
    pieces = [piece.replace(" ", "").lower().partition(";") for piece in header.split(",")]
    return {name: quality not in ("q=0", "q=0.0", "q=0.00", "q=0.000") for name, _, quality in pieces}
