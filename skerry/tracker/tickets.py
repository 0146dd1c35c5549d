"""Tickets: created, changed, read and deleted; every change adds a version."""

from dataclasses import replace

from skerry.errors import NotFound
from skerry.resources.tickets import Ticket
from skerry.store import projects
from skerry.store import tickets as store
from skerry.store.projects import SeenIds
from skerry.store.ticket_rows import ticket_lists, whole_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.queries.query_tree import Query
from skerry.tracker import access, links, mentions, search
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import commands, ticket_changes, ticket_values
from skerry.tracker.changes import watchers as watching
from skerry.tracker.changes.link_edits import NEW, LinkEdit
from skerry.tracker.changes.ticket_values import NewComment, Values
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.tracker.texts import rendering
from skerry.visibility import is_visible
from skerry.wire.values import MAX_INTEGER

AT_ONCE = 1_000
"""How many tickets of a list are read at once."""

NOWHERE = "Ticket not found. It may have been moved or deleted"


def list_all(context: Context, params: Params) -> ResultPage[Ticket]:
    """Return a page of the project's tickets, or of every project visible to the caller."""
    return matching(context, params, search.query_of(params))


def matching(context: Context, params: Params, query: Query) -> ResultPage[Ticket]:
    """Return a page of the tickets of a list that match a query, the last changed first."""
    if params.page.limit > AT_ONCE:
        return _in_parts(context, params, query)
    project_ids = access.listed_project_ids(context)
    if query == search.EVERY:
        results = _newest(context, params, project_ids)
    else:
        results = search.find(context, params, query, project_ids)
    if not context.opening_texts:
        return results
    return replace(results, records=ticket_lists.with_openings(context.transaction, results.records))


def _in_parts(context: Context, params: Params, query: Query) -> ResultPage[Ticket]:
    """Return a long first page: reading all of its tickets at once would take time with their square."""
    parts: list[ResultPage[Ticket]] = []
    while not parts or (len(parts[-1].records) == AT_ONCE and len(parts) * AT_ONCE < params.page.limit):
        page = RequestedPage(len(parts) + 1, AT_ONCE)
        parts.append(matching(context, replace(params, page=page), query))
    records = [record for part in parts for record in part.records]
    return replace(parts[0], records=records[: params.page.limit])


def _newest(context: Context, params: Params, project_ids: SeenIds) -> ResultPage[Ticket]:
    transaction, page = context.transaction, params.page
    tickets = ticket_lists.of_projects(transaction, project_ids, limit=page.limit, offset=page.offset)
    total = context.tickets_count if context.entered else projects.tickets_count(transaction, project_ids)
    return ResultPage(Ticket, tickets, total)


def get(context: Context, params: Params, up_to: int = MAX_INTEGER) -> Ticket:
    """Return a ticket with its versions; raises NotFound.

    For a large ticket only the newest versions that fit into the response are included, or the newest up to a
    given one.
    """
    ticket = whole_tickets.one(context.transaction, context.project_id, params.ids["number"], up_to)
    if ticket is None:
        raise NotFound(NOWHERE)
    return links.with_links(context, ticket)


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
    link_edit = commands.links_in_text(context, _commands(params, text), NEW)
    after, note = commands.in_text(context, _commands(params, text), before, after, link_edit, creating=True)
    comment = _rendered(context, params, text, note)._replace(links=_is_linked(context, link_edit, NEW))
    joining = [author.user_id, after.assigned_user_id]
    watchers = watching.after(context, params, present=[], joining=joining, named=comment.named)
    ticket = ticket_changes.create(context, after, comment, watchers)
    return _with_links_written(context, link_edit, ticket)


def _is_linked(context: Context, link_edit: LinkEdit | None, number: int) -> bool:
    return link_edit is not None and link_edit.touches(Place(context.project_id, number))


def _with_links_written(context: Context, link_edit: LinkEdit | None, ticket: Ticket) -> Ticket:
    if link_edit:
        link_edit.write({Place(context.project_id, ticket.number or 0): ticket.version or 0})
    return ticket


def _commands(params: Params, text: str) -> str:
    return text if params.commands is None else params.commands


def _rendered(context: Context, params: Params, text: str, note: str) -> NewComment:
    html = rendering.render(context, text)
    named = mentions.named(context, html)
    return NewComment(*rendering.noted(text, html, note), params.files, named)


def update(context: Context, params: Params) -> Ticket:
    """Change a ticket and add a version, with the draft's body as its comment; raises NotFound."""
    attachment_rules.check(params)
    transaction, number = context.transaction, params.ids["number"]
    link_edit = commands.links_in_text(context, _commands(params, params.draft_of(Ticket).new.body), number)
    locked = store.locked(transaction, context.project_id, number)
    if locked is None:
        raise NotFound(NOWHERE)
    ticket = locked.ticket
    # The clock may have been set back: no change may be dated before the previous one.
    transaction.not_before(locked.stored["updated_at"])
    before: Values = ticket
    after = ticket_values.apply(context, before, params.draft_of(Ticket), creating=False)
    text = _comment(ticket, params)
    after, note = commands.in_text(context, _commands(params, text), before, after, link_edit, creating=False)
    joining: list[int | None] = [context.author.user_id] if text else []
    if after.assigned_user_id != before.assigned_user_id:
        joining.append(after.assigned_user_id)
    comment = _rendered(context, params, text, note)._replace(links=_is_linked(context, link_edit, number))
    watchers = watching.after(
        context, params, present=ticket.watchers_ids, joining=joining, named=comment.named
    )
    return _with_links_written(
        context, link_edit, ticket_changes.update(context, locked, after, comment, watchers)
    )


def _comment(ticket: Ticket, params: Params) -> str:
    """Return the comment in a draft; blanks and the unchanged text of a ticket that is sent back are none."""
    text = params.draft_of(Ticket).new.body
    # Clients use different line endings.
    is_echo = params.sent_back and text.split() == ticket.body.split()
    return text if is_visible(text) and not is_echo else ""


def delete(context: Context, params: Params) -> None:
    """Delete a ticket with its versions and files; its number is never reused; raises NotFound."""
    number = params.ids["number"]
    store.lock(context.transaction, context.project_id, number)
    ticket_changes.delete(context, one(context, number))
