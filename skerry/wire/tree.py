"""The result of all parsers, a tree of plain values under root names, and their limits."""

from typing import Any

from skerry.errors import BadRequest

Tree = dict[str, Any]
"""A mapping of names with underscores to texts, numbers, booleans, nulls, lists and further trees."""

MAX_DEPTH = 64
"""The maximum depth of a request, counting the root as the first level."""

TOO_DEEP = f"The request is nested more than {MAX_DEPTH} levels deep"

MAX_VALUES = 100_000
"""The maximum number of values in a request, nested ones included: parsing blocks other threads."""

TOO_MANY = f"The request contains more than {MAX_VALUES} values"

# Only these: some codecs of the standard library are slow or no text encodings.
CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "iso-8859-1",
    "latin1": "iso-8859-1",
    "iso-8859-15": "iso-8859-15",
    "windows-1252": "windows-1252",
    "utf-16": "utf-16",
}


def codec(charset: str | None) -> str:
    """Return the codec for the charset of a Content-Type, UTF-8 by default.

    Raises BadRequest for an unsupported charset.
    """
    name = CHARSETS.get((charset or "utf-8").strip().lower())
    if name is None:
        raise BadRequest(f"The charset {charset} is not supported; use utf-8")
    return name


def decoded(body: bytes, charset: str | None) -> str:
    """Return bytes decoded as text; raises BadRequest if they are not in the charset."""
    name = codec(charset)
    try:
        return body.decode(name)
    except UnicodeError as error:
        raise misencoded(name) from error


def misencoded(name: str) -> BadRequest:
    """Return the error for bytes that are not in an encoding."""
    return BadRequest(f"The request is not in the encoding {name}")


def underscored(name: str) -> str:
    """Return the name of a member in a record's spelling: ``milestone-id`` is ``milestone_id``."""
    return name.replace("-", "_")


def count(value: Any) -> int:
    """Return the number of values in a tree or a list, nested ones included."""
    if isinstance(value, dict):
        return len(value) + sum(map(count, value.values()))
    return len(value) + sum(map(count, value)) if isinstance(value, list) else 0


def merge(into: Tree, other: Tree) -> None:
    """Merge another tree's values; trees are merged member by member, and plain values win."""
    for name, value in other.items():
        present = into.get(name)
        if isinstance(present, dict) and isinstance(value, dict):
            merge(present, value)
        elif not (isinstance(present, dict) and value in (None, "")):
            into[name] = value
