"""Records and their marks: one declaration from which all formats are derived.

A resource is one frozen ``Record`` class. The type of a field determines its JSON type, its XML ``type``
attribute, its parser and its schema; its default is what ``/new`` shows; the marks inside ``Annotated`` say
what a client may write.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

__all__ = [
    "SCALARS",
    "UNSET",
    "Bulk",
    "CachedRecord",
    "Field",
    "Items",
    "Longest",
    "Members",
    "Record",
    "Recorded",
    "UnsetType",
    "Within",
    "bulk",
    "day",
    "fields_of",
    "http_url",
    "last_change",
    "longest",
    "recorded",
    "required",
    "within",
    "words",
    "writable",
    "written",
]


class Record(msgspec.Struct, frozen=True):
    """One row of a resource, as everything outside the store sees it.

    ``singular`` and ``plural`` are the root names of an item and of a list, with underscores. Input may
    also use the root names ``aliases``, and none at all if the record is ``bare``. ``list_extras`` names
    the numbers in the body of a list, beside its items. A body with all fields of a group in
    ``round_trip_fields``, and a value in the first, is a whole record that was read here before. If a
    response would be too large (``budget``), the fields in ``omittable`` are empty and the ``texts``
    shortened. Changes of a record that ``decides_access`` need a recent sign-in. One that ``is_waiting`` says
    that what was sent waits for somebody else.
    """

    singular: ClassVar[str] = "record"
    plural: ClassVar[str] = "records"
    aliases: ClassVar[tuple[str, ...]] = ()
    bare: ClassVar[bool] = False
    list_extras: ClassVar[tuple[str, ...]] = ()
    round_trip_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    texts: ClassVar[tuple[str, ...]] = ()
    omittable: ClassVar[tuple[str, ...]] = ()
    decides_access: ClassVar[bool] = False
    is_waiting: ClassVar[bool] = False


class CachedRecord(Record, frozen=True, dict=True):
    """A record that is often sent, and caches its encoded forms (``written``)."""


R = TypeVar("R", bound=Record)
T = TypeVar("T")


@dataclass(frozen=True)
class Mark:
    """A plain flag on a field."""

    name: str


writable = Mark("writable")
"""Clients may set the field."""

required = Mark("required")
"""The field may not be blank."""


http_url = Mark("http_url")
"""The text, if not blank, is an http or https URL."""

day = Mark("day")
"""The time or text stands for a day: the date as sent, regardless of the offset.

A text is in ISO form, such as 2027-01-31, and None if there is none.
"""


words = Mark("words")
"""The text is words with commas between them; clients may also send a list, as check boxes do."""


@dataclass(frozen=True)
class Longest:
    """The text has at most this many characters."""

    characters: int


longest = Longest


@dataclass(frozen=True)
class Within:
    """The whole number is between the first and the last value."""

    first: int
    last: int


within = Within


@dataclass(frozen=True)
class Recorded:
    """Versions of the record contain the old value of the field after a change.

    ``words`` is its name in a sentence.
    """

    words: str


recorded = Recorded


@dataclass(frozen=True)
class Bulk:
    """A command in bulk edits and texts sets the field.

    ``words`` is its name in a sentence, if that differs from the name in versions.
    """

    command: str
    words: str = ""


bulk = Bulk


@dataclass(frozen=True)
class Items:
    """How a nested list is encoded: the XML element of an item, its ``type``, and whether JSON wraps it.

    ``element`` may depend on the item (pictures have another element than other files).
    """

    element: str | Callable[[Any], str]
    type: str
    wrapped: str | None = None


@dataclass(frozen=True)
class Members:
    """The kinds of a mapping's members by key, so that a null member keeps its XML ``type``.

    They are evaluated after all records are declared.
    """

    kinds: Callable[[], Mapping[str, type]]


@dataclass(frozen=True)
class Field:
    """A field of a record, as the formats see it.

    ``kind`` is the Python type without ``None``, ``UNSET`` and marks; ``item`` is the type of a list's items.
    """

    name: str
    kind: type
    item: type | None
    optional: bool
    default: Any
    writable: bool
    required: bool
    http_url: bool
    day: bool
    words: bool
    longest: int | None
    within: Within | None
    recorded: Recorded | None
    bulk: Bulk | None
    items: Items | None
    members: Members | None

    @property
    def dashed(self) -> str:
        """The field's name in XML."""
        return self.name.replace("_", "-")

    @property
    def label(self) -> str:
        """The field's name in a sentence: of ``assigned_user_id`` it is ``Assigned user``."""
        words = self.name.removesuffix("_ids").removesuffix("_id").capitalize().split("_")
        return " ".join("URL" if word.lower() == "url" else word for word in words)


@cache
def fields_of(kind: type[Record]) -> tuple[Field, ...]:
    """Return the fields of a record class in the order of declaration, which is also that of encoding."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(info, hints[info.name]) for info in msgspec.structs.fields(kind))


def _field(info: msgspec.structs.FieldInfo, hint: Any) -> Field:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *metadata = get_args(hint)
        marks = tuple(metadata)
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    kinds = [member for member in members if member not in (NoneType, UnsetType)]
    kind = get_origin(kinds[0]) or kinds[0]
    item = get_args(kinds[0])[0] if kind is list else None
    default = info.default if info.default is not msgspec.NODEFAULT else info.default_factory()
    return Field(
        name=info.name,
        kind=kind,
        item=item,
        optional=NoneType in members,
        default=default,
        writable=writable in marks,
        required=required in marks,
        http_url=http_url in marks,
        day=day in marks,
        words=words in marks,
        longest=next((mark.characters for mark in marks if isinstance(mark, Longest)), None),
        within=next((mark for mark in marks if isinstance(mark, Within)), None),
        recorded=next((mark for mark in marks if isinstance(mark, Recorded)), None),
        bulk=next((mark for mark in marks if isinstance(mark, Bulk)), None),
        items=next((mark for mark in marks if isinstance(mark, Items)), None),
        members=next((mark for mark in marks if isinstance(mark, Members)), None),
    )


SCALARS: dict[type, str] = {int: "integer", bool: "boolean", datetime: "datetime"}
"""The XML ``type`` attribute of each kind that has one; texts have none."""


def written(record: Record, write: Callable[[Any], T]) -> T:
    """Return the result of a function of a record, cached by lasting records.

    The function may depend on nothing but the record.
    """
    kept: dict[Any, T] | None = getattr(record, "__dict__", None)
    if kept is None:
        return write(record)
    encoded = kept.get(write)
    if encoded is None:
        encoded = kept[write] = write(record)
    return encoded


def changed(record: R, **fields: Any) -> R:
    """Return a copy of a record with other values in some fields."""
    return msgspec.structs.replace(record, **fields)


def last_change(record: Record) -> datetime | None:
    """Return the time of the last change of a record or of a nested one; None if it has no times."""
    inside = (part for value in msgspec.structs.astuple(record) if isinstance(value, list) for part in value)
    timestamps = (getattr(each, "updated_at", None) for each in (record, *inside))
    return max(filter(None, timestamps), default=None)
