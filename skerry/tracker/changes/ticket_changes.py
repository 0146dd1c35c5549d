"""Writes the rows of tickets: creates, changes, comments on, moves and removes them.

The values (``ticket_values``), the HTML of the text and the watchers are prepared elsewhere. This module
writes them: row, version, counts, tags, watchers, files, search index, and the event. ``create`` and
``update`` write one ticket, a ``Batch`` several in a few statements.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from skerry.resources.tickets import Ticket, Version
from skerry.store import attachments
from skerry.store import tickets as ticket_store
from skerry.store import versions as version_store
from skerry.store.engine.rows import Columns
from skerry.store.events.events import Changes
from skerry.store.search import index as search_index
from skerry.store.ticket_rows import associations, moving_tickets
from skerry.store.ticket_rows import batches as store
from skerry.store.ticket_rows.associations import Tagged
from skerry.store.ticket_rows.batches import Locked
from skerry.text.slugs import permalink
from skerry.text.tags import read_tags
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import comments, ticket_counts, ticket_values
from skerry.tracker.changes.comments import Comment
from skerry.tracker.changes.ticket_counts import CountChanges
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context
from skerry.tracker.events import events
from skerry.tracker.events.events import Type


def create(context: Context, after: Values, comment: Comment, watchers: list[int]) -> Ticket:
    """Create a ticket with these values and the project's next number, and return it."""
    transaction, user_id, now = context.transaction, context.author.user_id, context.transaction.now
    number = ticket_counts.moved(transaction, context.project_id, None, after, numbers=1)
    row: Columns = {"project_id": context.project_id, "number": number, "version": 1, "user_id": user_id}
    row |= {"watchers_ids": watchers, "body": comment.body, "body_html": comment.html}
    row |= ticket_values.as_columns(after)
    ticket = ticket_store.add(
        transaction,
        **row,
        attachments_count=len(comment.files),
        last_version=1,
        creator_id=user_id,
        permalink=permalink(after.title),
        created_at=now,
        updated_at=now,
    )
    # The count in a version does not include its own files.
    version_store.add(transaction, diffable_attributes={}, attachments_count=0, **row)
    attachment_rules.add(context, number, 1, comment.files)
    _keep_tags(context, context.project_id, [(number, None, after)])
    search_index.index_opened(transaction, (context.project_id, number), after.title, comment.body)
    events.record(
        context, Type.TICKET_CREATED, number, changes=comments.event_changes(None, after, comment), version=1
    )
    return ticket


def update(
    context: Context, locked: ticket_store.Locked, after: Values, comment: Comment, watchers: list[int]
) -> Ticket:
    """Add a version with these values and this comment to a locked ticket, and return the ticket."""
    transaction, before, version = context.transaction, locked.ticket, locked.last_version + 1
    number, files = before.number or 0, before.attachments_count
    row: Columns = {"version": version, "user_id": context.author.user_id, "watchers_ids": watchers}
    row |= ticket_values.as_columns(after)
    ticket = ticket_store.change(
        transaction,
        locked,
        **row,
        attachments_count=files + len(comment.files),
        last_version=version,
        updated_at=transaction.now,
    )
    version_store.add(
        transaction,
        project_id=context.project_id,
        number=number,
        diffable_attributes=ticket_values.difference(before, after),
        attachments_count=files,
        body=comment.body,
        body_html=comment.html,
        **row,
    )
    _keep_tags(context, context.project_id, [(number, before, after)])
    ticket_counts.moved(transaction, context.project_id, before, after)
    # After the counts, as for a new ticket: the counter of file ids is a contended row.
    attachment_rules.add(context, number, version, comment.files)
    key = (context.project_id, number)
    if after.title == before.title:
        search_index.index_commented(transaction, key, comment.body)
    else:
        search_index.index_renamed(transaction, (*key, version), after.title, (before.body, comment.body))
    events.record(
        context,
        Type.TICKET_UPDATED,
        number,
        changes=comments.event_changes(before, after, comment),
        version=version,
    )
    return ticket


def delete(context: Context, ticket: Ticket) -> None:
    """Delete a locked ticket with its versions and files."""
    transaction, number = context.transaction, ticket.number or 0
    attachments.remove_of_ticket(transaction, context.project_id, number)
    ticket_store.remove(transaction, context.project_id, number)
    ticket_counts.moved(transaction, context.project_id, ticket, None)
    events.forget(context, "ticket", number)
    events.record(context, Type.TICKET_DELETED, number)


def rewrite(context: Context, version: Version, comment: Comment, *, deleted: bool = False) -> None:
    """Replace or delete the text of a version of a locked ticket; the first version's is the ticket's own.

    The people whom the text mentions start to watch the ticket.
    """
    transaction, number = context.transaction, version.number or 0
    deleted_by = context.author.user_id if deleted else None
    version_store.rewrite(transaction, version, comment.body, comment.html, deleted_by=deleted_by)
    ticket = ticket_store.one(transaction, context.project_id, number)
    if ticket and version.version == 1:
        ticket_store.rewrite(transaction, ticket, comment.body, comment.html)
    if ticket and comment.named:
        ticket_store.watch(transaction, ticket, comment.named)
    search_index.index(transaction, context.project_id, number)
    kind = Type.VERSION_DELETED if deleted else Type.VERSION_UPDATED
    changes: Changes = {"body": None, **comments.mention_changes(comment)}
    events.record(context, kind, number, changes=changes, version=version.version)


def _keep_tags(
    context: Context, project_id: int, turned: Iterable[tuple[int, Values | None, Values]]
) -> None:
    """Update the tags by which tickets are found, given the values before and after."""
    new: dict[Tagged, Iterable[str]] = {}
    changed: dict[Tagged, Iterable[str]] = {}
    kept: list[Tagged] = []
    for number, before, after in turned:
        tagged = ticket_values.tagged(number, after)
        if before is None:
            new[tagged] = read_tags(after.tag or "")
        elif after.tag != before.tag:
            changed[tagged] = read_tags(after.tag or "")
        elif after.tag and tagged != ticket_values.tagged(number, before):
            kept.append(tagged)
    associations.add_tags(context.transaction, project_id, new)
    associations.set_tags(context.transaction, project_id, changed)
    associations.follow(context.transaction, project_id, kept)


@dataclass
class _TicketState:
    """The state of one ticket in a batch."""

    locked: Locked
    values: Values
    watchers: set[int] = field(default_factory=set)
    version: int = 0


class Batch:
    """Adds versions to tickets, which are written together at the end.

    All tickets are locked at the beginning, and the counts are updated last. With ``looking``, nothing is
    locked or written.
    """

    def __init__(self, context: Context, numbers: Iterable[int], *, via: str, looking: bool = False) -> None:
        """Lock the given tickets that exist."""
        self._context, self._via = context, via
        find = store.look if looking else store.lock
        self._courses = {
            locked.number: _TicketState(
                locked, locked.ticket, set(locked.ticket.watchers_ids), locked.last_version
            )
            for locked in find(context.transaction, context.project_id, numbers)
        }
        self._versions: list[Columns] = []
        self._told: list[tuple[int, int, Changes]] = []

    @property
    def numbers(self) -> list[int]:
        """The numbers of the tickets that exist, in order."""
        return list(self._courses)

    def values(self, number: int) -> Values:
        """Return a ticket's current values in the batch."""
        return self._courses[number].values

    def add(self, number: int, after: Values, comment: Comment, *, watching: Iterable[int] = ()) -> int:
        """Add a version by the caller and more watchers to a ticket; return the version's number."""
        course = self._courses[number]
        course.version += 1
        course.watchers.update(watching, comment.named)
        if after.assigned_user_id not in (None, course.values.assigned_user_id):
            course.watchers.add(after.assigned_user_id or 0)
        self._versions.append(
            {
                "number": number,
                "version": course.version,
                "user_id": self._context.author.user_id,
                "attachments_count": course.locked.ticket.attachments_count,
                "watchers_ids": sorted(course.watchers),
                "diffable_attributes": ticket_values.difference(course.values, after),
                "body": comment.body,
                "body_html": comment.html,
                **ticket_values.as_columns(after),
            }
        )
        told = comments.event_changes(course.values, after, comment)
        self._told.append((number, course.version, told))
        course.values = after
        return course.version

    def keep_watchers(self, allowed: Collection[int]) -> None:
        """Drop the watchers who are not among these people; must be called before versions are added."""
        for course in self._courses.values():
            course.watchers.intersection_update(allowed)

    def keep(self) -> None:
        """Write everything; nothing may be added afterwards."""
        self._write(self._context.project_id, {number: number for number in self._courses})
        tally = CountChanges()
        for course in self._courses.values():
            tally.move(self._context.project_id, course.locked.ticket, course.values)
        tally.keep(self._context.transaction)

    def move(self, project_id: int) -> dict[int, int]:
        """Write everything to another project; return a mapping from old to new numbers."""
        transaction, tally = self._context.transaction, CountChanges()
        for course in self._courses.values():
            tally.move(self._context.project_id, course.locked.ticket, None)
            tally.move(project_id, None, course.values)
        last = tally.keep(transaction, {project_id: len(self._courses)}).get(project_id, 0)
        numbers = dict(zip(self._courses, range(last - len(self._courses) + 1, last + 1), strict=True))
        moving_tickets.move(transaction, self._context.project_id, project_id, numbers)
        # The old events are for people who could see the ticket in this project.
        events.forget(self._context, "ticket", *numbers)
        for version in self._versions:
            ticket_values.forget_milestone(version)
        self._write(project_id, numbers)
        return numbers

    def _write(self, project_id: int, numbers: Mapping[int, int]) -> None:
        transaction = self._context.transaction
        touched = {
            numbers[course.locked.number]: course
            for course in self._courses.values()
            if course.version > course.locked.last_version
        }
        timestamps = {
            number: max(transaction.now, course.locked.updated_at) for number, course in touched.items()
        }
        rows = (
            {**self._row(number, course), "updated_at": timestamps[number]}
            for number, course in touched.items()
        )
        store.change(transaction, project_id, rows)
        added = ({**version, "number": numbers[version["number"]]} for version in self._versions)
        store.add_versions(transaction, project_id, added, timestamps)
        turned = [(number, course.locked.ticket, course.values) for number, course in touched.items()]
        _keep_tags(self._context, project_id, turned)
        watchers = {
            number: sorted(course.watchers)
            for number, course in touched.items()
            if course.watchers != set(course.locked.ticket.watchers_ids)
        }
        associations.set_watchers(transaction, project_id, watchers)
        search_index.index_several(transaction, project_id, list(touched))
        self._record(project_id, numbers)

    def _record(self, project_id: int, numbers: Mapping[int, int]) -> None:
        here, kind = self._context.project_id, Type.TICKET_UPDATED
        for number, version, told in self._told:
            if project_id != here:
                kind = Type.TICKET_MOVED
                # Milestones of the old project must not be visible in the new one.
                told.pop("milestone_id", None)
                told |= {"project_id": [here, project_id], "number": [number, numbers[number]]}
            events.record(
                self._context,
                kind,
                numbers[number],
                changes=told,
                version=version,
                via=self._via,
                project_id=project_id,
            )

    def _row(self, number: int, course: _TicketState) -> Columns:
        return {
            "number": number,
            "user_id": self._context.author.user_id,
            "version": course.version,
            "last_version": course.version,
            "watchers_ids": sorted(course.watchers),
            **ticket_values.as_columns(course.values),
        }
