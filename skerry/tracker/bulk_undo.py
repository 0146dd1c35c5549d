"""Undo of a bulk edit by another bulk edit."""

from collections.abc import Mapping

from skerry.database.rows import Columns
from skerry.errors import Forbidden, Invalid
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.tickets import CALLED, RECORDED
from skerry.store import bulk_edits as store
from skerry.store import links
from skerry.store.bulk_edits import Touched, Undoable
from skerry.store.links import Link
from skerry.store.people import placeholders
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.states import States
from skerry.tracker import access, bulk_edits
from skerry.tracker.access import Permission
from skerry.tracker.changes import moves as moving_tickets
from skerry.tracker.changes import ticket_values
from skerry.tracker.changes.link_edits import LinkEdit
from skerry.tracker.changes.name_resolver import NameResolver, UnknownName
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import NewComment, Values
from skerry.tracker.context import Context, Params
from skerry.tracker.projects import states_of
from skerry.tracker.texts import rendering, ticket_references
from skerry.wire.record import changed


def undo(context: Context, params: Params) -> BulkEdit:
    """Restore the values that the tickets of a bulk edit had before it.

    Values that have changed again since stay, and so do values whose old ones are no longer valid; the new
    version of the ticket says so. Moved tickets move back, to new numbers. Raises NotFound, or Invalid if the
    edit was undone already or is itself an undo that moved tickets back.
    """
    return undo_one(context, params.ids["id"])


def undo_one(context: Context, undone_id: int, part_of: int | None = None) -> BulkEdit:
    """Undo a bulk edit of the project, as a part of an undo over several projects if one is given."""
    # A concurrent undo of the same edit waits for this lock, and then finds the edit undone.
    store.ROWS.lock(context.transaction, context.project_id, undone_id)
    edit = bulk_edits.one(context, undone_id)
    if edit.undone_by:
        raise Invalid(f"This bulk edit was already undone by bulk edit {edit.undone_by}")
    if edit.moved_to == context.project_id:
        raise Invalid("This bulk edit moved its tickets back; to move them again, use a new one")
    bulk_edit_id = store.next_id(context.transaction)
    touched = _moved_back(context, edit) if edit.moved_to else _restored(context, edit, bulk_edit_id)
    # An undo that moves tickets moves them here.
    moved_to = context.project_id if edit.moved_to else None
    undoing = BulkEdit(query=edit.query, command="", undoes=edit.id, moved_to=moved_to, part_of=part_of)
    return bulk_edits.keep(context, bulk_edit_id, undoing, touched)


def _moved_back(context: Context, edit: BulkEdit) -> list[Touched]:
    there = access.enter(context, edit.moved_to or 0, Permission.CONTRIBUTE, writes=True)
    batch = Batch(there, edit.new_numbers, via=bulk_edits.VIA)
    if not batch.numbers:
        raise Invalid("All its tickets have been moved on or deleted")
    batch.keep_watchers(moving_tickets.seeing(context))
    past, fit = _OldValues(context), moving_tickets.fitting(context)
    restored = {undoable.number: undoable for undoable in store.undoable(context.transaction, edit)}
    versions = {}
    for number in batch.numbers:
        after, kept = batch.values(number), list[str]()
        if number in restored:
            after, kept = past.back(after, restored[number])
        body = _with_reasons(bulk_edits.MOVED, kept)
        versions[number] = batch.add(number, fit(after), NewComment(body, rendering.render(context, body)))
    numbers = batch.move(context.project_id)
    returned = [Touched(numbers[number], version) for number, version in versions.items()]
    former = dict(zip(edit.new_numbers, edit.numbers, strict=True))
    return returned + _left({former[number] for number in edit.new_numbers if number not in versions})


def _with_reasons(text: str, kept: list[str]) -> str:
    return f"{text} (kept: {'; '.join(kept)})" if kept else text


def _restored(context: Context, edit: BulkEdit, bulk_edit_id: int) -> list[Touched]:
    # Lock the tickets before reading anything about them.
    former_links = _FormerLinks(context, edit)
    batch = Batch(context, edit.numbers, via=bulk_edits.VIA)
    opening = (
        f"{bulk_edits.link(context, bulk_edit_id)} "
        f"undoes [bulk edit {edit.id}]({bulk_edits.address(context, edit.id or 0)})"
    )
    past, rendered, versions = _OldValues(context), dict[str, NewComment](), dict[int, int]()
    undoable = {each.number: each for each in store.undoable(context.transaction, edit)}
    for number in sorted(undoable.keys() | former_links.kept.keys()):
        after, kept = batch.values(number), list[str]()
        if number in undoable:
            after, kept = past.back(after, undoable[number])
        body = _with_reasons(opening, kept + former_links.kept.get(number, []))
        if body not in rendered:
            rendered[body] = NewComment(body, rendering.render(context, body))
        comment = rendered[body]._replace(links=former_links.touches(number))
        versions[number] = batch.add(number, after, comment)
    batch.keep()
    former_links.write(versions)
    touched = [Touched(number, version) for number, version in versions.items()]
    return touched + _left(set(edit.numbers) - set(batch.numbers))


class _FormerLinks:
    """The links of the tickets of a bulk edit as they were before it.

    ``kept`` has the numbers of the tickets whose links it changed, with the reasons why links stay.
    """

    def __init__(self, context: Context, edit: BulkEdit) -> None:
        """Lock the tickets whose links change, and undo the changes that are still possible."""
        self._project_id = context.project_id
        self._edit: LinkEdit | None = None
        self.kept: dict[int, list[str]] = {}
        changed_links = _changed_links(context, store.versions_made(context.transaction, edit))
        if changed_links:
            self._edit = LinkEdit(
                context,
                {link.place for link in changed_links},
                unlinked={link.id for link in changed_links},
                others={link.other for link in changed_links},
            )
        for link in changed_links:
            self._undo(link)

    def _undo(self, link: Link) -> None:
        reasons = self.kept.setdefault(link.place.number, [])
        if self._edit is None:
            return
        change = self._edit.remove if link.removed_in is None else self._edit.add
        try:
            change(link.place, link.kind, link.other)
        except (Invalid, Forbidden) as refusal:
            reasons.append(f"a link, as {str(refusal)[:1].lower()}{str(refusal)[1:]}")

    def touches(self, number: int) -> bool:
        """Return whether links of a ticket change."""
        return self._edit is not None and self._edit.touches(Place(self._project_id, number))

    def write(self, versions: Mapping[int, int]) -> None:
        """Write the changes, given the versions of the tickets of the edit."""
        if self._edit:
            self._edit.write({Place(self._project_id, number): each for number, each in versions.items()})


def _changed_links(context: Context, made: Mapping[int, int]) -> list[Link]:
    """Return the links that these versions of tickets added and that are present, and those they removed.

    Links to tickets that the caller does not see are left out.
    """
    since = min(made.values(), default=0)
    linked = links.of_tickets(context.transaction, context.project_id, made, since)
    words = ticket_references.words(context, {link.other.project_id for link in linked})
    return [
        link
        for link in linked
        if link.other.project_id in words
        and (link.removed_in or link.added_in) == made[link.place.number]
        and link.added_in != link.removed_in
    ]


def _left(numbers: set[int]) -> list[Touched]:
    """Return the tickets that were deleted or moved on, so that the undo says so."""
    return [Touched(number, store.NO_VERSION) for number in sorted(numbers)]


class _OldValues:
    """Restores old values if they are still valid in the project."""

    def __init__(self, context: Context) -> None:
        self._states: States = states_of(context.project)
        self._resolver = NameResolver(context)
        self._transaction = context.transaction
        self._milestones: dict[int, bool] = {}

    def back(self, values: Values, undoable: Undoable) -> tuple[Values, list[str]]:
        """Return the restored values, and the reasons why others were kept."""
        # A version may have been removed since; its changes stay.
        changed_since = undoable.changed_since | ticket_values.difference(undoable.left, values).keys()
        kept: list[str] = []
        for name, old in sorted(undoable.old.items()):
            if name in changed_since:
                kept.append(f"{CALLED[name]}, changed since")
                continue
            fitting = self._fitting(name, old)
            if fitting is None:
                kept.append(f"{CALLED[name]}, as the old value is gone")
            else:
                values = changed(values, **fitting)
        return values, kept

    def _fitting(self, name: str, old: object) -> Columns | None:
        """Return the old value by field, or None if it is no longer valid in the project."""
        if name == "state":
            state = self._states.find(str(old))
            return {"state": state.name, "closed": state.closed} if state else None
        if name == "assigned_user":
            return {"assigned_user_id": old} if self._may_have(old) else None
        if name == "milestone":
            return (
                {"milestone_id": old}
                if old is None or (isinstance(old, int) and self._has_milestone(old))
                else None
            )
        return {RECORDED[name]: old}

    def _may_have(self, user_id: object) -> bool:
        """Return whether tickets can go back to somebody: nobody, a worker, or an imported person."""
        if user_id is None or user_id in self._resolver.workers:
            return True
        return isinstance(user_id, int) and placeholders.waits(self._transaction, user_id)

    def _has_milestone(self, milestone_id: int) -> bool:
        if milestone_id not in self._milestones:
            try:
                self._resolver.check_milestone(milestone_id)
                self._milestones[milestone_id] = True
            except UnknownName:
                self._milestones[milestone_id] = False
        return self._milestones[milestone_id]
