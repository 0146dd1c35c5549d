"""The values of a ticket after a draft, validated against the project's rules."""

from typing import NamedTuple

from skerry.database.rows import Columns
from skerry.errors import Forbidden, Invalid
from skerry.resources.projects import Project
from skerry.resources.tickets import FLAGS, RECORDED, VALUES, Ticket
from skerry.store import milestones, versions
from skerry.store.associations import Tagged
from skerry.store.events.decoding import Changes
from skerry.store.people import placeholders
from skerry.text.tags import visible_tags, write_tags
from skerry.text.words import folded
from skerry.tracker.context import Context, NewFile
from skerry.tracker.events.events import LINKS, MENTIONS
from skerry.tracker.people import people
from skerry.tracker.projects import states_of
from skerry.wire.drafts import Draft
from skerry.wire.record import UNSET, changed

# The fields that outsiders may set in a new ticket of a public project; later they may only comment.
_FOR_ANYONE = ("title", "tag", "private")


Values = Ticket
"""A ticket of which only the recorded fields are used."""


def as_columns(values: Values) -> Columns:
    """Return the values of a ticket that a version records, by column."""
    columns = {name: getattr(values, name) for name in VALUES}
    return {**columns, **{name: int(columns[name]) for name in FLAGS}}


def tagged(number: int, values: Values) -> Tagged:
    """Return the values of a ticket that its tag rows repeat."""
    return Tagged(number, closed=values.closed, assigned_user_id=values.assigned_user_id)


def defaults(project: Project) -> Values:
    """Return the values of a ticket before a project's defaults are applied."""
    return Ticket(
        state=states_of(project).default.name,
        assigned_user_id=project.default_assigned_user_id,
        milestone_id=project.default_milestone_id,
    )


def opening(context: Context) -> Values:
    """Return the defaults of a new ticket, and lock its milestone.

    A default milestone that was removed meanwhile is ignored.
    """
    values = defaults(context.project)
    if values.milestone_id is None or milestones.exists(
        context.transaction, context.project_id, values.milestone_id
    ):
        return values
    return changed(values, milestone_id=None)


def apply(context: Context, before: Values, draft: Draft[Ticket], *, creating: bool) -> Values:
    """Return the values after a draft; its text is ignored.

    Raises Invalid with the first problem found, Forbidden if the caller may not set a value.
    """
    sent = draft.over(before)
    state, closed = _state(context.project, before, sent.state)
    after = changed(sent, body=before.body, state=state, closed=closed, tag=_tag(before, draft))
    if not context.member:
        _refuse_outsider(before, after, creating=creating)
    _check_references(context, before, after)
    return after


def _state(project: Project, before: Values, wanted: str | None) -> tuple[str | None, bool]:
    # A ticket may keep a state that the project no longer has.
    if not wanted or folded(wanted) == folded(before.state or ""):
        return before.state, before.closed
    states = states_of(project)
    state = states.find(wanted)
    if state is None:
        raise Invalid(f"State is not one of {', '.join(states.names)}")
    return state.name, state.closed


def _tag(before: Values, draft: Draft[Ticket]) -> str | None:
    sent = draft.get(Ticket.tag)
    if sent is UNSET:
        return before.tag
    try:
        return write_tags(visible_tags(sent or "", before.tag or ""))
    except ValueError as error:
        raise Invalid(str(error)) from error


def _refuse_outsider(before: Values, after: Values, *, creating: bool) -> None:
    for name in VALUES:
        if creating and name in _FOR_ANYONE:
            continue
        if getattr(before, name) != getattr(after, name):
            raise Forbidden(
                "Only members of the project may set more than a ticket's title, body and tags, and that it "
                "is private"
                if creating
                else "Only members of the project may change a ticket; others may comment on it"
            )


def _check_references(context: Context, before: Values, after: Values) -> None:
    # A person who left the project keeps their existing assignments.
    if after.assigned_user_id != before.assigned_user_id:
        _check_assignee(context, before, after.assigned_user_id)
    if after.milestone_id not in (None, before.milestone_id) and not milestones.exists(
        context.transaction, context.project_id, after.milestone_id or 0
    ):
        raise Invalid("Milestone is not in this project")


def _check_assignee(context: Context, before: Values, user_id: int | None) -> None:
    """Raise Invalid unless a person works in the project, or the last change took the ticket from them.

    Nothing new is assigned to imported people, but what was taken from them is given back by an undo.
    """
    try:
        people.check_assignee(context.transaction, context.project, user_id)
    except Invalid:
        key = (context.project_id, before.number or 0, before.version or 0)
        last = versions.one(context.transaction, *key)
        was_theirs = last and last.diffable_attributes.get("assigned_user") == user_id
        if not (was_theirs and placeholders.waits(context.transaction, user_id or 0)):
            raise


def difference(before: Values, after: Values) -> Columns:
    """Return the old values of the changed fields, by their API names."""
    return {
        name: getattr(before, field)
        for name, field in RECORDED.items()
        if getattr(before, field) != getattr(after, field)
    }


def forget_milestone(version: Columns) -> None:
    """Remove the milestone of the old project from the version of a moved ticket."""
    before = version["diffable_attributes"]
    if version["milestone_id"] is None:
        before.pop("milestone", None)
    elif "milestone" in before:
        before["milestone"] = None


class NewComment(NamedTuple):
    """A text, which may be empty, with its HTML, files, and the ids of the people it mentions.

    ``links`` says whether links of the ticket change with it.
    """

    body: str
    html: str
    files: tuple[NewFile, ...] = ()
    named: tuple[int, ...] = ()
    links: bool = False


def event_changes(before: Values | None, after: Values, comment: NewComment) -> Changes:
    """Return the changes for an event: old and new values, and whether a text or files were added.

    Empty values of a new ticket are left out.
    """
    changes: Changes = {}
    for name in RECORDED.values():
        old, new = getattr(before, name) if before else None, getattr(after, name)
        if old != new and not (old is None and new is False):
            changes[name] = [old, new]
    changes |= {"body": None} if comment.body else {}
    changes |= {LINKS: None} if comment.links else {}
    return changes | ({"attachments": None} if comment.files else {}) | mention_changes(comment)


def mention_changes(comment: NewComment) -> Changes:
    """Return the changes for an event about the people whom a text mentions."""
    return {MENTIONS: [None, ",".join(map(str, comment.named))]} if comment.named else {}
