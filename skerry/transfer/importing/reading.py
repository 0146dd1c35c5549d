"""Parsing and validation of the resources in an archive."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from skerry import sizes
from skerry.errors import Invalid
from skerry.resources.archives import (
    BinDetails,
    ChangesetDetails,
    MessageDetails,
    MilestoneDetails,
    ProjectDetails,
    TicketDetails,
    UserDetails,
)
from skerry.resources.bins import TicketBin
from skerry.resources.changesets import Changeset
from skerry.resources.lists import ListSettings
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.people import Membership, User
from skerry.resources.projects import Project
from skerry.resources.ticket_templates import TicketTemplate
from skerry.resources.tickets import VALUES, Ticket, Version
from skerry.store.transfer.imports import HIGHEST
from skerry.store.transfer.unpacking import Member, Unpacked
from skerry.transfer.importing import report as say
from skerry.transfer.importing.layout import Layout, ProjectFiles
from skerry.wire import exports as names
from skerry.wire.documents import MAX_BYTES, DocumentReader
from skerry.wire.record import Record, changed
from skerry.wire.tree import Tree

# Files without an id get a temporary unique one.
_MAX_FILES = 10_000_000

# The names of some kinds in the report.
_CALLED = {"ticket_bins": "bins", "users": "people"}

R = TypeVar("R", bound=Record)
D = TypeVar("D", bound=Record)


class ReadTicket(NamedTuple):
    """A ticket with its versions in order, and its files."""

    ticket: Ticket
    details: TicketDetails
    files: dict[str, Member]

    @property
    def versions(self) -> list[Version]:
        """Return the versions, oldest first; there is at least one."""
        return self.ticket.versions or []


@dataclass(frozen=True)
class ArchiveReader:
    """Parses the files of one archive, and counts its corrections in ``told``.

    ``tell`` is called for each ticket.

    All methods raise Invalid, naming the file, for invalid data.
    """

    files: Unpacked
    told: Counter[str]
    tell: Callable[[], object] = lambda: None

    def user(self, files: dict[str, Member]) -> tuple[User, UserDetails, list[Membership]] | None:
        """Return a person with their memberships, or None if there is nothing or only a picture."""
        if "user.json" not in files:
            return None
        both = self._both(files["user.json"], User, UserDetails)
        if both is None:
            return None
        joined = self._memberships(files.get("memberships.json"))
        return *both, joined

    def project(self, folder: ProjectFiles) -> tuple[Project, ProjectDetails]:
        """Return the project itself."""
        if "project.json" not in folder.alone:
            raise Invalid(f"Project {folder.id} cannot be used: its project.json is missing")
        member = folder.alone["project.json"]
        both = self._both(member, Project, ProjectDetails)
        if both is None:
            raise Invalid(f"{member.name} cannot be used: the project is null")
        _check_number(member, "last_number", both[1].last_number, least=0)
        return both

    def members(self, folder: ProjectFiles) -> list[Membership]:
        """Return the memberships of a project."""
        member, seen = folder.alone.get("memberships.json"), set[int | str | None]()
        joined = self._memberships(member)
        for membership in joined:
            if member and membership.id:
                _check_number(member, "id", membership.id)
                _check_new(member, "id", membership.id, seen)
        return joined

    def milestones(self, folder: ProjectFiles) -> Iterator[tuple[Milestone, MilestoneDetails]]:
        """Return the milestones of a project."""
        return self._different(folder.milestones, Milestone, MilestoneDetails)

    def bins(self, folder: ProjectFiles) -> Iterator[tuple[TicketBin, BinDetails]]:
        """Return the bins of a project."""
        return self._different(folder.bins, TicketBin, BinDetails)

    def views(self, layout: Layout) -> Iterator[tuple[TicketBin, BinDetails]]:
        """Return the saved views of the account."""
        return self._different(layout.views, TicketBin, BinDetails)

    def lists(self, files: dict[str, Member]) -> list[ListSettings]:
        """Return how a person sees lists."""
        member = files.get(names.LISTS)
        if member is None:
            return []
        return DocumentReader(self.told).several(member.name, self._content(member), ListSettings)

    def templates(self, folder: ProjectFiles) -> list[TicketTemplate]:
        """Return the templates of tickets of a project, with temporary ids for those without one."""
        member, seen = folder.alone.get("templates.json"), set[int | str | None]()
        if member is None:
            return []
        listed = DocumentReader(self.told).several(member.name, self._content(member), TicketTemplate)
        templates = [changed(each, id=max(each.id or 0, 0) or -place) for place, each in enumerate(listed, 1)]
        for template in templates:
            _check_new(member, "id", template.id, seen)
        return templates

    def messages(self, folder: ProjectFiles) -> Iterator[tuple[Message, MessageDetails]]:
        """Return the messages of a project, each with its comments."""
        seen: set[int | str | None] = set()
        for member in folder.messages:
            both = self._both(member, Message, MessageDetails)
            if both is None:
                continue
            for each in (both[0], *(both[0].comments or ())):
                _check_new(member, "id", each.id, seen)
            yield both

    def changesets(self, folder: ProjectFiles) -> Iterator[tuple[Changeset, ChangesetDetails]]:
        """Return the changesets of a project."""
        return self._different(folder.changesets, Changeset, ChangesetDetails)

    def tickets(self, folder: ProjectFiles) -> Iterator[ReadTicket]:
        """Return the tickets of a project by number."""
        seen: set[int | str | None] = set()
        for number, files in folder.in_order():
            self.tell()
            member = files.get(names.TICKET)
            if member is None:
                raise Invalid(f"{next(iter(files.values())).name} cannot be used: its ticket.json is missing")
            _check_number(member, "number", number)
            others = {name: file for name, file in files.items() if name != names.TICKET}
            trees = self._trees(member, Ticket)
            if trees is None:
                self.told[say.FILES_UNLISTED] += len(others)
                continue
            ticket, details = self._records(member, trees, Ticket, TicketDetails)
            if ticket.number not in (None, number):
                raise Invalid(f"{member.name}: Number must be {number}")
            _check_number(member, "last_version", details.last_version, least=0)
            attached = [
                changed(file, id=file.id or -(number * _MAX_FILES + place))
                for place, file in enumerate(ticket.attachments or (), 1)
            ]
            for file in attached:
                _check_new(member, "attachments, id", file.id, seen)
            whole = _in_order(member, changed(ticket, number=number, attachments=attached))
            if whole.versions and trees[0].get("watchers_ids") is None:
                whole = changed(whole, watchers_ids=whole.versions[-1].watchers_ids)
            yield ReadTicket(whole, details, others)

    def _both(self, member: Member, kind: type[R], details: type[D]) -> tuple[R, D] | None:
        """Return the records of a file, or None for null."""
        trees = self._trees(member, kind)
        return self._records(member, trees, kind, details) if trees else None

    def _trees(self, member: Member, kind: type[Record]) -> tuple[Tree, object] | None:
        """Return the resource in a file and the whole file, or None for null, which is counted."""
        content = self._content(member)
        tree = DocumentReader(self.told).resource(member.name, content, kind)
        if tree is None:
            self.told[say.EMPTY.replace("{words}", say.WORDS[_CALLED.get(kind.plural, kind.plural)])] += 1
            return None
        return tree, content

    def _records(
        self, member: Member, trees: tuple[Tree, object], kind: type[R], details: type[D]
    ) -> tuple[R, D]:
        reader = DocumentReader(self.told)
        return reader.record(member.name, trees[0], kind), reader.details(member.name, trees[1], details)

    def _content(self, member: Member) -> object:
        if member.size > MAX_BYTES:
            raise Invalid(f"{member.name} is too large (at most {sizes.exact(MAX_BYTES)})")
        return DocumentReader(self.told).content(member.name, self.files.read(member))

    def _memberships(self, member: Member | None) -> list[Membership]:
        return (
            DocumentReader(self.told).several(member.name, self._content(member), Membership)
            if member
            else []
        )

    def _different(self, members: list[Member], kind: type[R], details: type[D]) -> Iterator[tuple[R, D]]:
        seen: set[int | str | None] = set()
        key = "revision" if kind is Changeset else "id"
        for member in members:
            if both := self._both(member, kind, details):
                _check_new(member, key, getattr(both[0], key), seen)
                yield both


def _check_new(member: Member, name: str, key: int | str | None, seen: set[int | str | None]) -> None:
    if not key:
        raise Invalid(f"{member.name}: {name} must not be missing")
    if key in seen:
        raise Invalid(f"{member.name}: {name} {key} is in two places")
    seen.add(key)


def _check_number(member: Member, name: str, number: int, *, least: int = 1) -> None:
    if not least <= number <= HIGHEST:
        raise Invalid(f"{member.name}: {name} must be a whole number from {least} to {HIGHEST}")


def _in_order(member: Member, ticket: Ticket) -> Ticket:
    """Return a ticket with its versions by number, from 1; without any, the ticket itself is its version."""
    versions = [
        changed(version, version=version.version or place)
        for place, version in enumerate(ticket.versions or [_opening(ticket)], 1)
    ]
    versions.sort(key=lambda version: version.version or 0)
    seen: set[int | str | None] = set()
    for version in versions:
        _check_new(member, "version", version.version, seen)
        _check_number(member, "version", version.version or 0)
    if versions[0].version != 1:
        versions[0] = changed(versions[0], version=1)
    return changed(ticket, versions=versions)


def _opening(ticket: Ticket) -> Version:
    values = {name: getattr(ticket, name) for name in (*VALUES, "created_at", "watchers_ids")}
    body = ticket.body or ticket.original_body or ticket.latest_body or ""
    return Version(version=1, body=body, user_id=ticket.creator_id, user_name=ticket.creator_name, **values)
