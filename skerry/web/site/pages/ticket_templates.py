"""Pages of a project's templates of tickets."""

from skerry.resources.ticket_templates import TicketTemplate
from skerry.tracker import edit_conflicts, row_locks, ticket_templates
from skerry.tracker.context import Context, Params
from skerry.tracker.people import people
from skerry.web.site.pages import Content


def list_all(context: Context, params: Params) -> Content:
    """Return the templates of a project."""
    return {"templates": ticket_templates.list_all(context, params).records}


def new(context: Context, params: Params) -> Content:
    """Return a new template, with the people whom it can name."""
    return {"template": ticket_templates.new(context, params), "people": people.workers(context)}


def edit(context: Context, params: Params) -> Content:
    """Return a template to be changed; raises NotFound."""
    template = ticket_templates.get(context, params)
    return {"template": template, "people": people.workers(context), "seen": _mark(template)}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if a template has changed since the reader saw it."""
    row_locks.locked(context, TicketTemplate, params, removes=False)
    edit_conflicts.check(saw, _mark(ticket_templates.get(context, params)))


def _mark(template: TicketTemplate) -> str:
    values = template.title, template.body, template.tag, template.assigned_user_id
    return edit_conflicts.mark(template.name, *values)
