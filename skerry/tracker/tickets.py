"""Tickets: created, changed, read and deleted; every change adds a version."""

from collections.abc import Callable
from dataclasses import replace

from skerry.errors import NotFound
from skerry.resources.tickets import Ticket
from skerry.store import projects
from skerry.store import tickets as store
from skerry.store.ticket_rows import ticket_lists, whole_tickets
from skerry.tracker import access
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import commands, ticket_changes, ticket_values
from skerry.tracker.changes import watchers as watching
from skerry.tracker.changes.comments import Comment
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.lists import search
from skerry.tracker.texts import mentions, rendering
from skerry.wire.values import MAX_SIZE

NOWHERE = "There is no such ticket in this project"


def list_all(context: Context, params: Params) -> ResultPage[Ticket]:
    """Return a page of the project's tickets, the last changed first."""
    return _listed(context, params, [context.project_id], lambda: context.tickets_count)


def list_across_projects(context: Context, params: Params) -> ResultPage[Ticket]:
    """Return a page of the tickets of every project visible to the caller."""
    project_ids = access.visible_project_ids(context)
    return _listed(
        context, params, project_ids, lambda: projects.tickets_count(context.transaction, project_ids)
    )


def _listed(
    context: Context, params: Params, project_ids: list[int], count: Callable[[], int]
) -> ResultPage[Ticket]:
    query, page = search.query_of(params), params.page
    if query:
        results = search.find(context, params, query, project_ids)
    else:
        found = ticket_lists.of_projects(
            context.transaction, project_ids, limit=page.limit, offset=page.offset
        )
        results = ResultPage(Ticket, found, count())
    if not context.opening_texts:
        return results
    return replace(results, records=ticket_lists.with_openings(context.transaction, results.records))


def get(context: Context, params: Params, up_to: int = MAX_SIZE) -> Ticket:
    """Return a ticket with its versions; raises NotFound.

    For a large ticket only the newest versions that fit into the response are included, or the newest up to a
    given one.
    """
    ticket = whole_tickets.one(context.transaction, context.project_id, params.ids["number"], up_to)
    if ticket is None:
        raise NotFound(NOWHERE)
    return ticket


def one(context: Context, number: int) -> Ticket:
    """Return a ticket of the project; raises NotFound."""
    ticket = store.one(context.transaction, context.project_id, number)
    if ticket is None:
        raise NotFound(NOWHERE)
    return ticket


def new(context: Context, _params: Params) -> Ticket:
    """Return a new ticket with its defaults."""
    values = ticket_values.defaults(context.project)
    return Ticket(
        assigned_user_id=values.assigned_user_id,
        milestone_id=values.milestone_id,
        project_id=context.project_id,
        state=values.state,
    )


def create(context: Context, params: Params) -> Ticket:
    """Create a ticket with the project's next number."""
    attachment_rules.check(params)
    author = context.author
    before = ticket_values.opening(context)
    after = ticket_values.apply(context, before, params.draft_of(Ticket), creating=True)
    text = params.draft_of(Ticket).new.body
    after, note = commands.in_text(context, text, before, after, creating=True)
    comment = _rendered(context, params, text, note)
    joining = [author.user_id, after.assigned_user_id]
    watchers = watching.after(context, params, present=[], joining=joining, named=comment.named)
    return ticket_changes.create(context, after, comment, watchers)


def _rendered(context: Context, params: Params, text: str, note: str) -> Comment:
    html = rendering.render(context, text)
    named = mentions.named(context, html)
    return Comment(*rendering.noted(text, html, note), params.files, named)


def update(context: Context, params: Params) -> Ticket:
    """Change a ticket and add a version, with the draft's body as its comment; raises NotFound."""
    attachment_rules.check(params)
    transaction, number = context.transaction, params.ids["number"]
    locked = store.locked(transaction, context.project_id, number)
    if locked is None:
        raise NotFound(NOWHERE)
    ticket = locked.ticket
    # The clock may have been set back: no change may be dated before the previous one.
    transaction.not_before(locked.stored["updated_at"])
    before: Values = ticket
    after = ticket_values.apply(context, before, params.draft_of(Ticket), creating=False)
    text = _comment(ticket, params)
    after, note = commands.in_text(context, text, before, after, creating=False)
    joining: list[int | None] = [context.author.user_id] if text.strip() else []
    if after.assigned_user_id != before.assigned_user_id:
        joining.append(after.assigned_user_id)
    comment = _rendered(context, params, text, note)
    watchers = watching.after(
        context, params, present=ticket.watchers_ids, joining=joining, named=comment.named
    )
    return ticket_changes.update(context, locked, after, comment, watchers)


def _comment(ticket: Ticket, params: Params) -> str:
    """Return the comment in a draft; the unchanged text of a ticket that is sent back is none."""
    text = params.draft_of(Ticket).new.body
    # Clients use different line endings.
    if params.sent_back and text.split() == ticket.body.split():
        return ""
    return text


def delete(context: Context, params: Params) -> None:
    """Delete a ticket with its versions and files; its number is never reused; raises NotFound."""
    number = params.ids["number"]
    store.lock(context.transaction, context.project_id, number)
    ticket_changes.delete(context, one(context, number))
