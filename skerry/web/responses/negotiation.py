"""Content negotiation: by the extension of the path, or else by headers."""

from collections.abc import Mapping

from falcon.asgi import Request

from skerry.errors import NotAcceptable
from skerry.web import middleware
from skerry.web.authorization_header import has_credentials
from skerry.wire.formats import Format

Formats = Mapping[str, Format]
"""The available formats, by their extensions."""

EVENT_STREAM = "text/event-stream"

_KNOWN = {
    "application/json": "json",
    "text/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    # Errors of a stream are in JSON.
    EVENT_STREAM: "json",
    "text/html": "",
    "application/xhtml+xml": "",
}


def requested_format(request: Request, formats: Formats, feeds: Formats) -> Format | None:
    """Return the format of the response, or None for a page; raises NotAcceptable.

    ``feeds`` are the additional formats of some lists, by their extensions.
    """
    info = middleware.request_info_of(request)
    if info.extension is None:
        return preferred_format(request, formats)
    if info.extension in feeds:
        return feeds[info.extension]
    if info.extension not in formats:
        raise NotAcceptable
    return formats[info.extension]


def preferred_format(request: Request, formats: Formats) -> Format | None:
    """Return the format of Accept, or else of Content-Type, ignoring the path; None for a page.

    Without either, a program that sends a token or a password gets JSON.
    """
    media_type = _best(request.get_header("Accept"))
    name = None if media_type is None else _KNOWN[media_type]
    if name is None:
        name = _KNOWN.get((request.content_type or "").partition(";")[0].strip().lower())
    if not name and media_type is None and has_credentials(request):
        name = "json"
    return formats[name] if name else None


def wants_stream(request: Request) -> bool:
    """Return whether an event stream is requested."""
    return _best(request.get_header("Accept")) == EVENT_STREAM


def _best(accept: str | None) -> str | None:
    """Return the known media type that an Accept header prefers, or None."""
    best, liking = None, 0.0
    for piece in (accept or "").split(","):
        media_type, _, parameters = piece.partition(";")
        type_name = media_type.strip().lower()
        quality = _quality(parameters)
        if type_name in _KNOWN and quality > liking:
            best, liking = type_name, quality
    return best


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
