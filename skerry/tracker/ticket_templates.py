"""Templates of tickets: listed, found by name, made, changed and removed."""

from collections.abc import Sequence

from skerry.database.rows import Columns
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.ticket_templates import MAX_TEMPLATES, TicketTemplate
from skerry.store import projects
from skerry.store.ticket_templates import ROWS
from skerry.text.tags import visible_tags, write_tags
from skerry.text.words import folded
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people

NOWHERE = "There is no such template in this project"


def list_all(context: Context, _params: Params) -> ResultPage[TicketTemplate]:
    """Return the templates of the project, the oldest first."""
    return ResultPage(TicketTemplate, ROWS.all(context.transaction, context.project_id))


def get(context: Context, params: Params) -> TicketTemplate:
    """Return a template of the project; raises NotFound."""
    return _one(context, params.ids["id"])


def named(templates: Sequence[TicketTemplate], name: str) -> TicketTemplate | None:
    """Return the template with a name, in upper or lower case, or None."""
    return next((each for each in templates if folded(each.name) == folded(name)), None)


def new(context: Context, _params: Params) -> TicketTemplate:
    """Return a new template with its defaults."""
    return TicketTemplate(project_id=context.project_id)


def create(context: Context, params: Params) -> TicketTemplate:
    """Add a template; raises Invalid for a name that is taken, Conflict if there are too many."""
    present = _locked(context)
    if len(present) >= MAX_TEMPLATES:
        raise Conflict(f"A project has at most {MAX_TEMPLATES} templates; no more can be added")
    values = _values(context, TicketTemplate(), present, params)
    template_id = ROWS.insert(context.transaction, context.project_id, **values)
    return events.record_change(context, Type.TEMPLATE_CREATED, TicketTemplate(), _one(context, template_id))


def update(context: Context, params: Params) -> TicketTemplate:
    """Change a template; raises NotFound, or Invalid for a name that is taken."""
    present, template_id = _locked(context), params.ids["id"]
    before = _one(context, template_id)
    if params.draft_of(TicketTemplate).over(before) == before:
        return before
    others = [each for each in present if each.id != template_id]
    values = _values(context, before, others, params)
    ROWS.update(context.transaction, context.project_id, template_id, **values)
    return events.record_change(context, Type.TEMPLATE_UPDATED, before, _one(context, template_id))


def delete(context: Context, params: Params) -> None:
    """Remove a template; tickets that began with it stay; raises NotFound."""
    projects.lock(context.transaction, context.project_id)
    if not ROWS.delete(context.transaction, context.project_id, params.ids["id"]):
        raise NotFound(NOWHERE)
    events.forget(context, "template", params.ids["id"])
    events.record(context, Type.TEMPLATE_DELETED, params.ids["id"])


def _locked(context: Context) -> list[TicketTemplate]:
    """Return the templates of the project, which is locked, since names are compared with one another."""
    projects.lock(context.transaction, context.project_id)
    return ROWS.all(context.transaction, context.project_id)


def _values(
    context: Context, before: TicketTemplate, others: list[TicketTemplate], params: Params
) -> Columns:
    """Return the column values after a draft."""
    after = params.draft_of(TicketTemplate).over(before)
    if named(others, after.name):
        raise Invalid("Name has already been taken")
    # A person who left the project keeps their place in a template, which is then ignored.
    if after.assigned_user_id != before.assigned_user_id:
        people.check_assignee(context.transaction, context.project, after.assigned_user_id)
    return {
        "name": after.name,
        "title": after.title,
        "body": after.body,
        "tag": _tag(before, after),
        "assigned_user_id": after.assigned_user_id,
    }


def _tag(before: TicketTemplate, after: TicketTemplate) -> str:
    try:
        return write_tags(visible_tags(after.tag, before.tag)) or ""
    except ValueError as error:
        raise Invalid(str(error)) from error


def _one(context: Context, template_id: int) -> TicketTemplate:
    template = ROWS.one(context.transaction, context.project_id, template_id)
    if template is None:
        raise NotFound(NOWHERE)
    return template
