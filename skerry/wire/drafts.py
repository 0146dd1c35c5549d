"""Drafts: the writable fields of a record, taken from a tree and validated against its declaration."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import MemberDescriptorType
from typing import Any, Generic, TypeVar

from skerry.errors import BadRequest, Invalid
from skerry.visibility import is_visible
from skerry.wire import values
from skerry.wire.record import UNSET, Field, Record, UnsetType, changed, fields_of
from skerry.wire.tree import Tree

R = TypeVar("R", bound=Record)
T = TypeVar("T")

Sent = dict[str, Any]
"""The writable fields that were sent, by name, with values of their declared kinds."""


@dataclass(frozen=True)
class Draft(Generic[R]):
    """The submitted fields of a record, with the types that its class declares.

    A field is given as an attribute of that class, such as ``Milestone.title``, so that the type checker
    knows its type and finds misspelt names.
    """

    kind: type[R]
    sent: Mapping[str, Any]

    def __bool__(self) -> bool:
        """Return whether any field was sent."""
        return bool(self.sent)

    @property
    def new(self) -> R:
        """Return a new record with the values of the draft."""
        return self.kind(**self.sent)

    def over(self, before: R) -> R:
        """Return a record with the submitted fields replaced.

        Raises Invalid for a new name that nobody can see; one from before such names were refused may stay.
        """
        names = (field for field in _writable(self.kind) if field.name in self.sent)
        fresh = (field for field in names if self.sent[field.name] != getattr(before, field.name))
        if problems := [blank(field) for field in fresh if is_invisible(field, self.sent[field.name])]:
            raise Invalid(problems)
        return changed(before, **self.sent)

    def get(self, field: T) -> T | UnsetType:
        """Return the value that was sent for a field, or ``UNSET``."""
        value: T | UnsetType = self.sent.get(_name(field), UNSET)
        return value

    def put(self, field: T, value: T) -> "Draft[R]":
        """Return the draft with another value in a field."""
        return Draft(self.kind, {**self.sent, _name(field): value})


def _name(field: object) -> str:
    if not isinstance(field, MemberDescriptorType):
        raise TypeError("A field is named by its class, as in Milestone.title")
    return field.__name__


def read(kind: type[Record], tree: Tree, *, creating: bool) -> Sent:
    """Return the writable fields of a record in a tree; everything else is ignored.

    Raises BadRequest if the tree has no such record, and Invalid with one sentence for each value that has
    the wrong type, is too long or out of bounds, or is blank although required (in a new record, also if
    absent). The names in a new record need a visible character.
    """
    members = _root(kind, tree)
    draft: Sent = {}
    problems: list[str] = []
    for field in _writable(kind):
        if field.name in members or (creating and field.required):
            _take(field, members.get(field.name), draft, problems)
            if creating and is_invisible(field, draft.get(field.name)):
                problems.append(blank(field))
    if problems:
        raise Invalid(problems)
    return draft


def is_sent_back(kind: type[Record], tree: Tree) -> bool:
    """Return whether a client read the tree's record before and sent it back; raises BadRequest for none."""
    members = _root(kind, tree)
    return any(
        not values.is_nothing(members.get(first)) and members.keys() >= {*others}
        for first, *others in kind.round_trip_fields
    )


# A form may name its method beside the fields.
_METHOD = "_method"

_IGNORED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_IGNORED = 20


def ignored(tree: Tree, *kinds: type[Record], known: Collection[str]) -> list[str]:
    """Return the names in the first kind's record that none of the kinds has, at most twenty."""
    names = _names(*kinds)
    unknown = (name for name in _root(kinds[0], tree) if name not in names and name not in known)
    return list(islice(filter(_IGNORED.fullmatch, unknown), _MAX_IGNORED))


@cache
def _names(*kinds: type[Record]) -> frozenset[str]:
    return frozenset(field.name for kind in kinds for field in fields_of(kind))


@cache
def _writable(kind: type[Record]) -> tuple[Field, ...]:
    return tuple(field for field in fields_of(kind) if field.writable)


def is_bare(kind: type[Record], tree: Tree) -> bool:
    """Return whether a tree has fields of a record, but no root, as Rails' clients send it."""
    if any(isinstance(tree.get(name), dict) for name in _roots(kind)):
        return False
    return any(field.name in tree for field in _writable(kind))


def _roots(kind: type[Record]) -> tuple[str, ...]:
    return (kind.singular, *kind.aliases)


def _root(kind: type[Record], tree: Tree) -> Tree:
    for name in _roots(kind):
        root = tree.get(name)
        if isinstance(root, dict):
            return root
    if kind.bare and (tree.keys() <= {_METHOD} or is_bare(kind, tree)):
        return tree
    # Tools such as curl declare everything as a form by default.
    if any(name.lstrip().startswith(("{", "<")) for name in tree):
        raise BadRequest(
            f'The request must contain "{kind.singular}"; its Content-Type says that it is a form'
        )
    raise BadRequest(f'The request must contain "{kind.singular}"')


def _take(field: Field, value: Any, draft: Sent, problems: list[str]) -> None:
    try:
        converted = values.convert(field, value)
    except Invalid as error:
        problems.extend(error.sentences)
        return
    if field.http_url:
        converted = converted.strip()
    problems.extend(_problems(field, converted))
    draft[field.name] = converted


def _problems(field: Field, value: Any) -> Iterator[str]:
    is_blank = value is None or (isinstance(value, str) and not value.strip())
    if field.required and is_blank:
        yield blank(field)
    if field.longest is not None and isinstance(value, str) and len(value) > field.longest:
        if values.is_plural(field.label):
            yield f"{field.label} are too long (at most {field.longest} characters)"
        else:
            yield f"{field.label} is too long (at most {field.longest} characters)"
    if field.http_url and not is_blank and not values.is_url(value):
        yield f"{field.label} must be an http or https address"
    bounds = field.within
    if bounds is not None and value is not None and not bounds.first <= value <= bounds.last:
        yield f"{field.label} must be a whole number from {bounds.first} to {bounds.last}"


def is_invisible(field: Field, value: Any) -> bool:
    """Return whether a name or a required text is not blank, and still has no visible character."""
    is_shown = (field.longest is not None or field.required) and isinstance(value, str)
    return is_shown and bool(value.strip()) and not is_visible(value)


def blank(field: Field) -> str:
    """Return the sentence for a name without a visible character."""
    return f"{field.label} can't be blank"


def extra_param(tree: Tree, name: str) -> Any:
    """Return a parameter beside the root or inside it, or UNSET."""
    places = [tree, *(value for value in tree.values() if isinstance(value, dict))]
    return next((place[name] for place in places if name in place), UNSET)
