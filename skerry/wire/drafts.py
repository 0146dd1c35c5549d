"""Drafts: what a client may write of a record, picked from a tree and checked against its declaration."""

from collections.abc import Iterator
from typing import Any

from skerry.errors import Invalid, Unreadable
from skerry.wire import values
from skerry.wire.record import UNSET, Field, Record, fields_of
from skerry.wire.tree import Tree

Draft = dict[str, Any]
"""The writable fields that were sent, by name, with values of their declared kinds."""


def read(kind: type[Record], tree: Tree, *, creating: bool) -> Draft:
    """Give the writable fields of a record that the tree holds; everything else in it is ignored.

    Raises Unreadable if the tree holds no such record, and Invalid with one sentence for each
    value that is of the wrong kind, too long, or blank though required (when creating, also if absent).
    """
    members = _root(kind, tree)
    draft: Draft = {}
    problems: list[str] = []
    for field in fields_of(kind):
        if field.writable and (field.name in members or (creating and field.required)):
            _take(field, members.get(field.name), draft, problems)
    if problems:
        raise Invalid(problems)
    return draft


def is_sent_back(kind: type[Record], tree: Tree) -> bool:
    """Say whether the tree's record was read here and comes back; raises Unreadable if it holds none."""
    members = _root(kind, tree)
    return any(
        not values.is_nothing(members.get(first)) and members.keys() >= {*others}
        for first, *others in kind.known_by
    )


def _root(kind: type[Record], tree: Tree) -> Tree:
    for name in (kind.singular, *kind.also_read_as):
        if name in tree:
            sent = tree[name]
            root = {} if sent is None or (isinstance(sent, str) and not sent.strip()) else sent
            if isinstance(root, dict):
                return root
    if kind.bare:
        return tree
    noun = kind.singular.replace("_", " ")
    article = "an" if noun[0] in "aeio" else "a"
    # Tools such as curl call everything a form, unless they are told what it is.
    if any(name.lstrip().startswith(("{", "<")) for name in tree):
        raise Unreadable(f"The request must hold {article} {noun}; its Content-Type says that it is a form")
    raise Unreadable(f"The request must hold {article} {noun}")


def _take(field: Field, value: Any, draft: Draft, problems: list[str]) -> None:
    try:
        converted = values.convert(field, value)
    except Invalid as error:
        problems.extend(error.sentences)
        return
    found = list(_problems(field, converted))
    problems.extend(found)
    draft[field.name] = converted


def _problems(field: Field, value: Any) -> Iterator[str]:
    is_blank = value is None or (isinstance(value, str) and not value.strip())
    if field.required and is_blank:
        yield f"{field.label} can't be blank"
    if field.longest is not None and isinstance(value, str) and len(value) > field.longest:
        yield f"{field.label} is too long (at most {field.longest} characters)"


def beside(tree: Tree, name: str) -> Any:
    """Give a parameter that stands beside the root or inside it, and UNSET if it stands in neither place."""
    places = [tree, *(value for value in tree.values() if isinstance(value, dict))]
    return next((place[name] for place in places if name in place), UNSET)
