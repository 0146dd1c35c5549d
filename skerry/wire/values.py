"""Conversion of values from clients to the declared types of fields."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from skerry import sizes
from skerry.errors import Invalid
from skerry.wire import budget
from skerry.wire.record import Field
from skerry.wire.tree import MAX_VALUES

MAX_BYTES = 1024 * 1024
"""The maximum size of a text in UTF-8."""

MAX_INTEGER = 2**63 - 1
"""The largest number that the databases store."""

NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
# Scripts send parts of URLs or file names, such as 28145-01.
LEADING = re.compile(r"\s*([+-]?[0-9]{1,30})(?![0-9]|[._eExX][0-9])")
# Rails wrote times in JSON as 2007/01/15 08:13:09 +0000.
SLASHED = re.compile(r"([0-9]{4})/([0-9]{2})/(?=[0-9]{2})")
UNSTORABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

NOTHING = {"", "nil", "null"}
YES = {"true", "1", "t", "yes", "y", "on"}
NO = {"false", "0", "f", "no", "n", "off", "", "nil", "null"}


def convert(field: Field, value: Any) -> Any:
    """Return the value converted to the field's kind; raises Invalid, naming the field.

    A number, flag or time may also be the only value in a tree.
    """
    return CONVERTERS[field.kind](field, value if field.kind is str else _text_of_lone_child(value))


def _text_of_lone_child(value: Any) -> Any:
    """Return the value of a typed element as Net::Lighthouse sends it: in a single ``content`` child."""
    if isinstance(value, dict) and len(value) == 1:
        (child,) = value.values()
        return child if isinstance(child, str) else value
    return value


def is_plural(label: str) -> bool:
    """Return whether the name of a field is in the plural; none in the singular ends with a single s."""
    return label == "People" or (label.endswith("s") and not label.endswith("ss"))


def check_text(label: str, text: str) -> None:
    """Raise Invalid if a text exceeds 1 MiB of UTF-8 or contains a character that XML does not allow."""
    wrong = UNSTORABLE.search(text)
    if wrong:
        code, position = f"{ord(wrong.group()):04X}", wrong.start() + 1
        raise Invalid(f"{label} cannot contain the character U+{code} (position {position})")
    if len(text) * 4 > MAX_BYTES and len(text.encode()) > MAX_BYTES:
        if is_plural(label):
            raise Invalid(f"{label} are too long (at most {sizes.exact(MAX_BYTES)})")
        raise Invalid(f"{label} is too long (at most {sizes.exact(MAX_BYTES)})")


def is_nothing(value: Any) -> bool:
    """Return whether a value is None, or, outside text fields, a word that means it."""
    return value is None or (isinstance(value, str) and value.strip().lower() in NOTHING)


def _text(field: Field, value: Any) -> str | None:
    if field.day:
        return _day(field, value)
    if value is None:
        return None if field.optional else ""
    if field.words and isinstance(value, list):
        _check_items(field, value)
        return ",".join(_words(field, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        if field.words:
            raise Invalid(f"{field.label} must be a list of strings")
        raise Invalid(f"{field.label} must be a string")
    check_text(field.label, value)
    check_whole(field.label, value)
    return value


def check_whole(label: str, text: str) -> None:
    """Raise Invalid for a text that was shortened in a response: saving it would lose the rest."""
    if budget.is_shortened(text):
        raise Invalid(f"{label} ends with the mark of a shortened text; send the full text")


def _integer(field: Field, value: Any) -> int | None:
    is_id = field.name.endswith("_id")
    number = whole_number(field.label, _leading(value) if is_id else value)
    # Old clients write 0 for nobody and none.
    if field.optional and not number and (number is None or is_id):
        return None
    return int(field.default or 0) if number is None else number


def _leading(value: Any) -> Any:
    """Return the whole number at the beginning of a text, as in the original service, or else the value."""
    match = LEADING.match(value) if isinstance(value, str) else None
    return match[1] if match else value


def whole_number(label: str, value: Any) -> int | None:
    """Return a whole number, also from text, or None for nothing; raises Invalid, naming the label."""
    number = _number(label, value)
    if number is not None and not -MAX_INTEGER - 1 <= number <= MAX_INTEGER:
        raise Invalid(f"{label} must be a whole number from {-MAX_INTEGER - 1} to {MAX_INTEGER}")
    return number


def _number(label: str, value: Any) -> int | None:
    if is_nothing(value):
        return None
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise Invalid(f"{label} must be a whole number")


def time_text(timestamp: datetime) -> str:
    """Return a time as clients see it, such as ``2007-01-15T08:13:09Z``: in UTC, in whole seconds."""
    return f"{timestamp.astimezone(UTC).isoformat()[:19]}Z"


def yes_or_no(label: str, value: Any) -> bool:
    """Return a flag, also from a word; raises Invalid, naming the label."""
    word = str(value).strip().lower() if isinstance(value, (str, int)) else "?"
    if word not in YES | NO:
        raise Invalid(f"{label} must be true or false")
    return word in YES


def _boolean(field: Field, value: Any) -> bool | None:
    if value is None:
        return None if field.optional else False
    return yes_or_no(field.label, value)


def _timestamp(field: Field, value: Any) -> datetime | None:
    if is_nothing(value):
        return None
    try:
        text = SLASHED.sub(r"\1-\2-", value.strip().upper().removesuffix(" UTC"), count=1)
        timestamp = datetime.fromisoformat(text)
        return timestamp.replace(microsecond=0) if field.day and timestamp.utcoffset() else _utc(timestamp)
    except (AttributeError, ValueError, OverflowError):
        raise Invalid(f"{field.label} must be a date or a time such as 2007-01-15T08:13:09Z") from None


def _day(field: Field, value: Any) -> str | None:
    try:
        timestamp = _timestamp(field, value)
    except Invalid:
        raise Invalid(f"{field.label} must be a day such as 2027-01-31") from None
    return None if timestamp is None else timestamp.date().isoformat()


def _utc(timestamp: datetime) -> datetime:
    """Return a time in UTC, which is assumed without an offset, in whole seconds."""
    whole = timestamp.replace(microsecond=0)
    return whole.replace(tzinfo=UTC) if whole.tzinfo is None else whole.astimezone(UTC)


def named_day(timestamp: datetime) -> datetime:
    """Return midnight in UTC of the day that a time with another offset names, or a time in UTC itself."""
    if not timestamp.utcoffset():
        return timestamp
    return timestamp.replace(hour=0, minute=0, second=0, tzinfo=UTC)


def whole_numbers(label: str, value: Any) -> list[int]:
    """Return a list of whole numbers from a list, or from a text such as ``1,2`` or ``[1, 2]``.

    Raises Invalid, naming the label, for anything that is not a 64-bit whole number, and for more than
    100,000 of them.
    """
    if isinstance(value, str):
        check_text(label, value)
        value = [piece for piece in re.split(r"[,\s]+", value.strip().strip("[]")) if piece]
    if isinstance(value, (int, float)):
        value = [value]
    if value is not None and not isinstance(value, list):
        raise Invalid(f"{label} must be a list of whole numbers")
    if value and len(value) > MAX_VALUES:
        raise Invalid(f"{label} contains too many numbers (at most {MAX_VALUES})")
    try:
        numbers = [whole_number(label, each) for each in value or []]
    except Invalid:
        raise Invalid(f"{label} must be a list of whole numbers") from None
    return [number for number in numbers if number is not None]


def _list(field: Field, value: Any) -> Any:
    """Return a list, or a text that has its own parser."""
    if field.item is int:
        return whole_numbers(field.label, value)
    if value is None:
        return []
    if isinstance(value, str):
        check_text(field.label, value)
        return value.replace(",", " ").split() if field.item is str else value
    if not isinstance(value, list):
        raise Invalid(f"{field.label} must be a list")
    _check_items(field, value)
    return _words(field, value) if field.item is str else value


def _words(field: Field, value: list[Any]) -> list[str]:
    """Return the texts of a list, without the empty text that a form sends for an empty list."""
    if not all(isinstance(item, str) for item in value):
        raise Invalid(f"{field.label} must be a list of strings")
    return [item.strip() for item in value if item.strip()]


def _check_items(field: Field, value: list[Any]) -> None:
    for item in value:
        if isinstance(item, list):
            _check_items(field, item)
        elif isinstance(item, str):
            check_text(field.label, item)
        elif isinstance(item, (dict, bool)):
            raise Invalid(f"{field.label} must be a list of strings or numbers")


CONVERTERS: dict[type, Callable[[Field, Any], Any]] = {
    str: _text,
    int: _integer,
    bool: _boolean,
    datetime: _timestamp,
    list: _list,
}


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL that a page may link to."""
    if not text.isprintable() or any(character in text for character in ' "<>\\'):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
