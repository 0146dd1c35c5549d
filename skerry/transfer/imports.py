"""Imports of projects with their history from an archive, each completely or not at all.

Everything is parsed once before anything changes, and tickets are kept as they were read. Then the rows of a
project are written to a file, which takes most of the time and no locks, and from there into the tables, in
transactions between which others can write. The project becomes visible with the last one. The rows of an
import that was killed before that are removed by the next import, or by the cleanup.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from tempfile import TemporaryFile
from typing import IO

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, SkerryError
from skerry.files.blobs import Blobs
from skerry.resources.archives import ProjectDetails
from skerry.resources.projects import Project
from skerry.store import accounts
from skerry.store.disk_space import check_disk_space
from skerry.store.people import people
from skerry.store.project_removals import remove_incomplete
from skerry.store.transfer import imports as store
from skerry.store.transfer import unfinished
from skerry.store.transfer.unpacking import Unpacked
from skerry.text.slugs import permalink
from skerry.transfer.importing import finishing, own
from skerry.transfer.importing import report as say
from skerry.transfer.importing.files import ArchiveFiles
from skerry.transfer.importing.kept_tickets import KeptTickets
from skerry.transfer.importing.layout import ProjectFiles
from skerry.transfer.importing.people import MappedPeople
from skerry.transfer.importing.planning import Options, Plan
from skerry.transfer.importing.report import ImportReport
from skerry.transfer.importing.rows import ProjectRows
from skerry.transfer.importing.writing import ProjectWriter
from skerry.wire.record import changed


def import_unpacked(
    database: Database, blobs: Blobs, account_id: int, files: Unpacked, options: Options
) -> ImportReport:
    """Import the projects of an unpacked archive into an account, and return the report.

    Existing projects are skipped. Raises Invalid or ArchiveError for an invalid archive, NotFound for a
    project that is not in it, Unavailable if the database or the files cannot be reached; no project is left
    incomplete.
    """
    with TemporaryFile(dir=blobs.data) as file:
        kept = KeptTickets(file, blobs.data)
        plan = Plan(database, account_id, files, options, kept)
        plan.check()
        _Importing(plan, blobs).run()
    return plan.report


class _Importing:
    """One import into one account."""

    def __init__(self, plan: Plan, blobs: Blobs) -> None:
        self.plan, self.blobs = plan, blobs
        self.database, self.account_id = plan.database, plan.account_id
        self.options, self.report = plan.options, plan.report
        self.imported: dict[int, int] = {}

    def run(self) -> None:
        """Import everything."""
        with self.database.read(self.account_id) as transaction:
            self.plan.unfinished = unfinished.everything(transaction)
        try:
            for folder in self.plan.folders():
                self._import_project(folder)
        finally:
            self._restore()
        if not self.options.dry_run:
            self._end()
        # Roles, and what people keep for themselves, belong to the account: single projects come without.
        if not self.options.project_ids:
            self._give_roles()
            self._keep_own()
        self.report.users = len(self.plan.people.made)
        self.plan.people.tell()

    def _restore(self) -> None:
        if not self.options.dry_run:
            finishing.restore(
                self.database,
                self.account_id,
                {here: self.plan.references[each] for each, here in self.imported.items()},
                self.plan.id_here,
                self.report.told,
                self.options.progress,
            )

    def _end(self) -> None:
        """Remove the marks of imported projects, except where another import had planned more of them.

        After a failure all marks stay, so that the next import restores what leads to missing projects.
        """
        ended = [
            here
            for here in self.imported.values()
            if all(self.plan.id_here(each) is not None for each in self.plan.unfinished.get(here, ()))
        ]
        with self.database.write(self.account_id) as transaction:
            unfinished.end(transaction, ended)

    def _give_roles(self) -> None:
        with_role = self.plan.people.with_role()
        self.report.told[say.ROLES_LEFT] += self.plan.people.roles_left
        if self.options.dry_run:
            with self.database.read(self.account_id) as transaction:
                self._joining(transaction, self.plan.people.placed(transaction, with_role), with_role)
            return
        with self._placed(with_role) as (transaction, placed):
            for user_id in self._joining(transaction, placed, with_role):
                role = self.plan.people.known[user_id].role
                people.join_account(transaction, placed.ids[user_id], role)

    def _keep_own(self) -> None:
        found = own.read(self.plan.reading, self.plan.layout, self.plan.people)
        if not found.owners or self.options.dry_run:
            return
        with self._placed(found.owners) as (transaction, placed):
            rows = own.OwnRows(transaction, placed.ids, self.plan.here.get, self.report.told).make(found)
            store.keep(transaction, rows)

    @contextmanager
    def _placed(self, user_ids: Collection[int]) -> Iterator[tuple[Transaction, MappedPeople]]:
        """Yield a transaction in which these people of the archive are in the account."""
        with ArchiveFiles(self.plan.files, self.blobs, self.account_id, self.report.told) as kept:
            with self.database.write(self.account_id) as transaction:
                accounts.lock(transaction)
                placed = self.plan.people.placed(transaction, user_ids)
                store.keep(transaction, self.plan.people.rows(placed, transaction.now, kept.picture))
                yield transaction, placed
            kept.settle()

    def _joining(self, transaction: Transaction, placed: MappedPeople, with_role: list[int]) -> list[int]:
        """Return the people who get a role in the account, and report new administrators."""
        # Two people with the same address become one, with the role of the first.
        each_once = {placed.ids[user_id]: user_id for user_id in reversed(with_role)}
        present = {user_id: people.person(transaction, here) for here, user_id in each_once.items()}
        joining = sorted(
            user_id for user_id, person in present.items() if person is None or person.role is None
        )
        self.report.told[say.ROLES] += len(joining)
        for user_id in joining:
            if (somebody := self.plan.people.known[user_id]).role != "member":
                who = f"{somebody.name}, {self.plan.people.email(user_id)},"
                self.report.news.append(f"{who} got the role {somebody.role} in the account.")
        return joining

    def _import_project(self, folder: ProjectFiles) -> None:
        project, details = self.plan.reading.project(folder)
        project = changed(project, id=folder.id, permalink=permalink(project.permalink or project.name))
        with self.database.read(self.account_id) as transaction:
            present = self.plan.present(transaction, project, details)
        if present is None:
            self._add_project(folder, project, details)
            return
        self.plan.projects_here.add(present)
        self.plan.here[folder.id] = present
        if self.plan.planned_with(folder.id, present):
            self.imported[folder.id] = present
        self.report.news.append(
            f"Project {folder.id}, {project.name}, already exists as project {present} and was skipped."
        )

    def _add_project(self, folder: ProjectFiles, project: Project, details: ProjectDetails) -> None:
        with (
            # The cleanup must not remove a file before its row is written.
            nullcontext() if self.options.dry_run else self.blobs.prevent_removal(),
            ArchiveFiles(
                self.plan.files, self.blobs, self.account_id, self.report.told, dry_run=self.options.dry_run
            ) as kept,
            TemporaryFile(dir=self.blobs.data) as temporary_file,
        ):
            if not self.options.dry_run:
                remove_incomplete(self.database, self.account_id)
            rows = self._make_rows(folder, project, details, kept, temporary_file)
            if not self.options.dry_run:
                try:
                    self._store(project, details, rows, temporary_file)
                except SkerryError:
                    # Its files are removed, too.
                    remove_incomplete(self.database, self.account_id)
                    raise
            kept.settle()
        self.plan.projects_here.add(rows.target.project_id)
        if not self.options.dry_run:
            self.plan.here[folder.id] = self.imported[folder.id] = rows.target.project_id
            self.report.project_ids.append(rows.target.project_id)
        rows.add_to(self.report, with_ids=self.options.with_ids)

    def _make_rows(
        self,
        folder: ProjectFiles,
        project: Project,
        details: ProjectDetails,
        kept: ArchiveFiles,
        temporary_file: IO[bytes],
    ) -> ProjectRows:
        """Assign new ids to a project, and write its rows to a temporary file."""
        target, placed = self.plan.target(folder, project)
        rows = ProjectRows(target, self.plan.reading, folder, kept, temporary_file)
        tickets = self.plan.kept_tickets.of(folder, self.plan.told_of("Preparing tickets"))
        rows.make(details, placed, tickets)
        return rows

    def _store(
        self, project: Project, details: ProjectDetails, rows: ProjectRows, temporary_file: IO[bytes]
    ) -> None:
        """Write the rows of a project to the tables.

        Raises Conflict if the disk is full, or if a concurrent import was faster.
        """

        def check(transaction: Transaction, size: int) -> None:
            check_disk_space(self.blobs.data, store.room(transaction, size))
            if self.plan.present(transaction, project, details) is not None:
                raise Conflict(f"Project {project.name} was imported by somebody else at the same time")

        project_id = rows.target.project_id
        writer = ProjectWriter(self.database, self.account_id, project_id, self.options.progress)
        writer.write(temporary_file, rows.last, check)
