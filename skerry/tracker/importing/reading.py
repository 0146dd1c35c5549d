"""The resources in an archive of an export, read and checked, before anything is made of them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from skerry import sizes
from skerry.errors import Invalid
from skerry.resources.bins import TicketBin
from skerry.resources.changesets import Changeset
from skerry.resources.exports import (
    BinDetails,
    ChangesetDetails,
    MessageDetails,
    MilestoneDetails,
    ProjectDetails,
    TicketDetails,
    UserDetails,
)
from skerry.resources.memberships import Membership
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket, Version
from skerry.resources.users import User
from skerry.store.batches import VALUES
from skerry.store.imports import HIGHEST
from skerry.store.unpacking import Member, Unpacked
from skerry.tracker.importing.layout import Folder
from skerry.wire import exports as names
from skerry.wire.documents import MOST_BYTES, Reader
from skerry.wire.record import Record, changed
from skerry.wire.tree import Tree

# Files without an id have one for the time being that nothing else has.
_MOST_FILES = 10_000_000

R = TypeVar("R", bound=Record)
D = TypeVar("D", bound=Record)


class ReadTicket(NamedTuple):
    """A ticket with its versions in their order, and the files that stand beside it."""

    ticket: Ticket
    details: TicketDetails
    files: dict[str, Member]

    @property
    def versions(self) -> list[Version]:
        """Every version, the oldest first; there is one at least."""
        return self.ticket.versions or []


@dataclass(frozen=True)
class Reading:
    """Reads the files of one archive; what had to be changed in them is counted in ``told``.

    Everything here raises Invalid for what cannot be used, naming the file.
    """

    files: Unpacked
    told: Counter[str]

    def user(self, files: dict[str, Member]) -> tuple[User, UserDetails, list[Membership]] | None:
        """Give somebody with their memberships, None where there is nothing but a picture."""
        if "user.json" not in files:
            return None
        user, details = self._both(files["user.json"], User, UserDetails)
        joined = self._memberships(files.get("memberships.json"))
        return user, details, joined

    def project(self, folder: Folder) -> tuple[Project, ProjectDetails]:
        """Give the project itself."""
        if "project.json" not in folder.alone:
            raise Invalid(f"Project {folder.id} cannot be used: its project.json is missing")
        project, details = self._both(folder.alone["project.json"], Project, ProjectDetails)
        _check_number(folder.alone["project.json"], "last_number", details.last_number, least=0)
        return project, details

    def members(self, folder: Folder) -> list[Membership]:
        """Give the memberships of a project."""
        member, seen = folder.alone.get("memberships.json"), set[int | str | None]()
        joined = self._memberships(member)
        for membership in joined:
            if member and membership.id:
                _check_number(member, "id", membership.id)
                _check_new(member, "id", membership.id, seen)
        return joined

    def milestones(self, folder: Folder) -> Iterator[tuple[Milestone, MilestoneDetails]]:
        """Give the milestones of a project."""
        return self._different(folder.milestones, Milestone, MilestoneDetails, lambda each: each.id)

    def bins(self, folder: Folder) -> Iterator[tuple[TicketBin, BinDetails]]:
        """Give the bins of a project."""
        return self._different(folder.bins, TicketBin, BinDetails, lambda each: each.id)

    def messages(self, folder: Folder) -> Iterator[tuple[Message, MessageDetails]]:
        """Give the messages of a project, each with its comments."""
        seen: set[int | str | None] = set()
        for member in folder.messages:
            message, details = self._both(member, Message, MessageDetails)
            for each in (message, *(message.comments or ())):
                _check_new(member, "id", each.id, seen)
            yield message, details

    def changesets(self, folder: Folder) -> Iterator[tuple[Changeset, ChangesetDetails]]:
        """Give the changesets of a project."""
        return self._different(folder.changesets, Changeset, ChangesetDetails, lambda each: each.revision)

    def tickets(self, folder: Folder) -> Iterator[ReadTicket]:
        """Give the tickets of a project by number."""
        seen: set[int | str | None] = set()
        for number, files in folder.in_order():
            member = files.get(names.TICKET)
            if member is None:
                raise Invalid(f"{next(iter(files.values())).name} cannot be used: its ticket.json is missing")
            ticket, details = self._both(member, Ticket, TicketDetails)
            if ticket.number not in (None, number):
                raise Invalid(f"{member.name}: Number must be {number}")
            _check_number(member, "number", number)
            _check_number(member, "last_version", details.last_version, least=0)
            attached = [
                changed(file, id=file.id or -(number * _MOST_FILES + place))
                for place, file in enumerate(ticket.attachments or (), 1)
            ]
            for file in attached:
                _check_new(member, "attachments, id", file.id, seen)
            others = {name: file for name, file in files.items() if name != names.TICKET}
            yield ReadTicket(
                _in_order(member, changed(ticket, number=number, attachments=attached)), details, others
            )

    def _both(self, member: Member, kind: type[R], details: type[D]) -> tuple[R, D]:
        tree, reader = self._tree(member), Reader(self.told)
        return reader.one(member.name, tree, kind), reader.details(member.name, tree, details)

    def _tree(self, member: Member) -> Tree:
        if member.size > MOST_BYTES:
            raise Invalid(f"{member.name} is too large (at most {sizes.exact(MOST_BYTES)})")
        return Reader(self.told).tree(member.name, self.files.read(member))

    def _memberships(self, member: Member | None) -> list[Membership]:
        return Reader(self.told).several(member.name, self._tree(member), Membership) if member else []

    def _different(
        self, members: list[Member], kind: type[R], details: type[D], key: Callable[[R], int | str | None]
    ) -> Iterator[tuple[R, D]]:
        seen: set[int | str | None] = set()
        for member in members:
            found = self._both(member, kind, details)
            _check_new(member, "id" if kind is not Changeset else "revision", key(found[0]), seen)
            yield found


def _check_new(member: Member, name: str, key: int | str | None, seen: set[int | str | None]) -> None:
    if not key:
        raise Invalid(f"{member.name}: {name} must not be missing")
    if key in seen:
        raise Invalid(f"{member.name}: {name} {key} stands in two places")
    seen.add(key)


def _check_number(member: Member, name: str, number: int, *, least: int = 1) -> None:
    if not least <= number <= HIGHEST:
        raise Invalid(f"{member.name}: {name} must be a whole number from {least} to {HIGHEST}")


def _in_order(member: Member, ticket: Ticket) -> Ticket:
    """Give a ticket with its versions by number, the first of which is 1; without any it has its own."""
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
