"""Dates in the query language: parsed without a clock, resolved against one.

Times are in UTC, and so are their days, weeks, months and years. A due date is compared with the day of its
reader. Weeks begin on Monday.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, cast

Unit = Literal["minute", "hour", "day", "week", "month", "year"]

LENGTHS: dict[str, timedelta] = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
MONTHS: dict[str, int] = {"month": 1, "year": 12}


@dataclass(frozen=True)
class Midnight:
    """The beginning of one day of the calendar."""

    day: date


@dataclass(frozen=True)
class Boundary:
    """The beginning of the present unit, moved by whole units: ``("week", -1)`` is last week's."""

    unit: Unit
    steps: int


@dataclass(frozen=True)
class Ago:
    """The time a number of units ago."""

    count: int
    unit: Unit


Edge = Midnight | Boundary | Ago


@dataclass(frozen=True)
class DateSpan:
    """The time from ``start`` up to, but not including, ``end``; None means open. ``text`` is its source."""

    text: str
    start: Edge | None
    end: Edge | None

    @property
    def is_relative(self) -> bool:
        """Return whether the span depends on the present time."""
        return not all(edge is None or isinstance(edge, Midnight) for edge in (self.start, self.end))


NAMED: dict[str, tuple[Unit, int]] = {
    "today": ("day", 0),
    "yesterday": ("day", -1),
    "this week": ("week", 0),
    "last week": ("week", -1),
    "this month": ("month", 0),
    "last month": ("month", -1),
    "this year": ("year", 0),
    "last year": ("year", -1),
}

UPCOMING: dict[str, tuple[Unit, int]] = {
    "tomorrow": ("day", 1),
    "next week": ("week", 1),
    "next month": ("month", 1),
    "next year": ("year", 1),
}

OVERDUE = "overdue"
"""The word for the days before today, of tickets that are still open."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
# As the original service wrote days: 3/31/2009.
_AMERICAN = re.compile(r"^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})$", re.ASCII)
# As in this-week, which needs no quotes.
_JOINED = re.compile(r"(?<=[a-z])-(?=[a-z])")
_AGO = re.compile(r"(?P<count>[0-9]{1,6}) (?P<unit>minute|hour|day|week|month|year)s? ago")

Edges = tuple[Edge | None, Edge | None]


def read_span(text: str) -> DateSpan:
    """Parse a date of the query language; raises ValueError with the reason."""
    said = _JOINED.sub(" ", " ".join(text.lower().split()))
    return DateSpan(said, *_edges(said))


def read_due(text: str) -> DateSpan:
    """Parse the value of a due date: also ``overdue``; raises ValueError with the reason."""
    is_overdue = text.strip().lower() == OVERDUE
    return DateSpan(OVERDUE, None, Boundary("day", 0)) if is_overdue else read_span(text)


def read_day(text: str) -> Midnight | Boundary:
    """Parse one day, also relative to today; raises ValueError with the reason."""
    start, _ = _days(_JOINED.sub(" ", " ".join(text.lower().split())))
    if isinstance(start, Midnight) or (isinstance(start, Boundary) and start.unit == "day"):
        return start
    raise ValueError("it is not one day")


def _edges(said: str) -> Edges:
    if ".." in said:
        return _range(*said.split("..", 1))
    if said[:1] in ("<", ">"):
        return _compared(said)
    word, _, rest = said.partition(" ")
    if word == "since":
        return _timestamp(rest), None
    if word == "before":
        return None, _timestamp(rest)
    ago = _ago(said)
    return (ago, None) if ago else _days(said)


def _range(first: str, last: str) -> Edges:
    start = _days(first.strip())[0] if first.strip() else None
    end = _days(last.strip())[1] if last.strip() else None
    if not first.strip() and not last.strip():
        raise ValueError("a range needs a date on at least one side")
    if isinstance(start, Midnight) and isinstance(end, Midnight) and start.day >= end.day:
        raise ValueError("the range ends before it begins")
    return start, end


def _compared(said: str) -> Edges:
    sign = said[:2] if said[1:2] == "=" else said[:1]
    start, end = _days(said[len(sign) :].strip())
    if sign == ">" and end is None:
        raise ValueError("the calendar has no later day")
    return {"<": (None, start), "<=": (None, end), ">": (end, None), ">=": (start, None)}[sign]


def _timestamp(said: str) -> Edge:
    return _ago(said) or _days(said)[0]


def _ago(said: str) -> Ago | None:
    match = _AGO.fullmatch(said)
    return Ago(int(match["count"]), cast("Unit", match["unit"])) if match else None


def _days(said: str) -> tuple[Edge, Edge | None]:
    """Return the beginning of a day or of a named span, and its end; the last day of all has none."""
    named = NAMED.get(said) or UPCOMING.get(said)
    if named:
        unit, steps = named
        return Boundary(unit, steps), Boundary(unit, steps + 1)
    said = _AMERICAN.sub(_iso, said)
    if _DAY.fullmatch(said) is None:
        raise ValueError("it is not in a known date format")
    try:
        day = date.fromisoformat(said)
    except ValueError:
        raise ValueError("the calendar has no such day") from None
    return Midnight(day), None if day == date.max else Midnight(day + timedelta(days=1))


def _iso(american: re.Match[str]) -> str:
    month, day, year = american.groups()
    return f"{year}-{month:0>2}-{day:0>2}"


def resolve(span: DateSpan, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the half-open interval in UTC of the span at ``now``, which must have a time zone.

    Times before the year 1 are replaced by its beginning.
    """
    present = now.astimezone(UTC)
    return _at(span.start, present), _at(span.end, present)


def resolve_days(span: DateSpan, today: date) -> tuple[str | None, str | None]:
    """Return the half-open interval of days of the span, in their ISO form; times count as their days."""
    present = datetime.combine(today, time.min, UTC)
    return _iso_day(_at(span.start, present)), _iso_day(_at(span.end, present))


def _iso_day(timestamp: datetime | None) -> str | None:
    return None if timestamp is None else timestamp.date().isoformat()


def day_at(day: Midnight | Boundary, today: date) -> str:
    """Return a day that ``read_day`` parsed in its ISO form."""
    return day.day.isoformat() if isinstance(day, Midnight) else str(today + timedelta(days=day.steps))


def _at(edge: Edge | None, now: datetime) -> datetime | None:
    if edge is None:
        return None
    if isinstance(edge, Midnight):
        return datetime.combine(edge.day, time.min, UTC)
    if isinstance(edge, Ago):
        return _moved(now, edge.unit, -edge.count)
    return _moved(_beginning(edge.unit, now), edge.unit, edge.steps)


def _beginning(unit: Unit, now: datetime) -> datetime:
    day = now.date()
    if unit == "week":
        day -= timedelta(days=day.weekday())
    elif unit in MONTHS:
        day = day.replace(day=1, month=1 if unit == "year" else day.month)
    return datetime.combine(day, time.min, UTC)


def _moved(timestamp: datetime, unit: Unit, steps: int) -> datetime:
    try:
        if unit in LENGTHS:
            return timestamp + LENGTHS[unit] * steps
        return _months_later(timestamp, MONTHS[unit] * steps)
    except (OverflowError, ValueError):
        return datetime.min.replace(tzinfo=UTC)


def _months_later(timestamp: datetime, months: int) -> datetime:
    """Return a time some months later, on the same day of the month or the last one of a shorter month."""
    year, month = divmod(timestamp.year * 12 + timestamp.month - 1 + months, 12)
    if year < 1:
        raise ValueError("before the first year")
    day = min(timestamp.day, monthrange(year, month + 1)[1])
    return timestamp.replace(year=year, month=month + 1, day=day)
