"""The ids of all objects in a project of an archive, and all people named in it.

Everything is parsed to find them, so that invalid data is refused before anything is written.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from skerry.resources.archives import LinkDetails
from skerry.resources.messages import Message
from skerry.resources.tickets import Ticket, Version
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.store.transfer.imports import HIGHEST
from skerry.tracker.changesets import is_revision
from skerry.transfer.importing.kept_tickets import KeptTickets
from skerry.transfer.importing.layout import ProjectFiles
from skerry.transfer.importing.people import NOBODY, People
from skerry.transfer.importing.reading import ArchiveReader, ReadTicket


@dataclass
class References:
    """The ids of a project's objects in its archive, by kind; its milestones, revisions and people.

    ``authors`` must be people, ``mentioned`` may be unknown; ``first`` is the first member. ``levels`` are
    the names of importances. ``moved`` has the former places of tickets, with their numbers and the order,
    ``links`` the links of tickets by their numbers. ``told`` counts the corrections of tickets.
    """

    ids: dict[str, set[int]]
    milestones: set[int] = field(default_factory=set)
    revisions: set[str] = field(default_factory=set)
    authors: set[int] = field(default_factory=set)
    first: int = NOBODY
    mentioned: set[int] = field(default_factory=set)
    levels: dict[int, str] = field(default_factory=dict)
    moved: list[tuple[Place, int, int]] = field(default_factory=list)
    links: list[tuple[int, LinkDetails]] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, *ids: int | None) -> None:
        """Record ids of one kind."""
        self.ids.setdefault(kind, set()).update(each for each in ids if each)

    def mention(self, *user_ids: int | None) -> None:
        """Record references to people who may be unknown."""
        self.mentioned.update(each for each in user_ids if each)

    def people(self, known: People) -> set[int]:
        """Return the ids of all required people. Unknown authors are added."""
        authors = {known.author(user_id) for user_id in self.authors}
        return authors | {user_id for user_id in self.mentioned if user_id in known.known}


def references_in(
    reading: ArchiveReader, folder: ProjectFiles, people: People, kept: KeptTickets
) -> References:
    """Parse a whole project, keep its tickets, and return its references; raises Invalid for invalid data."""
    project, _ = reading.project(folder)
    wanted = References(ids={"projects": {folder.id}})
    wanted.mention(project.default_assigned_user_id)
    _around(reading, folder, people, wanted)
    # The other files are read again for their rows, and their corrections are counted then.
    counting = replace(reading, told=wanted.told)
    for read in kept.keep(folder.id, counting.tickets(folder)):
        _ticket(read, people, wanted)
    return wanted


def _around(reading: ArchiveReader, folder: ProjectFiles, people: People, wanted: References) -> None:
    for membership in reading.members(folder):
        wanted.add("memberships", membership.id or -(membership.user_id or NOBODY))
        people.note(membership.user_id, membership.user.name if membership.user else "")
        wanted.mention(membership.user_id)
        wanted.first = wanted.first or membership.user_id or NOBODY
    for milestone, details in reading.milestones(folder):
        wanted.add("milestones", milestone.id)
        wanted.milestones.add(milestone.id or 0)
        wanted.authors.add(details.user_id or wanted.first)
    for each, more in reading.bins(folder):
        wanted.add("bins", each.id)
        wanted.authors.add(each.user_id or NOBODY)
        wanted.mention(*more.default_for)
    for template in reading.templates(folder):
        wanted.ids.setdefault("ticket_templates", set()).add(template.id or 0)
        wanted.mention(template.assigned_user_id)
    for message, exactly in reading.messages(folder):
        for said in (message, *(message.comments or ())):
            wanted.add("messages", said.id)
            people.note(said.user_id, said.user_name)
            wanted.authors.add(said.user_id or NOBODY)
            _edited(said, people, wanted)
        for exact in (exactly, *exactly.comments):
            wanted.authors.update(text.user_id or NOBODY for text in exact.earlier_texts)
    for changeset, _ in reading.changesets(folder):
        if is_revision(changeset.revision):
            wanted.revisions.add(changeset.revision)
            wanted.authors.add(changeset.user_id or NOBODY)
            people.note(changeset.committer_id or None, changeset.committer_name or "")
            wanted.mention(changeset.committer_id or None)


def _ticket(read: ReadTicket, people: People, wanted: References) -> None:
    ticket = read.ticket
    wanted.authors.update(each for each in (ticket.creator_id, ticket.user_id) if each)
    if ticket.importance_name and ticket.importance > 0:
        wanted.levels.setdefault(ticket.importance, ticket.importance_name)
    _named_in(ticket, people, wanted)
    for version in read.versions:
        _named_in(version, people, wanted)
        wanted.authors.add(version.user_id or NOBODY)
        # An id that only old versions name must not be given to another object.
        wanted.add("milestones", version.diffable_attributes.get("milestone"))
        wanted.mention(version.diffable_attributes.get("assigned_user"), version.body_deleted_by)
        people.note(version.body_deleted_by, version.body_deleted_by_name)
        _edited(version, people, wanted)
    wanted.authors.update(text.user_id or NOBODY for text in read.details.earlier_texts)
    for step, place in enumerate(read.details.moved_from, 1):
        if place.project_id and 0 < place.number <= HIGHEST:
            wanted.moved.append((Place(place.project_id, place.number), ticket.number or 0, step))
    wanted.links += [(ticket.number or 0, link) for link in read.details.links]
    for file in ticket.attachments or ():
        wanted.add("attachments", file.id)
        wanted.authors.add(file.uploader_id or NOBODY)


def _edited(each: Version | Message, people: People, wanted: References) -> None:
    people.note(each.body_edited_by, each.body_edited_by_name)
    wanted.authors.update([each.body_edited_by] if each.body_edited_by else ())


def _named_in(each: Ticket | Version, people: People, wanted: References) -> None:
    wanted.mention(each.assigned_user_id, *each.watchers_ids)
    people.note(each.creator_id, each.creator_name)
    people.note(each.user_id, each.user_name)
    people.note(each.assigned_user_id, each.assigned_user_name)
