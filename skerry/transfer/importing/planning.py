"""The plan of an import: the archive as it was parsed, and the ids of its projects here."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property

from skerry.database.database import Database
from skerry.database.transactions import SECOND, Transaction, microseconds
from skerry.errors import Invalid, NotFound
from skerry.resources.archives import ProjectDetails
from skerry.resources.projects import Project
from skerry.store.projects import everything
from skerry.store.transfer import imports as store
from skerry.store.transfer.unpacking import Unpacked
from skerry.text.project_words import NamedProject
from skerry.text.slugs import permalink
from skerry.transfer.importing import own
from skerry.transfer.importing import report as say
from skerry.transfer.importing.kept_tickets import KeptTickets
from skerry.transfer.importing.layout import Layout, ProjectFiles, laid_out
from skerry.transfer.importing.people import MappedPeople, People
from skerry.transfer.importing.project_references import ProjectReferences
from skerry.transfer.importing.reading import ArchiveReader
from skerry.transfer.importing.references import References, references_in
from skerry.transfer.importing.report import ImportReport
from skerry.transfer.importing.target import ImportTarget, states_of, with_levels
from skerry.transfer.importing.writing import Progress
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


class Plan:
    """What is to be imported into an account, where it will be, and what of it is here already."""

    def __init__(
        self,
        database: Database,
        account_id: int,
        files: Unpacked,
        options: Options,
        kept_tickets: KeptTickets,
    ) -> None:
        self.database = database
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
        self.unfinished: Mapping[int, Mapping[int, int]] = {}
        self._planned: dict[int, int] = {}
        self._done: Counter[str] = Counter()
        self.report.told[say.UNKNOWN_FILES] += self.layout.unknown

    @property
    def reading(self) -> ArchiveReader:
        """Return a reader of the archive that counts its changes."""
        return ArchiveReader(self.files, self.report.told)

    def told_of(self, what: str) -> Callable[[], None]:
        """Return a function to be called for each ticket of the imported projects."""
        total = sum(len(folder.tickets) for folder in self.folders())

        def tell() -> None:
            self._done[what] += 1
            self.options.progress(what, self._done[what], total)

        return tell

    def check(self) -> None:
        """Parse everything to be imported; raises Invalid or NotFound."""
        if missing := {*self.options.project_ids} - self.layout.projects.keys():
            raise NotFound(f"The archive has no project {min(missing)}")
        # Corrections are counted for the projects that are imported.
        first = ArchiveReader(self.files, Counter(), self.told_of("Reading tickets"))
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
        for folder in self.folders():
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

    def folders(self) -> list[ProjectFiles]:
        """Return the chosen projects of the archive."""
        return [
            folder
            for project_id, folder in sorted(self.layout.projects.items())
            if not self.options.project_ids or project_id in self.options.project_ids
        ]

    def begin(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that may claim ids; in a dry run it only reads."""
        begin = self.database.read if self.options.dry_run else self.database.write
        return begin(self.account_id)

    def target(self, folder: ProjectFiles, project: Project) -> tuple[ImportTarget, MappedPeople]:
        """Assign new ids to a project and what is in it; return them with the people as they are here."""
        references = self.references[folder.id]
        states, project = states_of(project, self.report.told)
        project = with_levels(project, references.levels, self.report.told)
        elsewhere = self.elsewhere
        with self.begin() as transaction:
            placed = self.people.placed(transaction, references.people(self.people))
            ids = {
                kind: store.claim_ids(transaction, kind, references.ids.get(kind, ()), self.highest[kind])
                for kind in KINDS
            }
            # Another import may have taken the planned id meanwhile.
            planned = self._planned.get(folder.id, folder.id)
            new = store.claim_ids(transaction, "projects", [planned], self.highest["projects"])
            ids["projects"] = {folder.id: new[planned]}
            now = transaction.now
        self.report.told.update(references.told)
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
        return target, placed

    @cached_property
    def elsewhere(self) -> ProjectReferences:
        """Return the projects of the archive with their names here, and planned ids for those to import."""
        present_ids, planned, before = dict[int, int](), dict[int, Project](), dict[int, int]()
        chosen = {folder.id for folder in self.folders()}
        with self.begin() as transaction:
            for folder in self.layout.projects.values():
                with suppress(Invalid):
                    project, details = ArchiveReader(self.files, Counter()).project(folder)
                    project = changed(project, permalink=permalink(project.permalink or project.name))
                    present = self.here.get(folder.id) or self.present(transaction, project, details)
                    if present is not None:
                        present_ids[folder.id] = present
                        before.update(self.planned_with(folder.id, present))
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
        self._planned.update(ids)
        names += [NamedProject(ids[each], said.name, said.permalink or "") for each, said in planned.items()]
        return ProjectReferences({**present_ids, **ids}, {each.id: each for each in names}, self.report.told)

    def planned_with(self, project_id: int, here: int) -> Mapping[int, int]:
        """Return the ids of the projects of the archive that an import which has not ended had planned."""
        ids = self.unfinished.get(here, {})
        return ids if ids.get(project_id) == here else {}

    def id_here(self, project_id: int) -> int | None:
        """Return the id here of a project of the archive, or None if it is not here."""
        folder = self.layout.projects.get(project_id)
        if project_id in self.here or folder is None:
            return self.here.get(project_id)
        project, details = ArchiveReader(self.files, Counter()).project(folder)
        link = permalink(project.permalink or project.name)
        with self.database.read(self.account_id) as transaction:
            return self.present(transaction, changed(project, permalink=link), details)

    def present(self, transaction: Transaction, project: Project, details: ProjectDetails) -> int | None:
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

    @cached_property
    def highest(self) -> Mapping[str, int]:
        """Return the highest id of each kind in the archive."""
        highest = dict.fromkeys((*KINDS, "projects"), 0)
        for references in self.references.values():
            for kind, ids in references.ids.items():
                highest[kind] = max([highest[kind], *(each for each in ids if each <= store.HIGHEST)])
        return highest
