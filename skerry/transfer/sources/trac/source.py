"""Projects from the databases of Trac."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from configparser import ConfigParser, Error
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from skerry.database.transactions import SECOND
from skerry.errors import Invalid
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.records import Milestone, Project, References, SourceOptions, Ticket, TicketName
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.trac.database import HEAD, Database, Row
from skerry.transfer.sources.trac.people import People
from skerry.transfer.sources.trac.tickets import CLOSED, COLUMNS, Environment, TicketMaker

_STATES = ("new", "assigned", "accepted", "reopened")
_MAX_LEVELS = 20
_MAX_CONFIGURATION = 1024 * 1024
_LOST = {
    "revision": "{n} {commit|commits} of repositories",
    "report": "{n} saved {report|reports}",
    "permission": "{n} {permission|permissions}",
}


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return a project for each database of Trac, which may be in the folder of its environment."""
    found = [file for file in files if next(iter(file.pieces()), b"").startswith(HEAD)]
    databases = [(file, Database(files, file, report)) for file in found]
    databases = [(file, database) for file, database in databases if database.has("ticket")]
    if not databases:
        raise Invalid(f"{files.path} has no database of Trac in SQLite, such as db/trac.db")
    by_name = {file.name: file for file in files}
    name = options.name if len(databases) == 1 else ""
    projects = [_Reading(file, database, by_name, report).project(name) for file, database in databases]
    projects[0].origin = next((each.origin for each in projects if each.origin), "trac")
    return projects


class _Configuration:
    """What ``conf/trac.ini`` says."""

    def __init__(self, file: SourceFile | None) -> None:
        self._read = ConfigParser(interpolation=None, strict=False, delimiters=("=",))
        if file:
            # Without it, only names and addresses are missing.
            with suppress(Error):
                self._read.read_string(file.content(_MAX_CONFIGURATION).decode(errors="replace"))

    def value(self, section: str, name: str) -> str:
        return self._read.get(section, name, fallback="").strip()

    def fields(self) -> dict[str, str]:
        """Return the labels of custom fields by their names."""
        section = "ticket-custom"
        named = self._read.items(section) if self._read.has_section(section) else []
        return {
            name.removesuffix(".label"): label for name, label in named if name.endswith(".label") and label
        }


@dataclass(frozen=True)
class _Reading:
    file: SourceFile
    database: Database
    files: dict[str, SourceFile]
    report: Report

    def project(self, name: str) -> Project:
        """Return the project of the database."""
        database = self.database
        database.read_version()
        root = self.file.name.rpartition("/")[0].removesuffix("db")
        configuration = _Configuration(self.files.get(f"{root}conf/trac.ini"))
        address = configuration.value("trac", "base_url") or configuration.value("project", "url")
        address = address.rstrip("/") if address.startswith(("http://", "https://")) else ""
        people = People(database)
        level, levels = self._levels()
        environment = Environment(
            people, root, self.files, configuration.fields(), levels, level, address, self.report
        )
        attached = self._attached()
        closed = [*self._enum("resolution"), *self._used("resolution"), CLOSED]
        used = {status: None for status in self._used("status") if status != CLOSED}
        self._tell()
        return Project(
            self.file.name,
            name
            or configuration.value("project", "name")
            or self.file.name.rpartition("/")[2].partition(".")[0],
            self._names,
            partial(self._tickets, environment, attached),
            origin=address.partition("://")[2],
            description=configuration.value("project", "descr"),
            people=people.found,
            milestones=self._milestones(environment),
            open_states=[*dict.fromkeys(each for each in (*_STATES, *used) if each in used)] or ["new"],
            closed_states=list(dict.fromkeys(closed)),
            levels=levels,
            references=References(f"{address}/ticket/{{}}", commit=f"{address}/changeset/{{}}")
            if address
            else References(),
        )

    def _names(self) -> Iterator[TicketName]:
        for row in self.database.rows("ticket", ("id",), order="id"):
            number = row.number("id")
            yield TicketName(str(number), number)

    def _tickets(self, environment: Environment, attached: dict[str, list[Row]]) -> Iterator[Ticket]:
        needed = ("id", "time", "summary", "status")
        more = ("changetime", "reporter", "cc", "description", *(set(COLUMNS) - {"summary", "status"}))
        fields = ("ticket", "time", "author", "field", "oldvalue", "newvalue")
        changes = _Grouped(self.database.rows("ticket_change", fields, order="ticket, time"), self._lost)
        custom = _Grouped(
            self.database.rows("ticket_custom", ("ticket", "name", "value"), order="ticket, name"), self._lost
        )
        for row in self.database.rows("ticket", needed, more, order="id"):
            number = row.number("id")
            maker = TicketMaker(environment, row, attached.get(str(number), []))
            yield maker.ticket(changes.of(number), custom.of(number))
        changes.end()
        custom.end()
        self.database.tell()

    def _lost(self, row: Row) -> None:
        self.report.lose("{n} {row|rows} of tickets that are not in the export", f"#{row.number('ticket')}")

    def _enum(self, kind: str) -> list[str]:
        """Return the values of a kind in their order."""
        rows = self.database.rows("enum", ("type", "name", "value"))
        found = [(row.text("value"), row.text("name")) for row in rows if row.text("type") == kind]
        ordered = sorted(found, key=lambda each: int(each[0][:9]) if each[0][:9].isdecimal() else 0)
        return [name for _, name in ordered if name]

    def _used(self, column: str) -> list[str]:
        """Return the values of tickets, now and before."""
        rows = self.database.rows("ticket", ("id",), (column,))
        found = dict.fromkeys(row.text(column) for row in rows)
        for row in self.database.rows("ticket_change", ("field", "oldvalue", "newvalue")):
            if row.text("field") == column:
                found.update(dict.fromkeys((row.text("oldvalue"), row.text("newvalue"))))
        return [name for name in found if name]

    def _levels(self) -> tuple[str, list[str]]:
        """Return the column that is the importance, and its values."""
        for column in ("priority", "severity"):
            levels = dict.fromkeys((*self._enum(column), *self._used(column)))
            if levels:
                return column, list(levels)[:_MAX_LEVELS]
        return "priority", []

    def _attached(self) -> dict[str, list[Row]]:
        found = defaultdict[str, list[Row]](list)
        columns = ("type", "id", "filename", "time", "description", "author")
        for row in self.database.rows("attachment", columns, order="time, filename"):
            if row.text("type") == "ticket":
                found[row.text("id")].append(row)
            else:
                self.report.lose("{n} {file|files} attached to pages or milestones", row.text("filename"))
        return found

    def _milestones(self, environment: Environment) -> dict[str, Milestone]:
        found = dict[str, Milestone]()
        for row in self.database.rows("milestone", ("name", "due", "completed"), ("description",)):
            name, due = row.text("name"), row.moment("due")
            day = datetime.fromtimestamp(due // SECOND, UTC).date().isoformat() if due else None
            goals = environment.markdown(row.text("description"), _nowhere, name)
            found[name] = Milestone(name, name, goals, day, row.moment("completed"))
        return found

    def _tell(self) -> None:
        """Count what has no place here."""
        for table, sentence in _LOST.items():
            self.report.lose(sentence, "", self.database.count(table))
        pages = {row.text("name") for row in self.database.rows("wiki", ("name",))}
        self.report.lose("{n} {page|pages} of the wiki", "", len(pages))
        for table in ("component", "version"):
            for row in self.database.rows(table, ("name",), ("owner", "description")):
                if row.text("owner") or row.text("description"):
                    self.report.lose(
                        f"{{n}} {{owner|owners}} and descriptions of a {table}", row.text("name")
                    )


class _Grouped:
    """The rows of each ticket, of rows in the order of their tickets."""

    def __init__(self, rows: Iterator[Row], lost: Callable[[Row], None]) -> None:
        self._rows, self._lost = rows, lost
        self._next = next(rows, None)

    def of(self, number: int) -> list[Row]:
        found = list[Row]()
        while self._next and (ticket := self._next.number("ticket")) <= number:
            if ticket == number:
                found.append(self._next)
            else:
                self._lost(self._next)
            self._next = next(self._rows, None)
        return found

    def end(self) -> None:
        """Count the rows that are left."""
        while self._next:
            self._lost(self._next)
            self._next = next(self._rows, None)


def _nowhere(_name: str) -> str:
    return ""
