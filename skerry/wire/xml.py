"""Encoding of XML: each record class is compiled once into small writers, one for each field."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache, lru_cache
from operator import call
from typing import Any, get_origin

import msgspec

from skerry.wire import yaml
from skerry.wire.record import SCALARS, Field, Items, Record, fields_of, written
from skerry.wire.values import UNSTORABLE, time_text

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'

Write = Callable[[Any], str]

# The same tickets are often read again, with the same times.
KEPT_TIMESTAMPS = 4096

# Searching is fastest in bytes for many characters, and in text for one: Python knows the highest character
# of a text, so it need not search most texts for these two.
CONTROLS = bytes(number for number in range(32) if number not in b"\t\n\r")
NONCHARACTERS = ("\ufffe", "\uffff")


def item(record: Record) -> bytes:
    """Return a document with one record under its singular name."""
    return HEAD + list_under_root(record)


def items(kind: type[Record], records: Iterable[Record], extra: Mapping[str, int] | None = None) -> bytes:
    """Return a document with a list of records of one kind.

    The extra numbers follow the items as untyped elements with underscored names; a list
    without items has none of them.
    """
    name = _dashed(kind.plural)
    inside = b"".join([written(record, list_under_root) for record in records])
    if not inside:
        return HEAD + _storable(f'<{name} type="array"/>')
    after = "".join([f"<{key}>{number}</{key}>" for key, number in (extra or {}).items()])
    return b"".join([HEAD, _storable(f'<{name} type="array">'), inside, _storable(f"{after}</{name}>")])


def errors(sentences: Iterable[str], status: int = 422) -> bytes:  # noqa: ARG001 - all formats have one signature
    """Return a document with error sentences."""
    inside = "".join([f"<error>{_escaped(sentence)}</error>" for sentence in sentences])
    return HEAD + _storable(f"<errors>{inside}</errors>")


def list_under_root(record: Record) -> bytes:
    """Return the representation of a record in a list."""
    name = _dashed(record.singular)
    return _storable(f"<{name}>{_body(type(record))(record)}</{name}>")


def _storable(text: str) -> bytes:
    """Return a text as bytes, without the characters that XML does not allow."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return UNSTORABLE.sub("\ufffd", text).encode()
    if len(data.translate(None, CONTROLS)) != len(data) or any(seen in text for seen in NONCHARACTERS):
        return UNSTORABLE.sub("\ufffd", text).encode()
    return data


@cache
def _body(kind: type[Record]) -> Write:
    """Return a writer of the element content of a record class."""
    writers = tuple(_writer(field) for field in fields_of(kind))
    values = msgspec.structs.astuple

    def body(record: Record) -> str:
        return "".join(map(call, writers, values(record)))

    return body


def _writer(field: Field) -> Write:
    """Return a writer of one field: from its value to its element, or to nothing if it is unset."""
    if field.items is not None:
        return _list(field.dashed, field.items)
    if field.kind is list and field.item is str:
        return _words(field.dashed)
    if field.kind is list:
        return _yaml(field.dashed) if get_origin(field.item) in (list, tuple) else _plain(field.dashed, str)
    if field.kind is dict:
        return _mapping(field.dashed, field.members.kinds() if field.members else {})
    if issubclass(field.kind, Record):
        return _plain(field.dashed, _inside)
    return _scalar(field.dashed, field.kind)


def _scalar(name: str, kind: type) -> Write:
    return _text(name) if kind is str else _plain(name, TEXTS[kind], SCALARS[kind])


def _text(name: str) -> Write:
    start, end, empty, null = f"<{name}>", f"</{name}>", f"<{name}/>", f'<{name} nil="true"/>'

    def text(value: Any) -> str:
        if value:
            return start + _escaped(value) + end
        if value is None:
            return null
        return empty if value == "" else ""

    return text


def _escaped(text: str) -> str:
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    # XML parsers turn a bare carriage return into a line feed.
    return text.replace("\r", "&#13;") if "\r" in text else text


def _plain(name: str, text: Callable[[Any], str], type_name: str = "") -> Write:
    typed = f' type="{type_name}"' if type_name else ""
    start, end, null = f"<{name}{typed}>", f"</{name}>", f'<{name}{typed} nil="true"/>'

    def plain(value: Any) -> str:
        if value is None:
            return null
        return "" if value is msgspec.UNSET else start + text(value) + end

    return plain


@lru_cache(KEPT_TIMESTAMPS)
def _timestamp(value: datetime) -> str:
    return time_text(value)


def _boolean(value: object) -> str:
    return "true" if value else "false"


TEXTS: dict[type, Callable[[Any], str]] = {int: str, bool: _boolean, datetime: _timestamp}


def _yaml(name: str) -> Write:
    start, end = f'<{name} type="yaml">', f"</{name}>"

    def rows(value: Any) -> str:
        return "" if value is msgspec.UNSET else start + _escaped(yaml.rows(value)) + end

    return rows


def _words(name: str) -> Write:
    start, end, element = f'<{name} type="array">', f"</{name}>", name.removesuffix("s")

    def words(value: Any) -> str:
        if value is msgspec.UNSET:
            return ""
        inside = "".join([f"<{element}>{_escaped(each)}</{element}>" for each in value])
        return start + inside + end

    return words


def _mapping(name: str, kinds: Mapping[str, type]) -> Write:
    start, end, empty = f"<{name}>", f"</{name}>", f"<{name}/>"

    def mapping(value: Any) -> str:
        if not value:
            return "" if value is msgspec.UNSET else empty
        inside = [_member(_dashed(key), kinds.get(key, type(each)), each) for key, each in value.items()]
        return start + "".join(inside) + end

    return mapping


def _member(name: str, kind: type, value: Any) -> str:
    if isinstance(value, list):
        return _pair(name, value)
    return _scalar(name, kind if kind in SCALARS else str)(value)


def _pair(name: str, values: list[Any]) -> str:
    """Return the elements of an old and a new value; either may be missing."""
    kind = next((type(value) for value in values if value is not None), str)
    inside = (_member(each, kind, value) for each, value in zip(("old", "new"), values, strict=True))
    return f'<{name} type="array">{"".join(inside)}</{name}>'


def _list(name: str, how: Items) -> Write:
    start, end = f'<{name} type="array">', f"</{name}>"

    # Old clients fail on an empty array inside a resource, so it is omitted.
    def nested(value: Any) -> str:
        return start + "".join([_element(each, how) for each in value]) + end if value else ""

    return nested


def _element(record: Record, how: Items) -> str:
    name = how.element if isinstance(how.element, str) else how.element(record)
    return f'<{name} type="{how.type}">{_inside(record)}</{name}>'


def _inside(record: Record) -> str:
    return _body(type(record))(record)


def _dashed(name: str) -> str:
    return name.replace("_", "-")
