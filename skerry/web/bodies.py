"""Bodies in: bounded before they are read, then a tree."""

from collections.abc import Callable

import falcon

from skerry import sizes
from skerry.config import Settings
from skerry.errors import Endless, TooLarge, Unavailable, Unreadable, Unsupported
from skerry.tracker.visit import Caller
from skerry.web.transfers import Body
from skerry.wire import formats, uploads
from skerry.wire.tree import Tree
from skerry.wire.uploads import FilePart, Sink, Upload

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

SHORT = 64 * 1024
"""Bytes of a body that is read whoever sends it; no text stands in one."""

OpenFile = Callable[[FilePart], Sink]

Recognize = Callable[[], Caller | None]
"""Finds out who sends a body before it is read; None for a stranger."""


def early_form(request: falcon.Request, settings: Settings, recognize: Recognize) -> Tree | None:
    """Give the tree of a posted form, which may name another method; None for every other request.

    Where strangers use all of their seats, ``recognize`` says whether this is none. Raises Unavailable then.
    """
    if request.method != "POST" or media_type(request) != FORM:
        return None
    return early_tree(request, settings.body_limit, recognize)


def early_tree(request: falcon.Request, limit: int, recognize: Recognize) -> Tree:
    """Give the tree of a body that is read before it is known who sends it; ``recognize`` is as above.

    Raises as ``tree_of``, and Unavailable.
    """
    try:
        return tree_of(request, limit)
    except Unavailable:
        # To find out who asks takes a look at the database.
        sender = recognize()
        if sender is None:
            raise
    sender_is_known(request, sender)
    return tree_of(request, limit)


def sender_is_known(request: falcon.Request, sender: Caller) -> None:
    """Note who sends a body that nobody has begun to read: strangers leave room for it."""
    coming = request.env["wsgi.input"]
    if isinstance(coming, Body):
        coming.sender = sender.user_id


def read(
    request: falcon.Request, limit: int, open_file: OpenFile, fields: list[tuple[str, str]] | None = None
) -> tuple[Tree, list[Upload]]:
    """Give the tree of a request's body and its files, both empty without a body.

    The limit is that of the bytes beside its files; ``fields`` takes those of a multipart form as they come.
    Raises TooLarge before anything is read if the body says that it is too large, Unsupported if it is
    compressed or of a kind that is not read here, Endless for a form without a length, Unreadable if it is
    broken or cut.
    """
    if not _has_body(request):
        return {}, []
    encoding = request.get_header("Content-Encoding")
    if encoding and encoding.lower() != "identity":
        raise Unsupported("Bodies are read as they are: send this one without Content-Encoding")
    if media_type(request) == MULTIPART:
        return uploads.read_multipart(
            request.env["wsgi.input"],
            request.content_type or "",
            request.content_length,
            open_file,
            limit,
            fields,
        )
    if request.content_length is None and media_type(request) == FORM:
        # The server does not tell pieces that ended from those that broke off. In every other format
        # the end is missing then; half a form is a form too, with half a text in it.
        raise Endless
    reader = formats.reader_for(request.content_type)
    return _parsed(reader, _bytes(request, limit)), []


def tree_of(request: falcon.Request, limit: int) -> Tree:
    """Give the tree of a request's body, in which no file may stand; raises as ``read`` does."""
    tree, _ = read(request, limit, no_files)
    return tree


def media_type(request: falcon.Request) -> str:
    """Give the media type of the body without its parameters."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def _has_body(request: falcon.Request) -> bool:
    return bool(request.content_length) or "HTTP_TRANSFER_ENCODING" in request.env


def _bytes(request: falcon.Request, limit: int) -> bytes:
    announced = request.content_length
    if announced is not None and announced > limit:
        raise TooLarge(f"The request is too large (at most {sizes.exact(limit)})")
    pieces: list[bytes] = []
    left = limit + 1 if announced is None else announced
    while left > 0 and (piece := request.env["wsgi.input"].read(min(left, 65536))):
        pieces.append(piece)
        left -= len(piece)
    if announced is None and left <= 0:
        raise TooLarge(f"The request is too large (at most {sizes.exact(limit)})")
    if announced is not None and left > 0:
        raise Unreadable("The request ended before it was complete")
    return b"".join(pieces)


def _parsed(reader: Callable[[bytes], Tree], body: bytes) -> Tree:
    # Blanks alone are no body: some tools send a line end with every request.
    return reader(body) if body.strip() else {}


def no_files(_part: FilePart) -> Sink:
    """Refuse a file; raises Unsupported."""
    raise Unsupported("Files cannot be sent to this address")
