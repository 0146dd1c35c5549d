"""Encoding and parsing of JSON."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import isinf
from typing import Any, TypeVar

import msgspec

from skerry.errors import BadRequest
from skerry.wire.record import Field, Record, fields_of, written
from skerry.wire.tree import MAX_DEPTH, MAX_VALUES, TOO_DEEP, Tree, codec, decoded, misencoded, underscored

T = TypeVar("T")

MARK = b"\xef\xbb\xbf"


def _number(text: str) -> float:
    """Parse a number with a fraction or an exponent; the decoder itself takes 13 µs for some of them."""
    number = float(text)
    if isinf(number):
        raise msgspec.DecodeError("Number out of range")
    return number


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(float_hook=_number).decode


def decoder(kind: type[T]) -> Callable[[bytes], T]:
    """Return a function that makes values of a type, such as a record, of what ``encode`` returned."""
    return msgspec.json.Decoder(kind).decode


def item(record: Record) -> bytes:
    """Return an object with the record under its singular name."""
    return encode({record.singular: _settled(record)})


def document(root: str, shown: Any, details: Record | None) -> bytes:
    """Return an object with a record or a list under a root, and the details beside it, for a file."""
    content = (
        [written(each, list_under_root) for each in shown] if isinstance(shown, list) else _settled(shown)
    )
    return encode({root: content, **({"details": details} if details else {})})


def items(kind: type[Record], records: Iterable[Record], extra: Mapping[str, int] | None = None) -> bytes:
    """Return an object with the list of records, each wrapped, and the extra numbers after it."""
    return encode({kind.plural: [written(record, list_under_root) for record in records], **(extra or {})})


def list_under_root(record: Record) -> msgspec.Raw:
    """Return the representation of a record in a list."""
    return msgspec.Raw(item(record))


def errors(sentences: Iterable[str], status: int = 422) -> bytes:  # noqa: ARG001 - all formats have one signature
    """Return an object with error sentences."""
    return encode({"errors": list(sentences)})


def _settled(record: Record) -> Record:
    """Return the record, usually unchanged, in a form that msgspec can encode."""
    settled = {
        name: settle(value) for name, settle in _settlers(type(record)) if (value := getattr(record, name))
    }
    return msgspec.structs.replace(record, **settled) if settled else record


@cache
def _settlers(kind: type[Record]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Return the fields that must be converted before encoding unless empty, with their converters."""
    return tuple((field.name, settle) for field in fields_of(kind) if (settle := _settler(field)))


def _settler(field: Field) -> Callable[[Any], Any] | None:
    if field.items is not None:
        return _wrapper(field.items.wrapped)
    return _settled if issubclass(field.kind, Record) else None


def _wrapper(name: str | None) -> Callable[[Any], list[Any]]:
    if name is None:
        return lambda records: [_settled(record) for record in records]
    return lambda records: [{name: _settled(record)} for record in records]


def read(body: bytes, charset: str | None = None, most: int = MAX_VALUES) -> Tree:
    """Return the tree of a JSON object.

    Raises BadRequest for anything but one well-formed object at most 64 levels deep, and for more than
    ``most`` values in it.
    """
    value = read_any(body, charset, most)
    if not isinstance(value, dict):
        raise BadRequest("The JSON must be an object")
    tree: Tree = value
    return tree


def read_any(body: bytes, charset: str | None, most: int) -> Any:
    """Return any JSON value, with underscores in all its keys; raises BadRequest as ``read`` does."""
    if codec(charset) != "utf-8":
        body = decoded(body, charset).encode()
    check_number_of_values(body, most)
    body = body.removeprefix(MARK)
    try:
        value = decode(body)
    except RecursionError:
        raise BadRequest(TOO_DEEP) from None
    except UnicodeDecodeError as error:
        raise misencoded("utf-8") from error
    except ValueError as error:
        # A position such as `$[...]` means nothing to clients.
        reason = str(error).partition(" - at ")[0]
        if reason.endswith("truncated"):
            # The decoder does not say where a truncated body ends.
            reason += f" (byte {len(body)})"
        raise BadRequest(f"The JSON cannot be read: {reason}") from error
    return named(value, 1)


def check_number_of_values(body: bytes, most: int) -> None:
    """Raise BadRequest for too many values before they are created, which would block other threads."""
    if _separators(body) <= most:
        return
    # Most of them may be inside texts. A value has at most two texts, its key and itself.
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * most:
        raise BadRequest(f"The request contains more than {most} values")
    if _separators(b"".join(unescaped.split(b'"')[::2])) > most:
        raise BadRequest(f"The request contains more than {most} values")


def _separators(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def named(value: Any, level: int) -> Any:
    """Return the value with underscores in all its keys."""
    if not isinstance(value, (dict, list)):
        return value
    if level > MAX_DEPTH:
        raise BadRequest(TOO_DEEP)
    # Most values are plain, and need no call of their own.
    if isinstance(value, list):
        return [named(each, level + 1) if isinstance(each, (dict, list)) else each for each in value]
    return {
        underscored(key): named(each, level + 1) if isinstance(each, (dict, list)) else each
        for key, each in value.items()
    }
