"""Multipart forms in: fields to a tree, files piece by piece into sinks that the caller opens."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote_to_bytes

from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from skerry.errors import TooLarge, Unreadable
from skerry.wire import forms, json, xmlreader
from skerry.wire.tree import MOST_VALUES, TOO_MANY, Tree, count, decoded, merge

CHUNK = 64 * 1024

ENCODED_NAME = re.compile(
    r""";\s*filename\*\s*=\s*"?(?P<charset>[\w-]+)'[^']*'(?P<name>[^\s;"]+)""", re.IGNORECASE
)

# The resources that come with files. A part may be named for one, and then hold its fields bare.
ROOTS = {"ticket", "version"}
UNNAMED = "unnamed"
"""What a file is called that comes without a name."""

# A document may also be one part of a form; under these names also with a filename, as curl sends files and
# browsers send whatever has a type.
DOCUMENT_NAMES = {"json", "xml", *ROOTS}
DOCUMENTS: dict[str, Callable[[bytes, str | None], Tree]] = {
    "application/json": json.read,
    "application/xml": xmlreader.read,
    "text/xml": xmlreader.read,
}


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end."""


class Sink(Protocol):
    """Where the bytes of one file go; it may raise TooLarge."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""

    def finish(self) -> object:
        """Be told that all bytes have come; it is not called for a file that was cut off."""


@dataclass(frozen=True)
class FilePart:
    """What a multipart form says about a file: its field, its name and its media type."""

    field: str
    filename: str
    content_type: str


@dataclass(frozen=True)
class Upload:
    """A file that has arrived whole, and the sink that took it; ``size`` is in bytes."""

    part: FilePart
    sink: Sink
    size: int


def read_multipart(
    stream: Readable,
    content_type: str,
    content_length: int | None,
    open_file: Callable[[FilePart], Sink],
    most_text: int,
    fields: list[tuple[str, str]] | None = None,
) -> tuple[Tree, list[Upload]]:
    """Give the tree and the files of a multipart form, holding no file in memory.

    Parts in JSON or XML are merged into the tree whatever their names. The sinks belong to the caller, who
    discards them after an error; a list of ``fields`` then has those that came before it. Raises Unreadable
    for a broken or cut form and for too many values in its documents, TooLarge for more than ``most_text``
    bytes in parts that are not files, and whatever a sink raises.
    """
    reading = _Reading(open_file, most_text, [] if fields is None else fields)
    try:
        parser, reading.charset = _parser(content_type, content_length)
        _follow(parser, stream, reading)
    except MultipartError as error:
        raise Unreadable(f"The multipart form cannot be read: {error}") from error
    return reading.tree(), reading.uploads


def _parser(content_type: str, content_length: int | None) -> tuple[PushMultipartParser, str | None]:
    _, options = parse_options_header(content_type)
    try:
        boundary = options.get("boundary", "").encode()
    except UnicodeEncodeError as error:
        raise Unreadable("The multipart form cannot be read: its boundary is not text") from error
    length = -1 if content_length is None else content_length
    parser = PushMultipartParser(boundary, length, max_segment_count=forms.MOST_FIELDS)
    return parser, options.get("charset")


def _follow(parser: PushMultipartParser, stream: Readable, reading: "_Reading") -> None:
    for event in parser.parse_blocking(stream.read, CHUNK):
        if event is None:
            reading.end()
        elif isinstance(event, MultipartSegment):
            reading.start(event)
        else:
            reading.take(bytes(event))


class _Reading:
    """What has come of a form so far; one part is open at a time."""

    def __init__(
        self, open_file: Callable[[FilePart], Sink], most_text: int, fields: list[tuple[str, str]]
    ) -> None:
        self.open_file = open_file
        self.text_left = most_text
        self.values_left = MOST_VALUES
        self.charset: str | None = None
        self.fields = fields
        self.documents: list[Tree] = []
        self.uploads: list[Upload] = []
        self.segment: MultipartSegment
        self.filename: str | None = None
        self.part: FilePart
        self.sink: Sink | None = None
        self.text: list[bytes] = []

    def start(self, segment: MultipartSegment) -> None:
        self.segment, self.sink, self.text = segment, None, []
        is_document = segment.name in DOCUMENT_NAMES and segment.content_type in DOCUMENTS
        self.filename = None if is_document else _filename(segment)
        if self.filename:
            self._open(self.filename)

    def _open(self, filename: str) -> None:
        media_type = self.segment.content_type or "application/octet-stream"
        self.part = FilePart(self.segment.name, filename, media_type)
        self.sink = self.open_file(self.part)

    def take(self, data: bytes) -> None:
        if self.filename == "" and data and not self.sink:
            self._open(UNNAMED)
        if self.sink:
            self.sink.write(data)
            return
        self.text_left -= len(data)
        if self.text_left < 0:
            raise TooLarge("The text of the form is too large")
        self.text.append(data)

    def end(self) -> None:
        if self.sink:
            self.sink.finish()
            self.uploads.append(Upload(self.part, self.sink, self.segment.bytes_received))
        elif self.filename is None:
            self._end_field(b"".join(self.text))
        # A file field in which nobody chose a file comes as a file without a name and without a byte.

    def _end_field(self, body: bytes) -> None:
        segment = self.segment
        reader = DOCUMENTS.get(segment.content_type or "")
        if reader:
            self._end_document(_rooted(reader(body, segment.charset), segment.name))
        else:
            self.fields.append((segment.name, decoded(body, segment.charset or self.charset)))

    def _end_document(self, document: Tree) -> None:
        self.values_left -= count(document)
        if self.values_left < 0:
            raise Unreadable(TOO_MANY)
        self.documents.append(document)

    def tree(self) -> Tree:
        tree = forms.tree_of(self.fields)
        for document in self.documents:
            merge(tree, document)
        return tree


def _rooted(document: Tree, name: str) -> Tree:
    """Give a document whose root may be told by the name of its part alone."""
    is_bare = name not in document and not any(isinstance(document.get(root), dict) for root in ROOTS)
    return {name: document} if name in ROOTS and is_bare else document


def _filename(segment: MultipartSegment) -> str | None:
    """Give the name of a file, also in the percent-encoded form of mail; None if the part is no file."""
    if segment.filename is None:
        encoded = ENCODED_NAME.search(segment.header("Content-Disposition") or "")
        if encoded:
            return decoded(unquote_to_bytes(encoded["name"]), encoded["charset"])
    name: str | None = segment.filename
    return name
