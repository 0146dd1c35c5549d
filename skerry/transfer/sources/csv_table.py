"""Tickets from a table with any columns, as spreadsheets and most trackers save it."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from skerry.database.transactions import SECOND
from skerry.errors import Invalid
from skerry.text.numbers import counted
from skerry.text.tags import read_tags
from skerry.text.words import folded
from skerry.transfer.sources import dates
from skerry.transfer.sources.columns import IGNORED, is_yes
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.records import (
    Change,
    Edit,
    Milestone,
    Person,
    Project,
    SourceOptions,
    Ticket,
    TicketName,
    Values,
)
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.tables import Table, called, cells, understood

OPEN, CLOSED = "open", "closed"

_IS_CLOSED = "is closed"
_TRUTHS = {"true": True, "yes": True, "ja": True, "false": False, "no": False, "nein": False}

Row = dict[str, list[str]]
T = TypeVar("T")

_CLOSED_WORDS = frozenset(
    {
        *("closed", "done", "resolved", "fixed", "complete", "completed", "finished", "solved", "verified"),
        *("accepted", "released", "rejected", "declined", "wontfix", "won't-fix", "duplicate", "invalid"),
        *("cancelled", "canceled", "abandoned", "dropped", "obsolete", "erledigt", "geschlossen", "fertig"),
        *("abgeschlossen", "gelöst", "behoben", "verworfen", "abgelehnt", "storniert"),
    }
)
_LEVELS = (
    "blocker critical urgent immediate highest kritisch dringend sofort p0 p1 showstopper",
    "high major hoch p2 important wichtig",
    "medium normal mittel p3 moderate",
    "low minor niedrig gering p4",
    "trivial lowest p5",
)
_RANKS = {word: rank for rank, words in enumerate(_LEVELS) for word in words.split()}
_NUMBER = re.compile(r"(?:[A-Za-z][\w]{0,30}-|#)?0*([1-9]\d{0,14})")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_ADDRESS = re.compile(r"[^<>@\s]+@[^<>@\s]+")
_BRACKETS = re.compile(r"(?P<name>[^<>]*?)\s*<(?P<email>[^<>@\s]+@[^<>\s]+)>")
# A comma before one of these is inside of a name.
_COMMA = re.compile(r",(?!\s*(?:jr|sr|ii|iii|iv|ph\.?\s?d|m\.?d|esq)\.?\s*(?:,|$))", re.IGNORECASE)
_PEOPLE = re.compile(r"[;\n]|(?<=>)\s*,")
# Tables of Skerry have it before what a spreadsheet would read as a formula.
_APOSTROPHE = re.compile(r"^'(?=[=+@\t\r-])")
_TAG_SEPARATORS = re.compile(r"[,;|\n]")
# A table without a single time is the same project again whenever it is imported.
_LONG_AGO = 946_684_800_000_000
# What trackers write if nobody is assigned.
_NOBODY = frozenset({"unassigned", "nobody", "none", "-", "--", "---", "nicht zugewiesen"})
# ClickUp writes these as [one,two].
_LISTS = frozenset({"assignee", "tags"})
_MAX_LEVELS = 20
_SPREADSHEETS = frozenset({".xlsx", ".xls", ".ods", ".numbers"})


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return one project with the rows of a table as tickets.

    The separator, the charset, the order of dates and the meaning of the columns are guessed and told, as
    far as the options do not say them.
    """
    if files.path.suffix.lower() in _SPREADSHEETS:
        raise Invalid(f"{files.path.name} is a spreadsheet; save it as CSV")
    found = files.ending(".csv", ".tsv", ".txt") or list(files)
    if len(found) != 1:
        raise Invalid(f"A table is one file, and {files.path} has {len(found)}")
    file = found[0]
    table = understood(files, file, options.columns, report)
    _tell(table, report)
    name = options.name or Path(file.name).stem.replace("_", " ").strip() or "Table"
    return [_Rows(files, file, table, report, options, name).project]


def _tell(table: Table, report: Report) -> None:
    """Report how the table was understood."""
    separators = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
    separator = separators.get(table.separator, table.separator)
    charset = called(table.charset)
    report.guess(f"{counted('{n} {row|rows}', table.rows)} in {charset}, separated by {separator}")
    order = "the day" if table.order == "dmy" else "the month"
    report.guess(f"in dates such as 03/04/2026, {order} comes first; times without a zone are in UTC")
    named = [(heading, name) for heading, name in zip(table.header, table.fields, strict=True) if name]
    report.guess(f"columns: {', '.join(f'{heading} = {name}' for heading, name in named)}")
    lost = list[str]()
    for heading, name in zip(table.header, table.fields, strict=True):
        report.columns.setdefault(heading, name or IGNORED)
        if not name or name == IGNORED:
            lost.append(heading or "(without a heading)")
    if lost:
        # All of them, because whoever reads this decides what each of them is.
        report.guess(f"columns that are left out: {', '.join(lost)}")
        report.lose("{n} {column|columns}", count=len(lost))


def _rank(level: str) -> int:
    """Return the place of a level by the first known word in its name, such as 1 for "2 - High"."""
    words = re.findall(r"\w+", level.lower())
    return next((_RANKS[word] for word in words if word in _RANKS), len(_LEVELS) // 2)


@dataclass
class _Rows:
    """The rows of a table as tickets of one project."""

    files: SourceFiles
    file: SourceFile
    table: Table
    report: Report
    options: SourceOptions
    name: str
    alone: set[str] = field(default_factory=set)
    """What stands in cells of people, which can be the name of somebody."""

    @cached_property
    def now(self) -> int:
        return int(time.time()) * SECOND

    @cached_property
    def project(self) -> Project:
        return Project(
            key=self.name,
            name=self.name,
            names=self.names,
            tickets=self.tickets,
            origin=f"csv-{self.name}",
            created_at=_LONG_AGO,
            open_states=[] if "state" in self.table.fields else [OPEN],
            closed_states=[] if "state" in self.table.fields else [CLOSED],
        )

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the line and the cells of each row by their fields, those that are not empty."""
        rows = cells(self.files, self.file, self.table.charset, self.table.separator)
        next(rows, None)
        for line, row in rows:
            found: Row = {}
            for name, cell in zip(self.table.fields, row, strict=False):
                said = _APOSTROPHE.sub("", cell.strip())
                if name in _LISTS and said.startswith("[") and said.endswith("]"):
                    said = said[1:-1].strip()
                if name == "closed" and said.casefold() in _TRUTHS:
                    found[_IS_CLOSED] = [said] if _TRUTHS[said.casefold()] else []
                elif name and name != IGNORED and said:
                    found.setdefault(name, []).append(said)
            yield line, found

    def names(self) -> Iterator[TicketName]:
        """Yield the number of each row, and collect what the project must know before its tickets."""
        earliest, levels, states = self.now, dict[str, None](), dict[str, bool]()
        for _, row in self.rows():
            earliest = min(earliest, self._first_moment(row) or earliest)
            levels.update(dict.fromkeys(row.get("importance", ())[:1]))
            self.alone.update(row.get("author", ()), row.get("assignee", ()))
            for name in row.get("state", ())[:1]:
                states[name] = states.get(name, False) or bool(row.get(_IS_CLOSED))
            for title in row.get("milestone", ())[:1]:
                self.project.milestones.setdefault(title, Milestone(title, title))
            said = row.get("number", [""])[0]
            number = _NUMBER.fullmatch(said)
            yield TicketName(said.removeprefix("#"), int(number[1]) if number else None)
        self.project.created_at = earliest if earliest < self.now else _LONG_AGO
        self._set_states(states)
        ranked = self._ranked(levels)
        self.project.levels = ranked[:_MAX_LEVELS]
        if ranked:
            self.report.guess(f"importances, the highest first: {', '.join(ranked[:_MAX_LEVELS])}")

    def _ranked(self, levels: Iterable[str]) -> list[str]:
        """Return levels, the highest first; a priority 1 is high, and an importance 1 is low."""
        if all(map(_WHOLE_NUMBER.fullmatch, levels)):
            heading = self.table.header[self.table.fields.index("importance")] if levels else ""
            return sorted(levels, key=int, reverse=heading.lower() == "importance")
        return sorted(levels, key=_rank)

    def _set_states(self, states: Mapping[str, bool]) -> None:
        closed = self.options.columns.closed or _CLOSED_WORDS
        for name, said in states.items():
            is_closed = said or folded(name).replace(" ", "-") in closed or folded(name) in closed
            (self.project.closed_states if is_closed else self.project.open_states).append(name)
        if self.project.closed_states and "state" in self.table.fields:
            self.report.guess(f"closed states: {', '.join(self.project.closed_states[:50])}")

    def tickets(self) -> Iterator[Ticket]:
        """Yield the ticket of each row."""
        for line, row in self.rows():
            yield self._ticket(line, row)

    def _ticket(self, line: int, row: Row) -> Ticket:
        place = f"line {line}"
        self._moment(row, "created", self.report, place)
        first = self._first_moment(row)
        if first is None:
            self.report.change("{n} {ticket has|tickets have} the time of this import", place)
        at = self.now if first is None else first
        updated = self._moment(row, "updated", self.report, place)
        assignee, *others = self._assignees(row) or [""]
        if others:
            sentence = "{n} other {assignee watches|assignees watch} now, because a ticket has one"
            self.report.change(sentence, f"{place}: {', '.join(others)}", len(others))
        values = Values(
            title=self._only(row, "title") or f"Row {line}",
            state=self._only(row, "state") or self._default_state(row),
            tags=frozenset(tag.strip() for cell in row.get("tags", ()) for tag in self._tags(cell)) - {""},
            assignee=assignee,
            milestone=self._only(row, "milestone"),
            level=self._only(row, "importance"),
            due_on=self._read(row, "due", dates.day, self.report, place),
        )
        author = self._person(self._only(row, "author"), self._only(row, "author email"))
        changes = [Change("", max(updated or at, at), text) for text in row.get("comment", ())]
        return Ticket(
            key=self._only(row, "number").removeprefix("#"),
            values=values,
            author=author,
            created_at=at,
            body="\n\n".join(row.get("text", ())),
            updated_at=updated,
            changes=changes + self._closing(row, values, at, place),
            watchers=others,
            private=is_yes(self._only(row, "private")),
        )

    def _tags(self, cell: str) -> Iterable[str]:
        """Return the tags in a cell, which tables of Skerry separate by blanks."""
        return read_tags(cell) if self._is_own else _TAG_SEPARATORS.split(cell)

    @property
    def _is_own(self) -> bool:
        return self.table.header[:2] == ["project_id", "number"]

    def _default_state(self, row: Row) -> str:
        if "state" in self.table.fields:
            return (self.project.open_states or [OPEN])[0]
        return CLOSED if row.get("closed") or row.get(_IS_CLOSED) else OPEN

    def _closing(self, row: Row, values: Values, at: int, place: str) -> list[Change]:
        """Return the change that closed a ticket, if the table says when that was."""
        closed = self._moment(row, "closed", self.report, place)
        if closed is None or closed < at or values.state not in self.project.closed_states:
            return []
        before = (self.project.open_states or [OPEN])[0]
        return [Change("", closed, edits={"state": Edit(before, values.state)})]

    def _assignees(self, row: Row) -> list[str]:
        """Return the keys of all assignees in a row, each once."""
        said, emails = self._only(row, "assignee"), re.split(r"[\s,;]+", self._only(row, "assignee email"))
        names = (
            [said] if self._is_own else [name for part in _PEOPLE.split(said) for name in self._names(part)]
        )
        people = (
            self._person(name.strip(), email) for name, email in zip_longest(names, emails, fillvalue="")
        )
        return list(dict.fromkeys(filter(None, people)))

    def _names(self, said: str) -> list[str]:
        """Return the names between the commas of a text, which may be one, such as ``Lovelace, Ada``."""
        parts = [part.strip() for part in _COMMA.split(said) if part.strip()]
        match parts:
            case [last, first] if "@" not in last and not (" " in last and " " in first):
                return parts if self.alone.issuperset(parts) else [said]
        return parts

    def _person(self, said: str, email: str) -> str:
        if match := _BRACKETS.fullmatch(said):
            said, email = match["name"] or match["email"], match["email"]
        elif not email and _ADDRESS.fullmatch(said):
            email = said
        elif said.casefold() in _NOBODY:
            said = ""
        key = email or said
        if key and key not in self.project.people:
            self.project.people[key] = Person(key, said or email, email if "@" in email else "")
        return key

    @staticmethod
    def _only(row: Row, name: str) -> str:
        return row.get(name, [""])[0]

    def _first_moment(self, row: Row) -> int | None:
        """Return when a ticket was created, or else the earliest other moment of its row."""
        created, *others = (self._moment(row, name, Report()) for name in ("created", "closed", "updated"))
        return min((at for at in others if at is not None), default=None) if created is None else created

    def _moment(self, row: Row, name: str, report: Report, place: str = "") -> int | None:
        return self._read(row, name, dates.instant, report, place)

    def _read(
        self, row: Row, name: str, reader: Callable[[str, str], T | None], report: Report, place: str
    ) -> T | None:
        said = self._only(row, name)
        found = reader(said, self.table.order) if said else None
        if said and found is None:
            report.lose("{n} {date|dates} that cannot be read", f"{place}: {said}")
        return found
