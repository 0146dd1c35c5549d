"""The rows of an imported project, written to a temporary file until all are complete."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from skerry.database.rows import Columns
from skerry.resources.archives import ProjectDetails
from skerry.store.transfer import unfinished
from skerry.text.numbers import counted
from skerry.transfer.importing import parts
from skerry.transfer.importing.files import ArchiveFiles
from skerry.transfer.importing.layout import ProjectFiles
from skerry.transfer.importing.people import MappedPeople
from skerry.transfer.importing.reading import ArchiveReader, ReadTicket
from skerry.transfer.importing.report import MOVED, WORDS, ImportReport
from skerry.transfer.importing.target import ImportTarget
from skerry.transfer.importing.tickets import TicketRows
from skerry.wire import json

# Rows of tickets may be large, so only a few are in memory at a time, with a limit on their texts.
_AT_ONCE = 100
_MAX_TEXTS_LENGTH = 4_000_000

_COUNTED = ("tickets", "versions", "attachments", "milestones", "messages", "changesets", "bins")

_MAX_NAMED = 100


class ProjectRows:
    """Writes the rows of one project in batches, one per line; ``counts`` has their numbers by table.

    ``last`` are the rows to be stored after all others.
    """

    def __init__(
        self,
        target: ImportTarget,
        reading: ArchiveReader,
        folder: ProjectFiles,
        kept: ArchiveFiles,
        temporary_file: IO[bytes],
    ) -> None:
        """Create a writer; nothing is written yet."""
        self.target = target
        self.counts: Counter[str] = Counter()
        self.last: Mapping[str, list[Columns]] = {}
        self._reading = reading
        self._folder = folder
        self._kept = kept
        self._temporary_file = temporary_file
        self._tally: Counter[tuple[int | None, bool]] = Counter()
        self._last_number = 0

    def make(self, details: ProjectDetails, placed: MappedPeople, tickets: Iterable[ReadTicket]) -> None:
        """Write all rows, each after the rows that it references; raises Unavailable or Conflict."""
        target, reading, folder = self.target, self._reading, self._folder
        self._write(target.people.rows(placed, target.now, self._kept.picture))
        # The number of a ticket that is null in the archive is not reused either.
        self._last_number = max([details.last_number, *self._folder.tickets])
        self._write({"projects": [parts.project(target, details)]})
        self._write_named(parts.messages(target, reading.messages(folder)))
        self._write_some("changesets", parts.changesets(target, reading.changesets(folder)))
        self._write_named(parts.bins(target, reading.bins(folder)))
        self._write_some("ticket_templates", parts.templates(target, reading.templates(folder)))
        self._write_tickets(tickets)
        # Written after the tickets that they count; no foreign key requires that they come first.
        self._write({"milestones": [*self._counted(parts.milestones(target, reading.milestones(folder)))]})
        # With these the project becomes visible.
        members = [*parts.members(target, reading.members(folder))]
        self.last = {
            **{
                table: [row for name, row in members if name == table]
                for table in ("project_members", "placeholder_members")
            },
            "project_counters": [self._counters()],
            "unfinished_imports": [unfinished.row(target.project_id, target.projects_here)],
        }

    def _write(self, rows: Mapping[str, list[Columns]]) -> None:
        for name, some in rows.items():
            self.counts[name] += len(some)
        line = json.encode(rows) + b"\n"
        self._kept.check_disk_space(len(line))
        self._temporary_file.write(line)

    def _write_some(self, table: str, rows: Iterable[Columns]) -> None:
        self._write_named((table, row) for row in rows)

    def _write_named(self, rows: Iterable[tuple[str, Columns]]) -> None:
        some: dict[str, list[Columns]] = {}
        for place, (table, row) in enumerate(rows, 1):
            some.setdefault(table, []).append(row)
            if place % _AT_ONCE == 0:
                self._write(some)
                some = {}
        self._write(some)

    def _write_tickets(self, tickets: Iterable[ReadTicket]) -> None:
        some: dict[str, list[Columns]] = {}
        texts = 0
        for place, read in enumerate(tickets, 1):
            ticket = TicketRows(self.target, read, self._kept.attached)
            made = ticket.make()
            for table, rows in made.items():
                some.setdefault(table, []).extend(rows)
            self._tally[ticket.milestone_id, ticket.closed] += 1
            texts += sum(len(version["body_html"]) for version in made["versions"])
            if place % _AT_ONCE == 0 or texts > _MAX_TEXTS_LENGTH:
                self._write(some)
                some, texts = {}, 0
        self._write(some)

    def _counted(self, milestones: Iterable[Columns]) -> Iterator[Columns]:
        for milestone in milestones:
            still_open = self._tally[milestone["id"], False]
            together = still_open + self._tally[milestone["id"], True]
            yield {**milestone, "tickets_count": together, "open_tickets_count": still_open}

    def _counters(self) -> Columns:
        still_open = sum(count for (_, closed), count in self._tally.items() if not closed)
        return {
            "project_id": self.target.project_id,
            "last_number": self._last_number,
            "tickets_count": self.counts["tickets"],
            "open_tickets_count": still_open,
        }

    def add_to(self, report: ImportReport, *, with_ids: bool) -> None:
        """Add the project to a report, possibly with its new ids."""
        project, here = self.target.project, self.target.project_id
        report.projects += 1
        report.tickets += self.counts["tickets"]
        report.versions += self.counts["versions"]
        report.files += self.counts["attachments"]
        counts = ", ".join(counted(f"{{n}} {WORDS[name]}", self.counts[name]) for name in _COUNTED)
        report.news.append(f"Imported project {project.id}, {project.name}: {counts}.")
        if not with_ids:
            return
        if here != project.id:
            report.news.append(f"Project {project.id} is project {here} here, because its id was taken.")
        report.news.extend(_renumbered(kind, ids) for kind, ids in self._renumbered())

    def _renumbered(self) -> Iterator[tuple[str, Mapping[int, int]]]:
        for kind in ("milestones", "messages", "bins", "attachments"):
            ids = {old: new for old, new in self.target.ids[kind].items() if old != new}
            if ids:
                yield kind, ids
        people = {old: self.target.user_ids[old] for old in sorted(self.target.user_ids) if old}
        others = {old: new for old, new in people.items() if old != new}
        if others:
            yield "people", others


def _renumbered(kind: str, ids: Mapping[int, int]) -> str:
    pairs = sorted(ids.items())
    first = ", ".join(f"{old} is {new}" for old, new in pairs[:_MAX_NAMED])
    more = f" and {len(pairs) - _MAX_NAMED} more" if len(pairs) > _MAX_NAMED else ""
    return f"{counted(MOVED.replace('{words}', WORDS[kind]), len(pairs))}: {first}{more}."
