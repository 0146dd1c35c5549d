"""Parsing of records in JSON files that other programs may have written, as tolerantly as possible.

The declarations say what a file may contain: an object with the resource under its name, as in the API, or
the resource itself. Missing and null fields get their defaults, and unknown ones are ignored. Texts that
cannot be stored are repaired and counted; values that cannot be read are left out and counted.
"""

from collections import Counter
from functools import cache
from typing import Any, NamedTuple, TypeVar

from skerry import sizes
from skerry.errors import BadRequest, Invalid
from skerry.wire import damaged_json, values
from skerry.wire.record import Field, Record, fields_of
from skerry.wire.tree import Tree

R = TypeVar("R", bound=Record)

MAX_BYTES = 256 * 1024 * 1024
"""The maximum size of a JSON file in bytes."""

MAX_VALUES = 5_000_000
"""The maximum number of values in a JSON file."""

CONTROL = "{n} {text|texts} had control characters; they are now U+FFFD"
TOO_LONG = f"longer than {sizes.exact(values.MAX_BYTES)}; it ends there now"
TITLE_TOO_LONG = (
    "{n} {title or name was too long; it ends|titles and names were too long; they end} earlier now"
)

UNREADABLE = "{n} {value|values} of NAME could not be read and {was|were} left out"
OLD_TOO_LONG = "{n} old {value of a version was|values of versions were} too long and {ends|end} earlier now"

NULLS = "{n} {entry of a list was|entries of lists were} null; {it was|they were} left out"

_MAX_OLD_LENGTH = 10_000

# Each resource with a file of its own is recognised by one of these fields.
_KEYS = ("id", "number", "revision")

# Archives until 2011 have the importance as the priority; later ones have both of these, and there the
# priority is a synonym of the milestone order.
_IMPORTANCES = {"importance", "milestone_order"}


class DocumentReader:
    """Parses a file, and counts its corrections in ``told``, by sentence."""

    def __init__(self, told: Counter[str]) -> None:
        """Create a reader that adds to the counts in ``told``."""
        self._told = told
        # The same text may occur several times in a file, and is counted once.
        self._mended: set[tuple[str, str]] = set()

    def _tell(self, what: str, text: str, sentence: str = "") -> None:
        if (what, text) not in self._mended:
            self._mended.add((what, text))
            self._told[sentence or what] += 1

    def content(self, name: str, content: bytes) -> Any:
        """Return the parsed content of a file; raises Invalid, naming the file."""
        try:
            return damaged_json.read(content, MAX_VALUES, self._told)
        except BadRequest as error:
            reason = str(error).replace("The request", "It")
            raise Invalid(f"{name} cannot be used: {reason}") from error

    def resource(self, name: str, content: Any, kind: type[Record]) -> Tree | None:
        """Return the resource in a file, under its name or bare, or None for null.

        Raises Invalid, naming the file, if there is none.
        """
        if content is None:
            return None
        held = content if isinstance(content, dict) else {}
        for root in (kind.singular, *kind.aliases):
            if root in held and isinstance(held[root], dict | None):
                tree: Tree | None = held[root]
                return tree
        if any(held.get(key) is not None for key in _KEYS):
            return held
        raise Invalid(f'{name} cannot be used: it contains no object called "{kind.singular}"')

    def several(self, name: str, content: Any, kind: type[R]) -> list[R]:
        """Return the records of a list, under its name or bare; raises Invalid, naming file and field."""
        listed = content.get(kind.plural) if isinstance(content, dict) else content
        items: list[R] = self._items(name, kind, kind.plural, listed)
        return items

    def details(self, name: str, content: Any, kind: type[R]) -> R:
        """Return the details beside the resource, or the defaults; raises Invalid as above."""
        members = content.get("details") if isinstance(content, dict) else None
        return self.record(f"{name}, details", members if isinstance(members, dict) else {}, kind)

    def record(self, place: str, tree: Tree, kind: type[R]) -> R:
        """Return a record from a tree; raises Invalid, naming the file and the field."""
        if not _IMPORTANCES & tree.keys() and "priority" in tree:
            names = {"importance_name": tree["priority_name"]} if "priority_name" in tree else {}
            tree = {**tree, **names, "importance": tree["priority"]}
        # What is missing gets the default of the record; large archives have millions of values.
        there = [plan for plan in _plans(kind) if tree.get(plan.field.name) is not None]
        return kind(**{plan.field.name: self._value(place, plan, tree[plan.field.name]) for plan in there})

    def _value(self, place: str, plan: "_Plan", value: Any) -> Any:
        field = plan.field
        # HTML from outside is never stored; it shows what references mean.
        if plan.is_html:
            return values.UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else field.default
        if type(value) is field.kind is int and 0 < value <= values.MAX_INTEGER:
            return value
        if plan.items:
            return self._items(place, plan.items, field.name, value)
        if plan.record:
            return self.record(f"{place}, {field.name}", _plain(place, field.name, value), plan.record)
        try:
            return self._plain_value(place, field, value)
        except Invalid:
            self._told[UNREADABLE.replace("NAME", field.name)] += 1
            return field.default

    def _plain_value(self, place: str, field: Field, value: Any) -> Any:
        if field.kind is dict:
            return self._difference(field, value)
        if field.kind is str and not field.day:
            return self._text(place, field, value)
        if field.kind is list and field.item is not int:
            # Changed files, which have a parser of their own.
            return self._pieces(value)
        return values.convert(field, value)

    def _text(self, place: str, field: Field, value: Any) -> str:
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            raise Invalid(f"{place}: {field.name} must be a string")
        text = self._mended_text(str(value), field.longest)
        if len(text) * 4 <= values.MAX_BYTES or len(text.encode()) <= values.MAX_BYTES:
            return text
        # Each correction names its field, so that the rest can be found in the archive.
        named = f"{place}: {field.name}".replace("{", "{{").replace("}", "}}")
        self._tell(TOO_LONG, text, f"{named} is {TOO_LONG}")
        return text.encode()[: values.MAX_BYTES].decode(errors="ignore")

    def _mended_text(self, text: str, longest: int | None = None) -> str:
        if values.UNSTORABLE.search(text):
            self._tell(CONTROL, text)
            text = values.UNSTORABLE.sub("\ufffd", text)
        if longest is not None and len(text) > longest:
            self._tell(TITLE_TOO_LONG, text)
            return text[:longest]
        return text

    def _pieces(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._pieces(each) for each in value]
        return self._mended_text(value) if isinstance(value, str) else value

    def _difference(self, field: Field, difference: Any) -> Tree:
        """Return the old values in a version, by known names."""
        if difference and not isinstance(difference, dict):
            raise Invalid(f"{field.name} must be an object")
        kinds = field.members.kinds() if field.members else {}
        told = {"importance" if name == "priority" else name: difference[name] for name in difference or {}}
        return {name: self._old_value(name, kind, told[name]) for name, kind in kinds.items() if name in told}

    def _old_value(self, name: str, kind: type, value: Any) -> Any:
        if value is None:
            return None
        if kind is not str:
            try:
                return values.whole_number(name, value)
            except Invalid:
                self._told[UNREADABLE.replace("NAME", name)] += 1
                return None
        text = self._mended_text(value if isinstance(value, str) else str(value))
        self._told[OLD_TOO_LONG] += len(text) > _MAX_OLD_LENGTH
        return text[:_MAX_OLD_LENGTH]

    def _items(self, place: str, kind: type[Record], name: str, value: Any) -> Any:
        if value is None:
            return []
        if not isinstance(value, list):
            raise Invalid(f"{place}: {name} must be a list")
        items = [(number, _unwrapped(each, kind)) for number, each in enumerate(value, 1)]
        there = [(number, each) for number, each in items if each is not None]
        self._told[NULLS] += len(items) - len(there)
        return [
            self.record(f"{place}, {name} {number}", _plain(place, name, each), kind)
            for number, each in there
        ]


class _Plan(NamedTuple):
    """How the values of a field are read; ``items`` are the records of its list, ``record`` is its record."""

    field: Field
    is_html: bool
    items: type[Record] | None
    record: type[Record] | None


@cache
def _plans(kind: type[Record]) -> tuple[_Plan, ...]:
    return tuple(
        _Plan(
            field,
            field.name.endswith("_html"),
            field.item if isinstance(field.item, type) and issubclass(field.item, Record) else None,
            field.kind if issubclass(field.kind, Record) else None,
        )
        for field in fields_of(kind)
    )


def _plain(place: str, name: str, value: Any) -> Tree:
    if not isinstance(value, dict):
        raise Invalid(f"{place}: {name} must contain objects")
    return value


def _unwrapped(value: Any, kind: type[Record]) -> Any:
    """Return the object that a list item is or contains; None if there is none."""
    if not isinstance(value, dict):
        return value
    there = {name: each for name, each in value.items() if each is not None}
    if len(there) > 1:
        return value
    # A nested record, such as the person of a membership, is not the object itself.
    own = {field.name for field in fields_of(kind) if field.kind is dict or issubclass(field.kind, Record)}
    return next(
        (each for name, each in there.items() if isinstance(each, dict) and name not in own), there or None
    )
