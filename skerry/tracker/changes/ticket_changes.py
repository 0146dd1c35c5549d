"""Writes the rows of tickets: creates, changes, comments on, moves and removes them.

The values (``ticket_values``), the HTML of the text and the watchers are prepared elsewhere. This module
writes them: row, version, counts, tags, watchers, files, search index, and the event. ``create`` and
``update`` write one ticket, a ``Batch`` several in a few statements.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from skerry.database.rows import Columns
from skerry.resources.tickets import Ticket, Version
from skerry.store import associations, attachments, bulk_edits
from skerry.store import tickets as ticket_store
from skerry.store import versions as version_store
from skerry.store.associations import Tagged
from skerry.store.events.decoding import Changes
from skerry.store.search import index as search_index
from skerry.store.ticket_rows import batches as store
from skerry.store.ticket_rows import moving_tickets
from skerry.store.ticket_rows.batches import BatchedTicket
from skerry.text.slugs import permalink
from skerry.text.tags import read_tags
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import ticket_counts, ticket_values
from skerry.tracker.changes.ticket_counts import CountChanges
from skerry.tracker.changes.ticket_values import NewComment, Values
from skerry.tracker.context import Context, NewFile
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.texts import ticket_references


def create(context: Context, after: Values, comment: NewComment, watchers: list[int]) -> Ticket:
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
        context,
        Type.TICKET_CREATED,
        number,
        changes=ticket_values.event_changes(None, after, comment),
        version=1,
    )
    return ticket


def update(
    context: Context,
    locked: ticket_store.LockedTicket,
    after: Values,
    comment: NewComment,
    watchers: list[int],
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
    _index(context, (context.project_id, number, version), before, after, comment)
    changes = ticket_values.event_changes(before, after, comment)
    events.record(context, Type.TICKET_UPDATED, number, changes=changes, version=version)
    return ticket


def _index(
    context: Context, key: tuple[int, int, int], before: Values, after: Values, comment: NewComment
) -> None:
    """Index what a version has changed; ``key`` names the version."""
    if after.title == before.title:
        search_index.index_commented(context.transaction, key[:2], comment.body)
    else:
        search_index.index_renamed(context.transaction, key, after.title, (before.body, comment.body))


def delete(context: Context, ticket: Ticket) -> None:
    """Delete a locked ticket with its versions and files."""
    transaction, number = context.transaction, ticket.number or 0
    if ticket.private:
        bulk_edits.hide(transaction, context.project_id, [number])
    attachments.remove_of_ticket(transaction, context.project_id, number)
    ticket_store.remove(transaction, context.project_id, number)
    ticket_counts.moved(transaction, context.project_id, ticket, None)
    events.forget(context, "ticket", number)
    events.record(context, Type.TICKET_DELETED, number)


def edit(context: Context, version: Version, comment: NewComment) -> None:
    """Replace the text of a version of a locked ticket, unless it is the same, and add files to it."""
    changes: Changes = ticket_values.mention_changes(comment)
    if comment.body != version.body:
        _replace_text(context, version, comment)
        changes["body"] = None
    if comment.files:
        _add_files(context, version, comment.files)
        changes["attachments"] = None
    search_index.index(context.transaction, context.project_id, version.number or 0)
    events.record(context, Type.VERSION_UPDATED, version.number, changes=changes, version=version.version)


def _replace_text(context: Context, version: Version, comment: NewComment) -> None:
    """Replace the text of a version; the first version's is the ticket's own.

    The people whom the text mentions start to watch the ticket.
    """
    transaction, number, editor_id = context.transaction, version.number or 0, context.author.user_id
    version_store.edit(transaction, version, comment.body, comment.html, editor_id=editor_id)
    ticket = ticket_store.one(transaction, context.project_id, number)
    if ticket and version.version == 1:
        ticket_store.edit(transaction, ticket, comment.body, comment.html, editor_id=editor_id)
    if ticket and comment.named:
        ticket_store.watch(transaction, ticket, comment.named)


def _add_files(context: Context, version: Version, files: tuple[NewFile, ...]) -> None:
    transaction, number = context.transaction, version.number or 0
    attachment_rules.add(context, number, version.version or 0, files)
    version_store.discount(transaction, version, -len(files))
    ticket_store.discount(transaction, context.project_id, number, -len(files))
    version_store.touch(transaction, version)


def delete_text(context: Context, version: Version) -> None:
    """Delete the text of a version of a locked ticket, with its earlier texts."""
    version_store.delete_text(context.transaction, version, deleter_id=context.author.user_id)
    search_index.index(context.transaction, context.project_id, version.number or 0)
    changes: Changes = {"body": None}
    events.record(context, Type.VERSION_DELETED, version.number, changes=changes, version=version.version)


def _keep_tags(
    context: Context, project_id: int, changes: Iterable[tuple[int, Values | None, Values]]
) -> None:
    """Update the tag rows, by which tickets are found, given the values before and after."""
    new: dict[Tagged, Iterable[str]] = {}
    changed: dict[Tagged, Iterable[str]] = {}
    kept: list[Tagged] = []
    for number, before, after in changes:
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
class _EditedTicket:
    """The state of one ticket in a batch."""

    locked: BatchedTicket
    values: Values
    watchers: set[int]
    version: int


class Batch:
    """Adds versions to tickets, which are written together at the end.

    All tickets are locked at the beginning, and the counts are updated last. With ``looking``, nothing is
    locked or written.
    """

    def __init__(self, context: Context, numbers: Iterable[int], *, via: str, looking: bool = False) -> None:
        """Lock the given tickets that exist."""
        self._context, self._via = context, via
        find = store.look if looking else store.lock
        self._edited = {
            locked.number: _EditedTicket(
                locked, locked.ticket, set(locked.ticket.watchers_ids), locked.last_version
            )
            for locked in find(context.transaction, context.project_id, numbers)
        }
        self._versions: list[Columns] = []
        self._event_changes: list[tuple[int, int, Changes]] = []

    @property
    def numbers(self) -> list[int]:
        """The numbers of the tickets that exist, in order."""
        return list(self._edited)

    def values(self, number: int) -> Values:
        """Return a ticket's current values in the batch."""
        return self._edited[number].values

    def add(self, number: int, after: Values, comment: NewComment, *, watching: Iterable[int] = ()) -> int:
        """Add a version by the caller and more watchers to a ticket; return the version's number."""
        edited = self._edited[number]
        edited.version += 1
        edited.watchers.update(watching, comment.named)
        if after.assigned_user_id not in (None, edited.values.assigned_user_id):
            edited.watchers.add(after.assigned_user_id or 0)
        self._versions.append(
            {
                "number": number,
                "version": edited.version,
                "user_id": self._context.author.user_id,
                "attachments_count": edited.locked.ticket.attachments_count,
                "watchers_ids": sorted(edited.watchers),
                "diffable_attributes": ticket_values.difference(edited.values, after),
                "body": comment.body,
                "body_html": comment.html,
                **ticket_values.as_columns(after),
            }
        )
        changes = ticket_values.event_changes(edited.values, after, comment)
        self._event_changes.append((number, edited.version, changes))
        edited.values = after
        return edited.version

    def keep_watchers(self, allowed: Collection[int]) -> None:
        """Drop the watchers who are not among these people; must be called before versions are added."""
        for edited in self._edited.values():
            edited.watchers.intersection_update(allowed)

    def keep(self) -> None:
        """Write everything; nothing may be added afterwards."""
        self._write(self._context.project_id, {number: number for number in self._edited})
        tally = CountChanges()
        for edited in self._edited.values():
            tally.move(self._context.project_id, edited.locked.ticket, edited.values)
        tally.keep(self._context.transaction)

    def move(self, project_id: int) -> dict[int, int]:
        """Write everything to another project; return a mapping from old to new numbers."""
        transaction, tally = self._context.transaction, CountChanges()
        for edited in self._edited.values():
            tally.move(self._context.project_id, edited.locked.ticket, None)
            tally.move(project_id, None, edited.values)
        last = tally.keep(transaction, {project_id: len(self._edited)}).get(project_id, 0)
        numbers = dict(zip(self._edited, range(last - len(self._edited) + 1, last + 1), strict=True))
        private = [number for number, edited in self._edited.items() if edited.values.private]
        bulk_edits.hide(transaction, self._context.project_id, private)
        moving_tickets.move(transaction, self._context.project_id, project_id, numbers)
        ticket_references.keep_meaning(self._context, project_id, numbers.values())
        # The old events are for people who could see the ticket in this project; who was mentioned in it is
        # for those who are still to be notified.
        events.forget(self._context, "ticket", *numbers, keep=events.MENTIONS)
        for version in self._versions:
            ticket_values.forget_milestone(version)
        self._write(project_id, numbers)
        return numbers

    def _write(self, project_id: int, numbers: Mapping[int, int]) -> None:
        transaction = self._context.transaction
        touched = {
            numbers[edited.locked.number]: edited
            for edited in self._edited.values()
            if edited.version > edited.locked.last_version
        }
        timestamps = {
            number: max(transaction.now, edited.locked.updated_at) for number, edited in touched.items()
        }
        rows = (
            {**self._row(number, edited), "updated_at": timestamps[number]}
            for number, edited in touched.items()
        )
        store.change(transaction, project_id, rows)
        added = ({**version, "number": numbers[version["number"]]} for version in self._versions)
        store.add_versions(transaction, project_id, added, timestamps)
        changes = [(number, edited.locked.ticket, edited.values) for number, edited in touched.items()]
        _keep_tags(self._context, project_id, changes)
        watchers = {
            number: sorted(edited.watchers)
            for number, edited in touched.items()
            if edited.watchers != set(edited.locked.ticket.watchers_ids)
        }
        associations.set_watchers(transaction, project_id, watchers)
        search_index.index_several(transaction, project_id, list(touched))
        self._record(project_id, numbers)

    def _record(self, project_id: int, numbers: Mapping[int, int]) -> None:
        here = self._context.project_id
        for number, version, changes in self._event_changes:
            kind = Type.TICKET_UPDATED
            if project_id != here:
                kind = Type.TICKET_MOVED
                # Milestones of the old project must not be visible in the new one.
                changes.pop("milestone_id", None)
                places: Changes = {"project_id": [here, project_id], "number": [number, numbers[number]]}
                changes.update(places)
                events.record(self._context, kind, number, changes=places, version=version, via=self._via)
            events.record(
                self._context,
                kind,
                numbers[number],
                changes=changes,
                version=version,
                via=self._via,
                project_id=project_id,
            )

    def _row(self, number: int, edited: _EditedTicket) -> Columns:
        return {
            "number": number,
            "user_id": self._context.author.user_id,
            "version": edited.version,
            "last_version": edited.version,
            "watchers_ids": sorted(edited.watchers),
            **ticket_values.as_columns(edited.values),
        }
