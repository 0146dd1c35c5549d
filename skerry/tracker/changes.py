"""What a draft does to a ticket: the values after it, checked against the project's rules."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from skerry.errors import Forbidden, Invalid
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.store import milestones
from skerry.store.associations import Tagged
from skerry.store.batches import Held
from skerry.text.names import folded
from skerry.text.tags import read_tags, write_tags
from skerry.tracker import people
from skerry.tracker.projects import states_of
from skerry.tracker.visit import Visit

MOST_IMPORTANT = 9999

RECORDED = {
    "state": "state",
    "title": "title",
    "tag": "tag",
    "assigned_user": "assigned_user_id",
    "milestone": "milestone_id",
    "importance": "importance",
}
"""The fields of which a version says what was in them before, by the names that clients know."""

# What people from outside a public project may set when they open a ticket; later they may only comment.
_FOR_ANYONE = ("title", "tag")


@dataclass(frozen=True)
class Values:
    """The values of a ticket that its versions record; ``tag`` is in the form that is shown."""

    title: str
    state: str
    closed: bool
    tag: str | None
    importance: int
    assigned_user_id: int | None
    milestone_id: int | None

    def as_columns(self) -> dict[str, Any]:
        """Give the values by column."""
        return {**self.__dict__, "closed": int(self.closed)}

    def tagged(self, number: int) -> Tagged:
        """Give what stands beside the tags of the ticket with a number."""
        return Tagged(number, closed=self.closed, assigned_user_id=self.assigned_user_id)


def defaults(project: Project) -> Values:
    """Give the values of a ticket about which nothing is said."""
    return Values(
        title="",
        state=states_of(project).default.name,
        closed=False,
        tag=None,
        importance=0,
        assigned_user_id=project.default_assigned_user_id,
        milestone_id=project.default_milestone_id,
    )


def opening(visit: Visit) -> Values:
    """Give the defaults of a ticket that is opened now; its milestone then stays until the end.

    One that somebody has removed since the project was read is none.
    """
    values = defaults(visit.project)
    if values.milestone_id is None or milestones.exists(
        visit.transaction, visit.project_id, values.milestone_id
    ):
        return values
    return replace(values, milestone_id=None)


def values_of(ticket: Ticket | Held) -> Values:
    """Give the values of a ticket as it stands."""
    return Values(**{field.name: getattr(ticket, field.name) for field in fields(Values)})


def apply(visit: Visit, before: Values, draft: Mapping[str, Any], *, creating: bool) -> Values:
    """Give the values after a draft.

    Raises Invalid with every problem found, Forbidden if the caller may not change one of them.
    """
    after = Values(
        title=draft.get("title", before.title),
        **_state(visit.project, before, draft),
        tag=_tag(before, draft),
        importance=_importance(before, draft),
        assigned_user_id=draft.get("assigned_user_id", before.assigned_user_id),
        milestone_id=draft.get("milestone_id", before.milestone_id),
    )
    if not visit.member:
        _refuse_outsider(before, after, creating=creating)
    _check_references(visit, before, after)
    return after


def _state(project: Project, before: Values, draft: Mapping[str, Any]) -> dict[str, Any]:
    wanted = draft.get("state")
    # A ticket stays in its state, even if its project no longer has that.
    if not wanted or folded(wanted) == folded(before.state):
        return {"state": before.state, "closed": before.closed}
    states = states_of(project)
    state = states.find(wanted)
    if state is None:
        raise Invalid(f"State is not one of {', '.join(states.names)}")
    return {"state": state.name, "closed": state.closed}


def _tag(before: Values, draft: Mapping[str, Any]) -> str | None:
    if "tag" not in draft:
        return before.tag
    try:
        return write_tags(read_tags(draft["tag"] or ""))
    except ValueError as error:
        raise Invalid(str(error)) from error


def _importance(before: Values, draft: Mapping[str, Any]) -> int:
    importance: int = draft.get("importance", before.importance) or 0
    if not 0 <= importance <= MOST_IMPORTANT:
        raise Invalid(f"Importance must be a whole number from 0 to {MOST_IMPORTANT}")
    return importance


def _refuse_outsider(before: Values, after: Values, *, creating: bool) -> None:
    for field in fields(Values):
        if creating and field.name in _FOR_ANYONE:
            continue
        if getattr(before, field.name) != getattr(after, field.name):
            raise Forbidden(
                "Only members of the project may set more than a ticket's title, body and tags"
                if creating
                else "Only members of the project may change a ticket; others may comment on it"
            )


def _check_references(visit: Visit, before: Values, after: Values) -> None:
    # Somebody who left the project keeps what was assigned before.
    if after.assigned_user_id != before.assigned_user_id:
        people.check_assignee(visit.transaction, visit.project, after.assigned_user_id)
    if after.milestone_id not in (None, before.milestone_id) and not milestones.exists(
        visit.transaction, visit.project_id, after.milestone_id or 0
    ):
        raise Invalid("Milestone is not one of this project")


def difference(before: Values, after: Values) -> dict[str, Any]:
    """Give what changed, by the names that clients know, with the old values."""
    return {
        name: getattr(before, field)
        for name, field in RECORDED.items()
        if getattr(before, field) != getattr(after, field)
    }
