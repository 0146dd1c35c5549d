"""Milestones: created, changed, completed and deleted."""

from collections.abc import Callable

from skerry.database.rows import Columns
from skerry.database.transactions import Transaction, microseconds
from skerry.errors import Invalid, NotFound
from skerry.resources.milestones import Milestone
from skerry.store import milestones as store
from skerry.store.projects import SeenIds
from skerry.text.slugs import permalink
from skerry.tracker import access
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.texts import rendering
from skerry.wire.drafts import Draft
from skerry.wire.record import changed
from skerry.wire.values import named_day

_CLOSED: dict[str, bool | None] = {"": None, "open": False, "closed": True}


def list_all(context: Context, params: Params) -> ResultPage[Milestone]:
    """Return a page of the project's milestones by due date.

    Open and closed ones are included by default; if only closed ones are requested, the last completed comes
    first.
    """
    return _page(context, access.listed_project_ids(context), params)


def list_across_projects(context: Context, params: Params) -> ResultPage[Milestone]:
    """Return a page of the milestones of every project visible to the caller."""
    return _page(context, access.visible_project_ids(context), params)


def _page(context: Context, project_ids: SeenIds, params: Params) -> ResultPage[Milestone]:
    page = params.page
    milestones, total = store.page(
        context.transaction, project_ids, limit=page.limit, offset=page.offset, closed=_closed(params)
    )
    extra = {"total_pages": page.last(total), "current_page": page.number}
    return ResultPage(Milestone, milestones, total, extra=extra)


def _closed(params: Params) -> bool | None:
    state = params.query.get("state", "")
    if state not in _CLOSED:
        raise Invalid("State must be open or closed")
    return _CLOSED[state]


def get(context: Context, params: Params) -> Milestone:
    """Return a milestone of the project; raises NotFound."""
    return _one(context, params.ids["id"])


def new(context: Context, _params: Params) -> Milestone:
    """Return a new milestone with its defaults."""
    return Milestone(project_id=context.project_id)


def create(context: Context, params: Params) -> Milestone:
    """Create a milestone in the project."""
    milestone_id = store.add(
        context.transaction,
        project_id=context.project_id,
        user_id=context.author.user_id,
        permalink=permalink(params.draft_of(Milestone).new.title),
        **_values(context, Milestone(), params.draft_of(Milestone)),
    )
    return events.record_change(context, Type.MILESTONE_CREATED, Milestone(), _one(context, milestone_id))


def update(context: Context, params: Params) -> Milestone:
    """Change a milestone; raises NotFound."""
    milestone_id = params.ids["id"]
    store.ROWS.lock(context.transaction, context.project_id, milestone_id)
    before, draft = _one(context, milestone_id), params.draft_of(Milestone)
    if _after(before, draft) == before:
        return before
    values = _values(context, before, draft)
    store.ROWS.update(context.transaction, context.project_id, milestone_id, **values)
    return events.record_change(context, Type.MILESTONE_UPDATED, before, _one(context, milestone_id))


def _values(context: Context, before: Milestone, draft: Draft[Milestone]) -> Columns:
    """Return the column values after a draft."""
    after = _after(before, draft)
    return {
        "title": after.title,
        "goals": after.goals,
        "goals_html": rendering.render_sent(context, draft.get(Milestone.goals), before.goals_html),
        "due_on": microseconds(after.due_on) if after.due_on else None,
        "start_on": after.start_on,
    }


def _after(before: Milestone, draft: Draft[Milestone]) -> Milestone:
    """Return the milestone after a draft; its due date is a day."""
    after = draft.over(before)
    # Clients send back what they read in the offset of their own place.
    due_on = before.due_on if after.due_on == before.due_on else after.due_on and named_day(after.due_on)
    return changed(after, due_on=due_on)


def close(context: Context, params: Params) -> Milestone:
    """Complete a milestone; does nothing if it is completed; raises NotFound."""
    return _set_completion(context, params.ids["id"], store.complete, Type.MILESTONE_CLOSED)


def reopen(context: Context, params: Params) -> Milestone:
    """Reopen a milestone; does nothing if it is open; raises NotFound."""
    return _set_completion(context, params.ids["id"], store.reopen, Type.MILESTONE_REOPENED)


def _set_completion(
    context: Context, milestone_id: int, change: Callable[[Transaction, int, int], None], kind: Type
) -> Milestone:
    store.ROWS.lock(context.transaction, context.project_id, milestone_id)
    before = _one(context, milestone_id)
    change(context.transaction, context.project_id, milestone_id)
    after = _one(context, milestone_id)
    if (before.completed_at is None) != (after.completed_at is None):
        events.record(context, kind, milestone_id)
    return after


def delete(context: Context, params: Params) -> None:
    """Delete a milestone; its tickets stay, without a milestone; raises NotFound."""
    if not store.remove(context.transaction, context.project_id, params.ids["id"]):
        raise NotFound("There is no such milestone in this project")
    events.forget(context, "milestone", params.ids["id"])
    events.record(context, Type.MILESTONE_DELETED, params.ids["id"])


def _one(context: Context, milestone_id: int) -> Milestone:
    milestone = store.ROWS.one(context.transaction, context.project_id, milestone_id)
    if milestone is None:
        raise NotFound("There is no such milestone in this project")
    return milestone
