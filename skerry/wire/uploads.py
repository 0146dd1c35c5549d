"""Parsing of multipart forms: fields into a tree, files in pieces into sinks that the caller opens."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from skerry.errors import BadRequest, TooLarge
from skerry.wire import forms, json, people_lists, xmlreader
from skerry.wire.tree import MAX_VALUES, TOO_MANY, Tree, count, decoded, merge

ENCODED_NAME = re.compile(
    r""";\s*filename\*\s*=\s*"?(?P<charset>[\w-]+)'[^']*'(?P<name>[^\s;"]+)""", re.IGNORECASE
)

# Some tools send a name with spaces without quotes.
_UNQUOTED_NAME = re.compile(r';\s*filename=(?P<name>[^\s";][^";]*)', re.IGNORECASE)

# The resources with files. A part may have the name of one, and then contains its fields without a root.
ROOTS = {"ticket", "version"}
UNNAMED = "unnamed"
"""The name of a file without one."""

# A document may also be a part of a form; under these names also with a filename, as curl and browsers send
# it.
DOCUMENT_NAMES = {"json", "xml", *ROOTS}

DOCUMENTS: dict[str, Callable[[bytes, str | None], Tree]] = {
    "application/json": json.read,
    "application/xml": xmlreader.read,
    "text/xml": xmlreader.read,
}

# A file under these names is the text of a field: a list that a spreadsheet saved.
TEXT_NAMES = {"import[people]"}


class Sink(Protocol):
    """The destination of a file's bytes; it may raise TooLarge."""

    def write(self, data: bytes, /) -> object:
        """Write a piece of the file."""


@dataclass(frozen=True)
class FilePart:
    """The headers of a file in a multipart form: its field, name and media type."""

    field: str
    filename: str
    content_type: str


@dataclass(frozen=True)
class Upload:
    """A complete file, and its sink; ``size`` is in bytes."""

    part: FilePart
    sink: Sink
    size: int


def _parser(content_type: str, content_length: int | None) -> tuple[PushMultipartParser, str | None]:
    _, options = parse_options_header(content_type)
    try:
        boundary = options.get("boundary", "").encode()
    except UnicodeEncodeError as error:
        raise BadRequest("The multipart form cannot be read: its boundary is not text") from error
    length = -1 if content_length is None else content_length
    with _readable():
        parser = PushMultipartParser(boundary, length, max_segment_count=forms.MAX_FIELDS)
    return parser, options.get("charset")


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except MultipartError as error:
        if isinstance(error.__context__, UnicodeDecodeError):
            raise BadRequest("The names of fields and files in a multipart form must be UTF-8") from error
        raise BadRequest(f"The multipart form cannot be read: {error}") from error


class MultipartForm:
    """A multipart form that arrives in pieces; its files are not held in memory.

    ``fields`` are the complete ones, even after an error. The sinks belong to the caller, who discards them
    after an error.
    """

    def __init__(
        self,
        content_type: str,
        content_length: int | None,
        open_file: Callable[[FilePart], Sink],
        most_text: int,
    ) -> None:
        """Create a form with a limit on the bytes outside files; raises BadRequest without a boundary."""
        self._parser, charset = _parser(content_type, content_length)
        self._reading = _Reading(open_file, most_text, charset)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the complete fields, in order."""
        return self._reading.fields

    @property
    def uploads(self) -> list[Upload]:
        """Return the complete files."""
        return self._reading.uploads

    @property
    def has_json(self) -> bool:
        """Return whether a part is a JSON document."""
        return any(DOCUMENTS[segment.content_type] is json.read for segment, _ in self._reading.documents)

    def feed(self, piece: bytes) -> None:
        """Parse the next piece.

        Raises BadRequest for a malformed form, TooLarge for too much text, and the errors of sinks.
        """
        with _readable():
            for event in self._parser.parse(piece):
                self._reading.follow(event)

    def tree(self) -> Tree:
        """Return the form without its files; raises BadRequest if it is incomplete or malformed.

        Parts in JSON or XML are merged into the tree, whatever their names.
        """
        with _readable():
            self._parser.close()
        return self._reading.tree()


class _Reading:
    """The parsing of a form; one part is open at a time."""

    def __init__(self, open_file: Callable[[FilePart], Sink], most_text: int, charset: str | None) -> None:
        self.open_file = open_file
        self.text_left = most_text
        self.values_left = MAX_VALUES
        self.charset = charset
        self.fields: list[tuple[str, str]] = []
        # Parsed at the end, because it may be slow.
        self.documents: list[tuple[MultipartSegment, bytes]] = []
        self.uploads: list[Upload] = []
        self.segment: MultipartSegment
        self.filename: str | None = None
        self.part: FilePart
        self.sink: Sink | None = None
        self.text: list[bytes] = []

    def follow(self, event: Any) -> None:
        if event is None:
            self.end()
        elif isinstance(event, MultipartSegment):
            self.start(event)
        else:
            self.take(bytes(event))

    def start(self, segment: MultipartSegment) -> None:
        self.segment, self.sink, self.text = segment, None, []
        is_document = segment.name in DOCUMENT_NAMES and segment.content_type in DOCUMENTS
        is_text = is_document or segment.name in TEXT_NAMES
        self.filename = None if is_text else _filename(segment)
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
            self.uploads.append(Upload(self.part, self.sink, self.segment.bytes_received))
        elif self.filename is None:
            self._end_field(b"".join(self.text))
        # Browsers send an empty file field as a file without a name and content.

    def _end_field(self, body: bytes) -> None:
        segment = self.segment
        if segment.content_type in DOCUMENTS:
            self.documents.append((segment, body))
        elif segment.name in TEXT_NAMES and segment.filename:
            self.fields.append((segment.name, people_lists.text_of(body)))
        else:
            self.fields.append((segment.name, decoded(body, segment.charset or self.charset)))

    def _document(self, segment: MultipartSegment, body: bytes) -> Tree:
        document = _rooted(DOCUMENTS[segment.content_type](body, segment.charset), segment.name)
        self.values_left -= count(document)
        if self.values_left < 0:
            raise BadRequest(TOO_MANY)
        return document

    def tree(self) -> Tree:
        # A malformed document is reported before missing fields.
        documents = [self._document(segment, body) for segment, body in self.documents]
        tree = forms.tree_of(self.fields)
        for document in documents:
            merge(tree, document)
        return tree


def _rooted(document: Tree, name: str) -> Tree:
    """Return a document, whose root may be given by the name of its part."""
    is_bare = name not in document and not any(isinstance(document.get(root), dict) for root in ROOTS)
    return {name: document} if name in ROOTS and is_bare else document


def _filename(segment: MultipartSegment) -> str | None:
    """Return the name of a file, also in the percent-encoded form of mail; None for other parts."""
    header = segment.header("Content-Disposition") or ""
    encoded = ENCODED_NAME.search(header)
    # Programs send a plain name beside it for old servers. What looks like one may stand inside its quotes.
    if encoded and encoded[0] not in (segment.filename or ""):
        return decoded(unquote_to_bytes(encoded["name"]), encoded["charset"])
    name: str | None = segment.filename
    unquoted = _UNQUOTED_NAME.search(header)
    # What looks like an unquoted name may also stand inside the quotes of another value.
    if name and unquoted and unquoted["name"].startswith(name):
        return unquoted["name"].strip()
    return name
