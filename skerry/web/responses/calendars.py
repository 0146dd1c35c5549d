"""Calendars (iCalendar, RFC 5545) with an all-day event for each due date of milestones or tickets."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from skerry.resources.milestones import Milestone
from skerry.resources.tickets import Ticket
from skerry.text.characters import one_line

_LINE = 75
"""The maximum number of bytes in a line; longer lines are folded."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


class Dated(NamedTuple):
    """Something with a due date: its name among others, its title, its text, its page and its last change."""

    uid: str
    project_id: int | None
    due_on: date
    title: str
    text: str
    url: str | None
    changed: datetime


def dated(record: object) -> Dated | None:
    """Return the due date of a milestone or of a ticket, or None if it has none."""
    if isinstance(record, Milestone) and record.due_on:
        uid = f"milestone-{record.project_id}-{record.id}"
        day, changed = record.due_on.astimezone(UTC).date(), record.updated_at or record.due_on
        return Dated(uid, record.project_id, day, record.title, record.goals, record.url, changed)
    if isinstance(record, Ticket) and record.due_on:
        uid, day = f"ticket-{record.project_id}-{record.number}", date.fromisoformat(record.due_on)
        title, changed = f"#{record.number} {record.title}", record.updated_at or _BEGINNING
        return Dated(uid, record.project_id, day, title, "", record.url, changed)
    return None


def write(title: str, host: str, records: Iterable[object], names: Mapping[int | None, str]) -> bytes:
    """Return a calendar of the milestones or tickets that have a due date.

    ``names`` are the names of the projects by id; if there are several, titles are prefixed with them.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Skerry//Due dates//EN",
        "CALSCALE:GREGORIAN",
        f"NAME:{_text(one_line(title))}",
        f"X-WR-CALNAME:{_text(one_line(title))}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
    ]
    for each in filter(None, map(dated, records)):
        before = f"{names[each.project_id]}: " if len(names) > 1 else ""
        lines += _event(each, host, before)
    lines.append("END:VCALENDAR")
    return "".join(f"{line}\r\n" for long in lines for line in _folded(long)).encode()


def _event(each: Dated, host: str, before: str) -> Iterator[str]:
    changed = _moment(each.changed)
    yield "BEGIN:VEVENT"
    yield f"UID:{each.uid}@{host}"
    yield f"DTSTAMP:{changed}"
    yield f"LAST-MODIFIED:{changed}"
    yield f"DTSTART;VALUE=DATE:{_day(each.due_on)}"
    if each.due_on < date.max:
        yield f"DTEND;VALUE=DATE:{_day(each.due_on + timedelta(days=1))}"
    yield f"SUMMARY:{_text(one_line(before + each.title))}"
    if each.text.strip():
        yield f"DESCRIPTION:{_text(each.text)}"
    if each.url:
        yield f"URL:{each.url}"
    yield "STATUS:CONFIRMED"
    # An event must not mark anybody as busy on the due date.
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _moment(moment: datetime) -> str:
    utc = moment.astimezone(UTC)
    return f"{_day(utc.date())}T{utc:%H%M%S}Z"


def _day(day: date) -> str:
    return day.isoformat().replace("-", "")


def _text(text: str) -> str:
    """Return a text as a property value, without control characters."""
    lines = "\n".join(text.splitlines()).translate(_ESCAPED)
    return "".join(c for c in lines if c == "\t" or (c >= " " and c != "\x7f"))


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
