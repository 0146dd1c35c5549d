"""Imports of projects with their history from an archive, each completely or not at all.

Everything is parsed once before anything changes, and tickets are kept as they were read. Then the rows of a
project are written to a file, which takes most of the time and no locks, and from there into the tables, in
transactions between which others can write. The project becomes visible with the last one. The rows of an
import that was killed before that are removed by the next import, or by the cleanup.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from skerry.database.database import Database
from skerry.database.transactions import SECOND, Transaction, microseconds
from skerry.errors import Conflict, Invalid, NotFound, SkerryError
from skerry.files.blobs import Blobs
from skerry.resources.archives import ProjectDetails
from skerry.resources.projects import Project
from skerry.store import accounts
from skerry.store.disk_space import check_disk_space
from skerry.store.people import people
from skerry.store.project_removals import remove_incomplete
from skerry.store.projects import everything
from skerry.store.transfer import imports as store
from skerry.store.transfer import unfinished
from skerry.store.transfer.unpacking import Unpacked, unpacked
from skerry.text.project_words import NamedProject
from skerry.text.slugs import permalink
from skerry.transfer.importing import finishing, own
from skerry.transfer.importing import report as say
from skerry.transfer.importing.files import ArchiveFiles
from skerry.transfer.importing.kept_tickets import KeptTickets
from skerry.transfer.importing.layout import Layout, ProjectFiles, laid_out
from skerry.transfer.importing.people import MappedPeople, People
from skerry.transfer.importing.project_references import ProjectReferences
from skerry.transfer.importing.reading import ArchiveReader
from skerry.transfer.importing.references import References, references_in
from skerry.transfer.importing.report import ImportReport
from skerry.transfer.importing.rows import ProjectRows
from skerry.transfer.importing.target import ImportTarget, states_of, with_levels
from skerry.transfer.importing.writing import Progress, ProjectWriter
from skerry.wire.record import changed

KINDS = ("milestones", "bins", "ticket_templates", "messages", "attachments", "memberships")


@dataclass(frozen=True)
class Options:
    """What to import: some projects by their ids in the archive, or all.

    ``logins`` has the e-mail address and name of people by their ids in the archive, or by their keys if
    nobody knows the ids, because they were made on the way (not ``with_ids``); these are not reported either.
    A ``dry_run`` changes nothing. ``progress`` is called often.
    """

    project_ids: Collection[int] = ()
    logins: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    dry_run: bool = False
    with_ids: bool = True
    progress: Progress = lambda _what, _done, _total: None


def import_(database: Database, blobs: Blobs, account_id: int, path: Path, options: Options) -> ImportReport:
    """Import the projects of an archive into an account, and return the report.

    Existing projects are skipped. Raises Invalid or ArchiveError for an invalid archive, NotFound for a
    project that is not in it, Unavailable if the database or the files cannot be reached; no project is left
    incomplete.
    """
    with unpacked(path, blobs.data, partial(options.progress, "Unpacking bytes")) as files:
        return import_unpacked(database, blobs, account_id, files, options)


def import_unpacked(
    database: Database, blobs: Blobs, account_id: int, files: Unpacked, options: Options
) -> ImportReport:
    """Import the projects of an unpacked archive as ``import_`` does."""
    with TemporaryFile(dir=blobs.data) as file:
        kept = KeptTickets(file, blobs.data)
        importing = _Importing(database, blobs, account_id, files, options, kept)
        importing.check()
        importing.run()
    return importing.report


class _Importing:
    """One import into one account."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        account_id: int,
        files: Unpacked,
        options: Options,
        kept_tickets: KeptTickets,
    ) -> None:
        self.database = database
        self.blobs = blobs
        self.account_id = account_id
        self.options = options
        self.files = files
        self.kept_tickets = kept_tickets
        self.report = ImportReport()
        self.layout: Layout = laid_out(files)
        self.people = People(self.layout.root, self.report.told)
        self.references: dict[int, References] = {}
        self.projects_here: set[int] = set()
        self.here: dict[int, int] = {}
        self.planned: dict[int, int] = {}
        self.imported: dict[int, int] = {}
        self.unfinished: Mapping[int, Mapping[int, int]] = {}
        self.done: Counter[str] = Counter()
        self.report.told[say.UNKNOWN_FILES] += self.layout.unknown

    @property
    def reading(self) -> ArchiveReader:
        """Return a reader of the archive that counts its changes."""
        return ArchiveReader(self.files, self.report.told)

    def _told_of(self, what: str) -> Callable[[], None]:
        """Return a function to be called for each ticket of the imported projects."""
        total = sum(len(folder.tickets) for folder in self._folders())

        def tell() -> None:
            self.done[what] += 1
            self.options.progress(what, self.done[what], total)

        return tell

    def check(self) -> None:
        """Parse everything to be imported; raises Invalid or NotFound."""
        if missing := {*self.options.project_ids} - self.layout.projects.keys():
            raise NotFound(f"The archive has no project {min(missing)}")
        # Corrections are counted for the projects that are imported.
        first = ArchiveReader(self.files, Counter(), self._told_of("Reading tickets"))
        for user_id, files in sorted(self.layout.users.items()):
            if contents := self.reading.user(files):
                user, details, joined = contents
                avatars = [name for name in files if name.startswith("avatar.")]
                picture = files[min(avatars)] if avatars else None
                self.people.add(changed(user, id=user_id), details, joined, picture)
        called = self._called()
        strangers = called.keys() - self.people.known.keys()
        for user_id, (email, name) in called.items():
            self.people.call(user_id, email, name)
        for folder in self._folders():
            named = references_in(first, folder, self.people, self.kept_tickets)
            self.references[folder.id] = named
            strangers -= named.authors | named.mentioned
        self.report.told[say.STRANGERS] += len(strangers)
        own.read(first, self.layout, self.people)

    def _called(self) -> Mapping[int, tuple[str, str]]:
        """Return the e-mail addresses and names of people by their ids; keys that nobody has are counted."""
        logins = self.options.logins
        if self.options.with_ids:
            return {int(said): somebody for said, somebody in logins.items()}
        ids = self.people.by_key()
        self.report.told[say.STRANGERS] += len(logins.keys() - ids.keys())
        return {ids[key]: somebody for key, somebody in logins.items() if key in ids}

    def _folders(self) -> list[ProjectFiles]:
        return [
            folder
            for project_id, folder in sorted(self.layout.projects.items())
            if not self.options.project_ids or project_id in self.options.project_ids
        ]

    def run(self) -> None:
        """Import everything."""
        with self.database.read(self.account_id) as transaction:
            self.unfinished = unfinished.everything(transaction)
        try:
            for folder in self._folders():
                self._import_project(folder)
        finally:
            self._restore()
        if not self.options.dry_run:
            self._end()
        # Roles, and what people keep for themselves, belong to the account: single projects come without.
        if not self.options.project_ids:
            self._give_roles()
            self._keep_own()
        self.report.users = len(self.people.made)
        self.people.tell()

    def _restore(self) -> None:
        if not self.options.dry_run:
            finishing.restore(
                self.database,
                self.account_id,
                {here: self.references[each] for each, here in self.imported.items()},
                self._here,
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
            if all(self._here(each) is not None for each in self.unfinished.get(here, ()))
        ]
        with self.database.write(self.account_id) as transaction:
            unfinished.end(transaction, ended)

    def _planned_with(self, project_id: int, here: int) -> Mapping[int, int]:
        """Return the ids of the projects of the archive that an import which has not ended had planned."""
        ids = self.unfinished.get(here, {})
        return ids if ids.get(project_id) == here else {}

    @cached_property
    def elsewhere(self) -> ProjectReferences:
        """Return the projects of the archive with their names here, and planned ids for those to import."""
        present_ids, planned, before = dict[int, int](), dict[int, Project](), dict[int, int]()
        chosen = {folder.id for folder in self._folders()}
        begun = self.database.read if self.options.dry_run else self.database.write
        with begun(self.account_id) as transaction:
            for folder in self.layout.projects.values():
                with suppress(Invalid):
                    project, details = ArchiveReader(self.files, Counter()).project(folder)
                    project = changed(project, permalink=permalink(project.permalink or project.name))
                    present = self.here.get(folder.id) or self._present(transaction, project, details)
                    if present is not None:
                        present_ids[folder.id] = present
                        before.update(self._planned_with(folder.id, present))
                    elif folder.id in chosen:
                        planned[folder.id] = project
            names = [
                NamedProject(each.id or 0, each.name, each.permalink or "")
                for each in everything(transaction)
            ]
            # Texts that are here already name the projects to come by the ids planned before.
            wanted = {each: before.get(each, each) for each in planned}
            new = store.claim_ids(transaction, "projects", wanted.values(), self.highest["projects"])
            ids = {each: new[said] for each, said in wanted.items()}
        self.planned.update(ids)
        names += [NamedProject(ids[each], said.name, said.permalink or "") for each, said in planned.items()]
        return ProjectReferences({**present_ids, **ids}, {each.id: each for each in names}, self.report.told)

    def _here(self, project_id: int) -> int | None:
        """Return the id here of a project of the archive, or None if it is not here."""
        folder = self.layout.projects.get(project_id)
        if project_id in self.here or folder is None:
            return self.here.get(project_id)
        project, details = ArchiveReader(self.files, Counter()).project(folder)
        link = permalink(project.permalink or project.name)
        with self.database.read(self.account_id) as transaction:
            return self._present(transaction, changed(project, permalink=link), details)

    def _give_roles(self) -> None:
        with_role = self.people.with_role()
        self.report.told[say.ROLES_LEFT] += self.people.roles_left
        if self.options.dry_run:
            with self.database.read(self.account_id) as transaction:
                self._joining(transaction, self.people.placed(transaction, with_role), with_role)
            return
        with ArchiveFiles(self.files, self.blobs, self.account_id, self.report.told) as kept:
            with self.database.write(self.account_id) as transaction:
                accounts.lock(transaction)
                placed = self.people.placed(transaction, with_role)
                store.keep(transaction, self.people.rows(placed, transaction.now, kept.picture))
                for user_id in self._joining(transaction, placed, with_role):
                    role = self.people.known[user_id].role
                    people.join_account(transaction, placed.ids[user_id], role)
            kept.settle()

    def _keep_own(self) -> None:
        found = own.read(self.reading, self.layout, self.people)
        if not found.owners or self.options.dry_run:
            return
        with ArchiveFiles(self.files, self.blobs, self.account_id, self.report.told) as kept:
            with self.database.write(self.account_id) as transaction:
                accounts.lock(transaction)
                placed = self.people.placed(transaction, found.owners)
                store.keep(transaction, self.people.rows(placed, transaction.now, kept.picture))
                rows = own.OwnRows(transaction, placed.ids, self.here.get, self.report.told).make(found)
                store.keep(transaction, rows)
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
            if (somebody := self.people.known[user_id]).role != "member":
                who = f"{somebody.name}, {self.people.email(user_id)},"
                self.report.news.append(f"{who} got the role {somebody.role} in the account.")
        return joining

    def _import_project(self, folder: ProjectFiles) -> None:
        project, details = self.reading.project(folder)
        project = changed(project, id=folder.id, permalink=permalink(project.permalink or project.name))
        with self.database.read(self.account_id) as transaction:
            present = self._present(transaction, project, details)
        if present is not None:
            self.projects_here.add(present)
            self.here[folder.id] = present
            if self._planned_with(folder.id, present):
                self.imported[folder.id] = present
            self.report.news.append(
                f"Project {folder.id}, {project.name}, already exists as project {present} and was skipped."
            )
            return
        with (
            # The cleanup must not remove a file before its row is written.
            nullcontext() if self.options.dry_run else self.blobs.prevent_removal(),
            ArchiveFiles(
                self.files, self.blobs, self.account_id, self.report.told, dry_run=self.options.dry_run
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
        self.projects_here.add(rows.target.project_id)
        if not self.options.dry_run:
            self.here[folder.id] = self.imported[folder.id] = rows.target.project_id
            self.report.project_ids.append(rows.target.project_id)
        rows.add_to(self.report, with_ids=self.options.with_ids)

    def _present(self, transaction: Transaction, project: Project, details: ProjectDetails) -> int | None:
        """Return the id of an existing project with the same permalink and time of creation.

        Each is returned only once: two projects with the same name may have been created in one second.
        """
        second = project.created_at and microseconds(project.created_at)
        for each in store.present(transaction):
            exact = details.created_at or each.created_at % SECOND + (second or 0)
            if (
                each.created_at == exact
                and each.permalink == project.permalink
                and each.id not in self.projects_here
            ):
                return each.id
        return None

    def _make_rows(
        self,
        folder: ProjectFiles,
        project: Project,
        details: ProjectDetails,
        kept: ArchiveFiles,
        temporary_file: IO[bytes],
    ) -> ProjectRows:
        """Assign new ids to a project, and write its rows to a temporary file."""
        references = self.references[folder.id]
        states, project = states_of(project, self.report.told)
        project = with_levels(project, references.levels, self.report.told)
        elsewhere = self.elsewhere
        begun = self.database.read if self.options.dry_run else self.database.write
        with begun(self.account_id) as transaction:
            placed = self.people.placed(transaction, references.people(self.people))
            ids = {
                kind: store.claim_ids(transaction, kind, references.ids.get(kind, ()), self.highest[kind])
                for kind in KINDS
            }
            # Another import may have taken the planned id meanwhile.
            planned = self.planned.get(folder.id, folder.id)
            new = store.claim_ids(transaction, "projects", [planned], self.highest["projects"])
            ids["projects"] = {folder.id: new[planned]}
            now = transaction.now
        target = ImportTarget(
            project=project,
            states=states,
            people=self.people,
            user_ids=placed.ids,
            placeholders=placed.placeholders,
            ids=ids,
            milestones=references.milestones,
            revisions=references.revisions,
            told=self.report.told,
            now=now,
            elsewhere=elsewhere,
            first=references.first,
        )
        self.report.told.update(references.told)
        tickets = self.kept_tickets.of(folder, self._told_of("Preparing tickets"))
        rows = ProjectRows(target, self.reading, folder, kept, temporary_file)
        rows.make(details, placed, tickets)
        return rows

    @cached_property
    def highest(self) -> Mapping[str, int]:
        """Return the highest id of each kind in the archive."""
        highest = dict.fromkeys((*KINDS, "projects"), 0)
        for references in self.references.values():
            for kind, ids in references.ids.items():
                highest[kind] = max([highest[kind], *(each for each in ids if each <= store.HIGHEST)])
        return highest

    def _store(
        self, project: Project, details: ProjectDetails, rows: ProjectRows, temporary_file: IO[bytes]
    ) -> None:
        """Write the rows of a project to the tables.

        Raises Conflict if the disk is full, or if a concurrent import was faster.
        """

        def check(transaction: Transaction, size: int) -> None:
            check_disk_space(self.blobs.data, store.room(transaction, size))
            if self._present(transaction, project, details) is not None:
                raise Conflict(f"Project {project.name} was imported by somebody else at the same time")

        project_id = rows.target.project_id
        writer = ProjectWriter(self.database, self.account_id, project_id, self.options.progress)
        writer.write(temporary_file, rows.last, check)
