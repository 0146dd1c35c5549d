"""The formats of responses, and the readers of requests by Content-Type."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from typing import Any, Protocol

from multipart import parse_options_header  # type: ignore[import-untyped]

from skerry.errors import UnsupportedMediaType
from skerry.wire import forms, json, xml, xmlreader
from skerry.wire.record import Record, written
from skerry.wire.tree import Tree
from skerry.wire.uploads import DOCUMENTS

Reader = Callable[[bytes], Tree]


class ItemsWriter(Protocol):
    """Writes a list of records of one kind, with numbers beside it."""

    def __call__(
        self, kind: type[Record], records: Iterable[Record], extra: Mapping[str, int] | None = None
    ) -> bytes:
        """Return the whole body."""


class ErrorsWriter(Protocol):
    """Writes errors; it knows the HTTP status."""

    def __call__(self, sentences: Iterable[str], status: int = 422) -> bytes:
        """Return the whole body."""


@dataclass(frozen=True)
class Format:
    """A response format: its name in paths, its media type, and its functions.

    ``digest`` differs for records that are written differently in a list.
    """

    name: str
    content_type: str
    item: Callable[[Record], bytes]
    items: ItemsWriter
    digest: Callable[[Record], bytes]
    errors: ErrorsWriter
    read: Reader


def _digest(write: Callable[[Record], Any]) -> Callable[[Record], bytes]:
    return lambda record: sha1(written(record, write), usedforsecurity=False).digest()


XML = Format(
    "xml",
    "application/xml; charset=utf-8",
    xml.item,
    xml.items,
    _digest(xml.list_under_root),
    xml.errors,
    xmlreader.read,
)
JSON = Format(
    "json",
    "application/json; charset=utf-8",
    json.item,
    json.items,
    _digest(json.list_under_root),
    json.errors,
    json.read,
)

FORMATS: Mapping[str, Format] = {"xml": XML, "json": JSON}
"""The formats by the extension of a path."""

READERS: Mapping[str, Callable[[bytes, str | None], Tree]] = {
    **DOCUMENTS,
    "application/x-www-form-urlencoded": forms.read,
}


def is_json(media_type: str) -> bool:
    """Return whether a body of this media type is JSON."""
    return DOCUMENTS.get(media_type) is json.read


def reader_for(content_type: str | None) -> Reader:
    """Return the reader for a body with this Content-Type and charset.

    Raises UnsupportedMediaType for a missing or unknown Content-Type. Multipart forms are not included,
    because they are read from the stream.
    """
    media_type, options = parse_options_header(content_type or "")
    reader = READERS.get(media_type)
    if reader is None:
        raise UnsupportedMediaType
    return partial(reader, charset=options.get("charset"))  # type: ignore[call-arg]
