"""JSON out and in."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import msgspec

from skerry.errors import Unreadable
from skerry.wire.record import Field, Record, fields_of
from skerry.wire.tree import DEEPEST, TOO_DEEP, Tree, codec, decoded, underscored

MARK = b"\xef\xbb\xbf"

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


def item(record: Record, root: str | None = None) -> bytes:
    """Give an object whose one member is the record, under its singular name or under another root."""
    return encode({root or record.singular: _settled(record)})


def items(kind: type[Record], records: Iterable[Record], extra: Mapping[str, int] | None = None) -> bytes:
    """Give an object whose first member is the list of records, each wrapped; the extra numbers follow."""
    singular = kind.singular
    return encode({kind.plural: [{singular: _settled(record)} for record in records], **(extra or {})})


def errors(sentences: Iterable[str], status: int = 422) -> bytes:  # noqa: ARG001 - all formats have one signature
    """Give an object that holds sentences about what went wrong."""
    return encode({"errors": list(sentences)})


def _settled(record: Record) -> Record:
    """Give the record as msgspec can write it, which for most records is the record itself."""
    settle = _settlers(type(record))
    changes = {name: change(value) for name, change, needs in settle if needs(value := getattr(record, name))}
    return msgspec.structs.replace(record, **changes) if changes else record


Settler = tuple[str, Callable[[Any], Any], Callable[[Any], bool]]


@cache
def _settlers(kind: type[Record]) -> tuple[Settler, ...]:
    """Give the fields that may need a change before they are written, each with the change and its test."""
    return tuple(settler for field in fields_of(kind) if (settler := _settler(field)))


def _settler(field: Field) -> Settler | None:
    if field.items is not None:
        return field.name, _wrapper(field.items.wrapped), bool
    if issubclass(field.kind, Record):
        return field.name, _settled, bool
    return None


def _wrapper(name: str | None) -> Callable[[Any], list[Any]]:
    if name is None:
        return lambda records: [_settled(record) for record in records]
    return lambda records: [{name: _settled(record)} for record in records]


def read(body: bytes, charset: str | None = None) -> Tree:
    """Give the tree of a JSON object.

    Raises Unreadable for anything but one well-formed object at most 64 levels deep.
    """
    if codec(charset) != "utf-8":
        body = decoded(body, charset).encode()
    try:
        value = decode(body.removeprefix(MARK))
    except RecursionError:
        raise Unreadable(TOO_DEEP) from None
    except ValueError as error:
        raise Unreadable(f"The JSON cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise Unreadable("The JSON must be an object")
    tree: Tree = _named(value, 1)
    return tree


def _named(value: Any, level: int) -> Any:
    """Give the value with underscores in all its keys."""
    if not isinstance(value, (dict, list)):
        return value
    if level > DEEPEST:
        raise Unreadable(TOO_DEEP)
    if isinstance(value, list):
        return [_named(each, level + 1) for each in value]
    return {underscored(key): _named(each, level + 1) for key, each in value.items()}
