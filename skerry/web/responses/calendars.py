"""Calendars (iCalendar, RFC 5545) with an all-day event for the due date of each milestone."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta

from skerry.resources.milestones import Milestone

_LINE = 75
"""The maximum number of bytes in a line; longer lines are folded."""

_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


def write(title: str, host: str, milestones: Iterable[Milestone], names: Mapping[int | None, str]) -> bytes:
    """Return a calendar of the milestones that have a due date.

    ``names`` are the names of the projects by id; if there are several, titles are prefixed with them.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Skerry//Milestones//EN",
        "CALSCALE:GREGORIAN",
        f"NAME:{_text(title)}",
        f"X-WR-CALNAME:{_text(title)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
    ]
    for milestone in milestones:
        if milestone.due_on is not None:
            before = f"{names[milestone.project_id]}: " if len(names) > 1 else ""
            lines += _event(milestone, milestone.due_on, host, before)
    lines.append("END:VCALENDAR")
    return "".join(f"{line}\r\n" for long in lines for line in _folded(long)).encode()


def _event(milestone: Milestone, due_on: datetime, host: str, before: str) -> Iterator[str]:
    changed = _moment(milestone.updated_at or due_on)
    day = due_on.astimezone(UTC).date()
    yield "BEGIN:VEVENT"
    yield f"UID:milestone-{milestone.project_id}-{milestone.id}@{host}"
    yield f"DTSTAMP:{changed}"
    yield f"LAST-MODIFIED:{changed}"
    yield f"DTSTART;VALUE=DATE:{_day(day)}"
    if day < date.max:
        yield f"DTEND;VALUE=DATE:{_day(day + timedelta(days=1))}"
    yield f"SUMMARY:{_text(before + milestone.title)}"
    if milestone.goals.strip():
        yield f"DESCRIPTION:{_text(milestone.goals)}"
    if milestone.url:
        yield f"URL:{milestone.url}"
    yield "STATUS:CONFIRMED"
    # A due date does not make anybody busy.
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _moment(moment: datetime) -> str:
    utc = moment.astimezone(UTC)
    return f"{_day(utc.date())}T{utc:%H%M%S}Z"


def _day(day: date) -> str:
    return day.isoformat().replace("-", "")


def _text(text: str) -> str:
    """Return a text as a property value, without control characters."""
    return "".join(c for c in text.translate(_ESCAPED) if c == "\t" or (c >= " " and c != "\x7f"))


def _folded(line: str) -> Iterator[str]:
    """Yield the folded parts of a line, without splitting characters."""
    part, size = "", 0
    for character in line:
        length = len(character.encode())
        if size + length > _LINE:
            yield part
            part, size = " ", 1
        part, size = part + character, size + length
    yield part
