"""Issues in the table that Jira exports, with a column for each value of a list."""

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from skerry.errors import Invalid
from skerry.transfer.sources import dates, tables
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.jira.issues import Found, Issue, read_key
from skerry.transfer.sources.records import SourceOptions
from skerry.transfer.sources.report import Report

_LINK = re.compile(r"(outward|inward) issue link \((.{1,100})\)")
_DATES = ("created", "updated", "resolved", "due date", "due")
_KNOWN = frozenset(
    (
        *(
            "summary",
            "issue key",
            "key",
            "issue id",
            "issue type",
            "status",
            "status category",
            "project key",
        ),
        *(
            "project name",
            "project type",
            "project lead",
            "project lead id",
            "project description",
            "project url",
        ),
        *("priority", "resolution", "assignee", "assignee id", "reporter", "reporter id", "creator"),
        *("creator id", "created", "updated", "last viewed", "resolved", "due date", "due", "description"),
        *("environment", "labels", "component/s", "components", "fix version/s", "fix versions"),
        *(
            "affects version/s",
            "affects versions",
            "comment",
            "attachment",
            "parent",
            "parent id",
            "parent key",
        ),
        *("parent summary", "watchers", "watchers id", "custom field (epic link)", "work ratio", "votes"),
        *("custom field (rank)", "status category changed", "parent link", "security level"),
    )
)
_NOTHING = ("", "0", "-1", "false")


def issues(
    files: SourceFiles,
    file: SourceFile,
    options: SourceOptions,
    project: Callable[[str], Found],
    report: Report,
) -> Iterator[tuple[Found, Issue]]:
    """Yield the issues of a table, each with its project.

    Raises Invalid, naming the file and the line, for what cannot be used.
    """
    charset = options.columns.charset or tables.charset_of(files, file)
    report.guess(f"{file.name} in {tables.called(charset)}")
    separator = options.columns.separator or tables.separator_of(files, file, charset)
    heading, ids = _looked_at(files, file, charset, separator, options, report)
    report.guess(f"{file.name}: times are taken as UTC, because the table does not say their zone")
    rows = tables.cells(files, file, charset, separator)
    header = [cell.strip() for cell in next(rows)[1]]
    for line, cells in rows:
        row = _Row(f"{file.name}, line {line}", header, cells, heading)
        yield row.issue(project, report, ids)


def _looked_at(
    files: SourceFiles,
    file: SourceFile,
    charset: str,
    separator: str,
    options: SourceOptions,
    report: Report,
) -> tuple[str, dict[str, str]]:
    """Return the order of days and months, and the keys of issues by their ids, after reading all rows."""
    rows = tables.cells(files, file, charset, separator, report)
    first = next(rows, None)
    names = [cell.strip().lower() for cell in first[1]] if first else []
    if "summary" not in names or not {"issue key", "key"} & set(names):
        raise Invalid(
            f"{file.name} has no columns Summary and Issue key. Jira writes tables in the language of whoever"
            " exports them: choose English in your profile there, and export again. "
            "A table of something else is imported as CSV (--from csv)"
        )
    if "created" not in names:
        raise Invalid(f"{file.name} has no column Created; export all fields")
    order, ids = dates.Order(options.columns.dates), dict[str, str]()
    for line, cells in rows:
        values = dict(zip(names, cells, strict=False))
        ids[values.get("issue id", "")] = values.get("issue key", "") or values.get("key", "")
        for place, (name, cell) in enumerate(zip(names, cells, strict=False), 1):
            if cell and (name in _DATES or name in ("comment", "attachment")):
                said = cell.partition(";")[0] if name not in _DATES else cell
                order.note(said, f"{file.name}, line {line}, column {place}")
    return order.settled(), ids


class _Row:
    """One row, whose columns may occur several times."""

    def __init__(self, place: str, header: list[str], cells: list[str], order: str) -> None:
        self._place, self._order = place, order
        self._all: dict[str, list[str]] = {}
        self._headings = {name.lower(): name for name in header}
        for name, cell in zip(header, cells, strict=False):
            if cell.strip():
                self._all.setdefault(name.lower(), []).append(cell)

    def issue(
        self, project: Callable[[str], Found], report: Report, ids: dict[str, str]
    ) -> tuple[Found, Issue]:
        """Return the issue with its project."""
        key = self._one("issue key", "key")
        named = read_key(key)
        if named is None:
            raise Invalid(f"{self._place}: Issue key must be that of an issue, such as ROOF-12")
        found = project(named.project)
        found.name = found.name or self._one("project name")
        issue = Issue(
            key,
            self._one("summary"),
            self._required("created"),
            author=self._person(found, "reporter") or self._person(found, "creator"),
            body=self._one("description"),
            environment=self._one("environment"),
            status=found.status(self._one("status"), done=self._done()),
            resolution=self._resolution(),
            kind=self._one("issue type"),
            priority=self._one("priority"),
            assignee=self._person(found, "assignee"),
            labels=[label for cell in self._several("labels") for label in cell.split()],
            components=self._several("component/s", "components"),
            milestones=[found.milestone(name) for name in self._several("fix version/s", "fix versions")],
            affects=self._several("affects version/s", "affects versions"),
            updated_at=self._moment("updated"),
            resolved_at=self._moment("resolved"),
            due_on=self._day(),
            parent=self._parent(ids),
            watchers=self._watchers(found),
            private=bool(self._one("security level")),
        )
        issue.links = list(self._links())
        issue.comments = [*self._comments(found)]
        issue.files = [*self._files(found)]
        self._count_lost(report, key)
        return found, issue

    def _one(self, *names: str) -> str:
        return next((self._all[name][0] for name in names if name in self._all), "")

    def _several(self, *names: str) -> list[str]:
        return [value.strip() for name in names for value in self._all.get(name, ())]

    def _person(self, found: Found, name: str) -> str:
        shown = self._one(name)
        return found.person(self._one(f"{name} id") or shown, shown)

    def _watchers(self, found: Found) -> list[str]:
        shown = self._several("watchers")
        return [
            found.person(key or name, name)
            for key, name in zip_longest(self._several("watchers id")[: len(shown)], shown, fillvalue="")
        ]

    def _done(self) -> bool | None:
        category = self._one("status category").lower()
        return category == "done" if category else None

    def _resolution(self) -> str:
        said = self._one("resolution")
        return "" if said.lower() == "unresolved" else said

    def _parent(self, ids: dict[str, str]) -> str:
        said = self._one("parent key", "custom field (epic link)", "parent link", "parent id", "parent")
        return said if read_key(said) else ids.get(said, "")

    def _required(self, name: str) -> int:
        moment = self._moment(name)
        if moment is None:
            raise Invalid(f"{self._place}: {name.title()} must be a time")
        return moment

    def _moment(self, name: str) -> int | None:
        said = self._one(name)
        return self._read(said, name) if said else None

    def _read(self, said: str, name: str) -> int:
        moment = dates.instant(said, self._order)
        if moment is None:
            raise Invalid(f"{self._place}: {name.title()} must be a time, and {said[:40]!r} is none")
        return moment

    def _day(self) -> str | None:
        said = self._one("due date", "due")
        day = dates.day(said, self._order) if said else None
        if said and day is None:
            raise Invalid(f"{self._place}: Due date must be a day, and {said[:40]!r} is none")
        return day

    def _links(self) -> Iterator[list[str]]:
        for name, values in self._all.items():
            if match := _LINK.fullmatch(name):
                phrase = f"is {match[2]}" if match[1] == "inward" else match[2]
                yield from ([phrase, value.strip()] for value in values)

    def _comments(self, found: Found) -> Iterator[dict[str, Any]]:
        for cell in self._all.get("comment", ()):
            said, first, rest = cell.partition(";")
            author, second, body = rest.partition(";")
            if first and second and dates.instant(said, self._order) is not None:
                author = author.strip()
                at = self._read(said, "comment")
                yield {"author": found.person(author, author), "at": at, "body": body}
            else:
                # Without its author and time, a comment keeps its place.
                yield {"author": "", "at": self._moment("updated") or self._required("created"), "body": cell}

    def _files(self, found: Found) -> Iterator[dict[str, Any]]:
        for cell in self._all.get("attachment", ()):
            parts = cell.split(";")
            at = dates.instant(parts[0], self._order)
            author, name = (parts[1].strip(), parts[2]) if len(parts) > 2 and at else ("", cell)  # noqa: PLR2004
            url = parts[-1] if "://" in parts[-1] else ""
            yield {
                "id": url.rpartition("/attachment/")[2].partition("/")[0],
                "name": name,
                "author": found.person(author, author),
                "at": at or self._required("created"),
                "size": 0,
                "type": "",
                "url": url,
            }

    def _count_lost(self, report: Report, key: str) -> None:
        for name, values in self._all.items():
            if name not in _KNOWN and not _LINK.fullmatch(name) and values[0].lower() not in _NOTHING:
                report.lose(f"{{n}} {{value|values}} of {self._headings[name][:50]}", key, len(values))
        votes = self._one("votes")
        if votes.isdecimal() and votes != "0":
            report.lose("{n} votes", key, int(votes[:9]))
