"""The result of every reader: a tree of plain values under root names; and the limits of all readers."""

from typing import Any

from skerry.errors import BadRequest

Tree = dict[str, Any]
"""Names with underscores to texts, numbers, booleans, nulls, lists and further trees."""

DEEPEST = 64
"""How many levels a request may be nested, the root being the first."""

TOO_DEEP = f"The request is nested more than {DEEPEST} levels deep"

MOST_VALUES = 100_000
"""The maximum number of values in a request, nested ones included: parsing blocks other threads."""

TOO_MANY = f"The request contains more than {MOST_VALUES} values"

# Only these: some codecs of the standard library are slow or are no text encodings.
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
    """Return the codec of a charset as a Content-Type names it, UTF-8 if it names none.

    Raises BadRequest for an unsupported charset.
    """
    found = CHARSETS.get((charset or "utf-8").strip().lower())
    if found is None:
        raise BadRequest(f"The charset {charset} is not supported; use utf-8")
    return found


def decoded(body: bytes, charset: str | None) -> str:
    """Return the text of bytes; raises BadRequest if they are not in the charset."""
    name = codec(charset)
    try:
        return body.decode(name)
    except UnicodeError as error:
        raise misencoded(name) from error


def misencoded(name: str) -> BadRequest:
    """Return the error for bytes that are not in an encoding."""
    return BadRequest(f"The request is not in the encoding {name}")


def underscored(name: str) -> str:
    """Return the name of a member as records spell it: ``milestone-id`` is ``milestone_id``."""
    return name.replace("-", "_")


def count(value: Any) -> int:
    """Return the number of values in a tree or a list, nested ones included."""
    if isinstance(value, dict):
        return len(value) + sum(map(count, value.values()))
    return len(value) + sum(map(count, value)) if isinstance(value, list) else 0


def merge(into: Tree, other: Tree) -> None:
    """Add the other tree's values, trees of one name member by member; plain values win."""
    for name, value in other.items():
        present = into.get(name)
        if isinstance(present, dict) and isinstance(value, dict):
            merge(present, value)
        elif not (isinstance(present, dict) and value in (None, "")):
            into[name] = value
