"""Undo of a bulk edit by another bulk edit."""

from skerry.errors import Invalid
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.tickets import CALLED, RECORDED
from skerry.store import bulk_edits as store
from skerry.store.bulk_edits import Touched, Undoable
from skerry.store.engine.rows import Columns
from skerry.text.states import States
from skerry.tracker import bulk_edits
from skerry.tracker.changes import ticket_values
from skerry.tracker.changes.comments import Comment
from skerry.tracker.changes.name_resolver import NameResolver, UnknownName
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context, Params
from skerry.tracker.projects import states_of
from skerry.tracker.texts import rendering
from skerry.wire.record import changed


def undo(context: Context, params: Params) -> BulkEdit:
    """Restore the values that the tickets of a bulk edit had before it.

    Values that have changed again since stay, and so do values whose old ones are no longer valid; the new
    version of the ticket says so. Raises NotFound, or Invalid if the edit was undone already or moved its
    tickets to another project.
    """
    store.lock(context.transaction, context.project_id, params.ids["id"])
    edit = bulk_edits.one(context, params.ids["id"])
    if edit.undone_by:
        raise Invalid(f"This bulk edit was already undone by bulk edit {edit.undone_by}")
    if edit.moved_to:
        raise Invalid("This bulk edit moved its tickets to another project, which cannot be undone")
    bulk_edit_id = store.next_id(context.transaction)
    touched = _restored(context, edit, bulk_edit_id)
    undoing = BulkEdit(query=edit.query, command="", undoes=edit.id)
    return bulk_edits.keep(context, bulk_edit_id, undoing, touched)


def _restored(context: Context, edit: BulkEdit, bulk_edit_id: int) -> list[Touched]:
    # Lock the tickets before reading anything about them.
    batch = Batch(context, edit.numbers, via=bulk_edits.VIA)
    opening = (
        f"{bulk_edits.link(context, bulk_edit_id)} "
        f"undoes [bulk edit {edit.id}]({bulk_edits.address(context, edit.id or 0)})"
    )
    past, rendered, touched = _OldValues(context), dict[str, Comment](), list[Touched]()
    for undoable in store.undoable(context.transaction, edit):
        after, kept = past.back(batch.values(undoable.number), undoable)
        body = f"{opening} (kept: {'; '.join(kept)})" if kept else opening
        if body not in rendered:
            rendered[body] = Comment(body, rendering.render(context, body))
        touched.append(Touched(undoable.number, batch.add(undoable.number, after, rendered[body])))
    batch.keep()
    return touched


class _OldValues:
    """Restores old values if they are still valid in the project."""

    def __init__(self, context: Context) -> None:
        self._states: States = states_of(context.project)
        self._resolver = NameResolver(context)
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
            return {"assigned_user_id": old} if old is None or old in self._resolver.workers else None
        if name == "milestone":
            return (
                {"milestone_id": old}
                if old is None or (isinstance(old, int) and self._has_milestone(old))
                else None
            )
        return {RECORDED[name]: old}

    def _has_milestone(self, milestone_id: int) -> bool:
        if milestone_id not in self._milestones:
            try:
                self._resolver.check_milestone(milestone_id)
                self._milestones[milestone_id] = True
            except UnknownName:
                self._milestones[milestone_id] = False
        return self._milestones[milestone_id]
