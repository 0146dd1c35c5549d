"""Milestones: set, moved, completed and given up."""

from collections.abc import Callable

from skerry.errors import Invalid, NotFound
from skerry.resources.milestones import Milestone
from skerry.store import milestones as store
from skerry.store.rows import Columns
from skerry.store.transactions import Transaction, microseconds
from skerry.text.slugs import permalink
from skerry.tracker import access, events, rendering
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.wire.drafts import Draft

_CLOSED: dict[str, bool | None] = {"": None, "open": False, "closed": True}


def listed(visit: Visit, ask: Ask) -> Listing[Milestone]:
    """Return a page of the project's milestones, the one due first first.

    Open and closed ones, or one kind alone, the closed ones then with the one completed last first.
    """
    return _page(visit, [visit.project_id], ask)


def listed_everywhere(visit: Visit, ask: Ask) -> Listing[Milestone]:
    """Return a page of the milestones of every project visible to the caller."""
    return _page(visit, access.seen_projects(visit), ask)


def _page(visit: Visit, project_ids: list[int], ask: Ask) -> Listing[Milestone]:
    page = ask.page
    found, total = store.page(
        visit.transaction, project_ids, limit=page.limit, offset=page.offset, closed=_closed(ask)
    )
    extra = {"total_pages": page.last(total), "current_page": page.number}
    return Listing(Milestone, found, total, extra=extra)


def _closed(ask: Ask) -> bool | None:
    state = ask.query.get("state", "")
    if state not in _CLOSED:
        raise Invalid("State must be open or closed")
    return _CLOSED[state]


def shown(visit: Visit, ask: Ask) -> Milestone:
    """Return a milestone of the project; raises NotFound."""
    return _one(visit, ask.ids["id"])


def blank(visit: Visit, _ask: Ask) -> Milestone:
    """Return a new milestone with the defaults that it has when only a title is given."""
    return Milestone(project_id=visit.project_id)


def create(visit: Visit, ask: Ask) -> Milestone:
    """Set the project a new milestone."""
    milestone_id = store.add(
        visit.transaction,
        project_id=visit.project_id,
        user_id=visit.author.user_id,
        permalink=permalink(ask.draft_of(Milestone).new.title),
        **_values(visit, Milestone(), ask.draft_of(Milestone)),
    )
    return _recorded(visit, Type.MILESTONE_CREATED, Milestone(), milestone_id)


def update(visit: Visit, ask: Ask) -> Milestone:
    """Change a milestone; raises NotFound."""
    milestone_id = ask.ids["id"]
    store.hold(visit.transaction, visit.project_id, milestone_id)
    before = _one(visit, milestone_id)
    values = _values(visit, before, ask.draft_of(Milestone))
    store.change(visit.transaction, visit.project_id, milestone_id, **values)
    return _recorded(visit, Type.MILESTONE_UPDATED, before, milestone_id)


def _recorded(visit: Visit, kind: Type, before: Milestone, milestone_id: int) -> Milestone:
    after = _one(visit, milestone_id)
    events.record(visit, kind, milestone_id, changes=events.compared(before, after))
    return after


def _values(visit: Visit, before: Milestone, draft: Draft[Milestone]) -> Columns:
    """Return the values after a draft by column."""
    after = draft.over(before)
    return {
        "title": after.title,
        "goals": after.goals,
        "goals_html": rendering.render_sent(visit, draft.get(Milestone.goals), before.goals_html),
        "due_on": after.due_on and microseconds(after.due_on),
    }


def close(visit: Visit, ask: Ask) -> Milestone:
    """Complete a milestone; does nothing if it is completed; raises NotFound."""
    return _turned(visit, ask.ids["id"], store.complete, Type.MILESTONE_CLOSED)


def reopen(visit: Visit, ask: Ask) -> Milestone:
    """Reopen a milestone; does nothing if it is open; raises NotFound."""
    return _turned(visit, ask.ids["id"], store.reopen, Type.MILESTONE_REOPENED)


def _turned(
    visit: Visit, milestone_id: int, turn: Callable[[Transaction, int, int], None], kind: Type
) -> Milestone:
    store.hold(visit.transaction, visit.project_id, milestone_id)
    before = _one(visit, milestone_id)
    turn(visit.transaction, visit.project_id, milestone_id)
    after = _one(visit, milestone_id)
    if (before.completed_at is None) != (after.completed_at is None):
        events.record(visit, kind, milestone_id)
    return after


def delete(visit: Visit, ask: Ask) -> None:
    """Remove a milestone for good; its tickets stay, without one; raises NotFound."""
    if not store.remove(visit.transaction, visit.project_id, ask.ids["id"]):
        raise NotFound("There is no such milestone in this project")
    events.record(visit, Type.MILESTONE_DELETED, ask.ids["id"])


def _one(visit: Visit, milestone_id: int) -> Milestone:
    milestone = store.one(visit.transaction, visit.project_id, milestone_id)
    if milestone is None:
        raise NotFound("There is no such milestone in this project")
    return milestone
