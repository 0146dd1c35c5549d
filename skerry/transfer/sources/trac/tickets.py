"""Rows of Trac's tables as tickets: their history, their states, their texts as Markdown."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from itertools import groupby
from urllib.parse import quote

from skerry.text.markup import trac
from skerry.text.markup.trac_links import Names
from skerry.transfer.sources.columns import is_yes
from skerry.transfer.sources.files import SourceFile
from skerry.transfer.sources.records import FIELDS, Attachment, Change, Edit, Link, Ticket, Values
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.trac.database import Row
from skerry.transfer.sources.trac.people import People

COLUMNS = (
    *("type", "component", "version", "severity", "priority", "keywords", "owner", "milestone", "status"),
    *("resolution", "summary"),
)
"""The columns of a ticket whose changes a history has."""

CLOSED = "closed"

_TOLD = {
    "words": "{n} {link|links} in texts to pages, sources, reports and the like {is|are} words",
    "old": "{n} {link|links} in texts {leads|lead} to the old tracker",
    "comments": "{n} {reference|references} in texts to the number of a comment {is|are} words",
    "files": "{n} {link|links} in texts to files that are not attached to the ticket; their names stay",
    "pictures": "{n} {picture|pictures} in texts whose files the ticket does not have; their names stay",
    "macros": "{n} {macro|macros} in texts {stays|stay} as {it is|they are}",
    "small": "{n} {sign|signs} of small letters in texts, such as ^2^, {stays|stay} as {it is|they are}",
    "hidden": "{n} hidden {note|notes} in texts {is|are} shown as code",
    "texts": "{n} {text|texts} too long to be shown with markup, which {stays|stay} as {it is|they are}",
}
_LINKS = {"blockedby": "blocked-by", "dependson": "blocked-by", "blocking": "blocks", "parents": "parent"}
_NUMBER = re.compile(r"(?<!\w)#?([1-9]\d{0,14})(?!\w)")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]+\Z")
# The field of a plugin for tickets that only some may read.
_SENSITIVE = "sensitive"
_UNSAID = ("", "0", "--", "---")


@dataclass(frozen=True)
class Environment:
    """What the tickets of one environment share; ``fields`` has what custom fields are called."""

    people: People
    root: str
    files: Mapping[str, SourceFile]
    fields: Mapping[str, str]
    levels: Sequence[str]
    level: str
    address: str
    report: Report

    def markdown(self, text: str, file: Callable[[str], str], place: str) -> str:
        """Return a text as Markdown, and count what is different."""
        names = Names(file, self.address)
        written = trac.markdown(text, names)
        for kind, count in names.told.items():
            self.report.change(_TOLD[kind], place, count)
        return written


class TicketMaker:
    """Makes one ticket of its rows."""

    def __init__(self, environment: Environment, row: Row, attached: list[Row]) -> None:
        self._environment, self._row, self._report = environment, row, environment.report
        self._key = str(row.number("id"))
        self._attached = [(each, self._file(each.text("filename"))) for each in attached]
        self._there = {each.text("filename") for each, file in self._attached if file}

    def ticket(self, changes: list[Row], custom: list[Row]) -> Ticket:
        """Return the ticket."""
        row, people = self._row, self._environment.people
        now = {name: row.text(name) for name in COLUMNS}
        hiding = [each for each in custom if each.text("name").lower() == _SENSITIVE]
        custom = [each for each in custom if each not in hiding]
        body, links = self._body(custom)
        ticket = Ticket(
            self._key,
            self._values(now),
            people.key(row.text("reporter")),
            row.moment("time") or 0,
            body,
            row.moment("changetime"),
            list(self._changes(now, changes)),
            list(self._attachments()),
            links,
            people.keys(row.text("cc")),
            private=any(is_yes(each.text("value")) for each in hiding),
        )
        self._report.change(
            "{n} {component, type or version is a tag|components, types and versions are tags}",
            "",
            sum(bool(now[name]) for name in ("type", "component", "version")),
        )
        if now["severity"] and self._environment.level != "severity":
            self._report.change("{n} {severity is a tag|severities are tags}", now["severity"])
        return ticket

    def _values(self, now: Mapping[str, str]) -> Values:
        level = now[self._environment.level]
        if level not in self._environment.levels and level not in _UNSAID:
            self._report.lose(
                f"{{n}} {{use|uses}} of a {self._environment.level} that is no longer defined", level
            )
        return Values(
            now["summary"],
            (now["resolution"] or CLOSED) if now["status"] == CLOSED else now["status"] or "new",
            self._tags(now),
            self._environment.people.key(now["owner"]),
            now["milestone"],
            level,
        )

    def _tags(self, now: Mapping[str, str]) -> frozenset[str]:
        tags = {now[name].strip() for name in ("type", "component", "version")}
        if self._environment.level != "severity" and now["severity"] not in _UNSAID:
            tags.add(f"severity-{now['severity']}")
        words = now["keywords"]
        tags.update(
            word.strip() for word in (re.split("[,;]", words) if re.search("[,;]", words) else words.split())
        )
        return frozenset(tags - set(_UNSAID))

    def _changes(self, now: dict[str, str], rows: list[Row]) -> Iterator[Change]:
        """Yield the changes from the last one to the first one, each with the values before and after."""
        told = [row for row in rows if not row.text("field").startswith("_")]
        earlier = len(rows) - len(told)
        self._report.lose("{n} earlier {text|texts} of edited comments", f"#{self._key}", earlier)
        told.sort(key=lambda row: (row.moment("time") or 0, row.text("author")), reverse=True)
        for (at, author), group in groupby(told, lambda row: (row.moment("time") or 0, row.text("author"))):
            change = Change(self._environment.people.key(author), at)
            before, after = dict(now), dict(now)
            for row in group:
                self._note(change, row, before, after)
            _differ(change, self._values(before), self._values(after))
            if not change.is_empty or change.text_before is not None:
                yield change
            now = before

    def _note(self, change: Change, row: Row, before: dict[str, str], after: dict[str, str]) -> None:
        """Add one row of a history to a change."""
        field, place = row.text("field"), f"#{self._key}"
        if field == "comment":
            change.body = self._markdown(row.text("newvalue"))
            if change.body and "." in row.text("oldvalue"):
                self._report.change("{n} {reply is a plain comment|replies are plain comments}", place)
        elif field in before:
            before[field], after[field] = row.text("oldvalue"), row.text("newvalue")
        elif field == "description":
            change.text_before = self._markdown(row.text("oldvalue"))
        else:
            called = "copies" if field == "cc" else field[:50]
            self._report.lose(f"{{n}} {{change|changes}} of {called} in the history", place)

    def _markdown(self, text: str) -> str:
        return self._environment.markdown(text, self._address, f"#{self._key}")

    def _address(self, name: str) -> str:
        return f"attachment:{name}" if name in self._there else ""

    def _body(self, custom: list[Row]) -> tuple[str, list[Link]]:
        """Return the description, followed by the values that have no field here, and the links."""
        links, lines = list[Link](), list[str]()
        for row in custom:
            name, value = row.text("name"), row.text("value").strip()
            kind = _LINKS.get(name.lower())
            if kind:
                links += [Link(kind, number) for number in _NUMBER.findall(value)]
            elif value not in _UNSAID:
                called = self._environment.fields.get(name, name).replace("'", "")
                lines.append(self._markdown(f"'''{called}:''' {value}"))
                sentence = f"{{n}} {{value|values}} of {name[:50]} {{is|are}} at the end of the first text"
                self._report.change(sentence, f"#{self._key}")
        return "\n\n".join(
            part for part in (self._markdown(self._row.text("description")), *lines) if part
        ), links

    def _file(self, name: str) -> SourceFile | None:
        """Return the content of an attached file, at its place since version 1.0, or at the one before."""
        folder, hashed = (sha1(each.encode()).hexdigest() for each in (self._key, name))  # noqa: S324 - names, no secrets
        end = match[0] if (match := _EXTENSION.search(name)) else ""
        places = (
            f"files/attachments/ticket/{folder[:3]}/{folder}/{hashed}{end}",
            f"attachments/ticket/{self._key}/{quote(name)}",
        )
        files, root = self._environment.files, self._environment.root
        return next((files[root + place] for place in places if root + place in files), None)

    def _attachments(self) -> Iterator[Attachment]:
        for row, file in self._attached:
            name = row.text("filename")
            if file is None:
                place = f"#{self._key} {name}"
                self._report.lose("{n} attached {file|files}, which the export does not have", place)
                continue
            if row.text("description"):
                self._report.lose("{n} {description|descriptions} of attached files", f"#{self._key} {name}")
            author = self._environment.people.key(row.text("author"))
            at = row.moment("time") or self._row.moment("time") or 0
            yield Attachment(name, at, author, file.size, file.pieces)


def _differ(change: Change, before: Values, after: Values) -> None:
    """Describe in a change how values differ."""
    for name in FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            change.edits[name] = Edit(old, new)
    change.tagged, change.untagged = after.tags - before.tags, before.tags - after.tags
