"""Parsing of forms: ``ticket[title]=Roof`` becomes the same tree as in XML and JSON."""

import re
from binascii import a2b_qp
from collections.abc import Iterable
from typing import Any

from skerry.errors import BadRequest
from skerry.wire.tree import MAX_DEPTH, TOO_DEEP, Tree, decoded, underscored

MAX_FIELDS = 1000

BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
BRACKETED = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")


def read(body: bytes, charset: str | None = None) -> Tree:
    """Return the tree of a URL-encoded form.

    Raises BadRequest for a malformed escape, text that is not in the charset, more than 1,000 fields or names
    more than 64 levels deep.
    """
    return tree_of(pairs(body, charset))


def pairs(body: bytes, charset: str | None) -> Iterable[tuple[str, str]]:
    """Return the names and values of a URL-encoded form in order; raises BadRequest as ``read`` does."""
    if body.count(b"&") >= MAX_FIELDS:
        raise BadRequest(f"The form has more than {MAX_FIELDS} fields")
    broken = BROKEN_ESCAPE.search(body)
    if broken:
        raise BadRequest(
            f"The form contains a % without two hexadecimal digits at position {broken.start() + 1}"
        )
    for piece in body.split(b"&"):
        name, _, value = piece.partition(b"=")
        if piece:
            yield _text(name, charset), _text(value, charset)


def _text(escaped: bytes, charset: str | None) -> str:
    # Quoted-printable escapes differ only in their character. The library's function for forms is a hundred
    # times slower, and needs memory for each escape.
    in_mail = escaped.replace(b"+", b" ").replace(b"=", b"=3D").replace(b"%", b"=")
    return decoded(a2b_qp(in_mail), charset)


def tree_of(fields: Iterable[tuple[str, str]]) -> Tree:
    """Return the tree described by names with brackets; the last value of a name is used.

    ``a[b]`` is member ``b`` of ``a``, ``a[]`` another item of the list ``a``, and ``a[][b]`` member ``b`` of
    its last item, or of a new item if the last one has a ``b``. Raises BadRequest for names that contradict
    each other or are more than 64 levels deep.
    """
    tree: Tree = {}
    for name, value in fields:
        if not name:
            continue
        # Each step but the first has a bracket.
        if name.count("[") >= MAX_DEPTH:
            raise BadRequest(TOO_DEEP)
        if not _put(tree, _path(name), value):
            raise BadRequest(f"The field {name} does not fit the fields before it")
    return tree


def _path(name: str) -> list[str]:
    """Return the steps of a name, an empty one for ``[]``; a name with stray brackets is one step."""
    match = BRACKETED.fullmatch(name)
    if not match:
        return [name]
    first, rest = match.groups()
    return [underscored(step) for step in (first, *rest[1:-1].split("]["))] if rest else [underscored(first)]


def _put(into: Any, path: list[str], value: str) -> bool:
    """Put the value at the path; return False if another value is already there."""
    name, rest = path[0], path[1:]
    if name == "":
        return isinstance(into, list) and _append(into, rest, value)
    if not isinstance(into, dict):
        return False
    if not rest:
        return _set(into, name, value)
    return _put(into.setdefault(name, [] if rest[0] == "" else {}), rest, value)


def _set(into: Tree, name: str, value: str) -> bool:
    if isinstance(into.get(name), (dict, list)):
        return False
    into[name] = value
    return True


def _append(into: list[Any], rest: list[str], value: str) -> bool:
    if not rest:
        into.append(value)
        return True
    if rest[0] == "":
        into.append([])
    elif not (into and isinstance(into[-1], dict) and (len(rest) > 1 or rest[0] not in into[-1])):
        into.append({})
    return _put(into[-1], rest, value)
