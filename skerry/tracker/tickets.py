"""Tickets: opened, changed, read and removed; every change leaves a version."""

from dataclasses import replace

from skerry.errors import NotFound
from skerry.resources.tickets import Ticket
from skerry.store import (
    projects,
    ticket_lists,
    whole_tickets,
)
from skerry.store import tickets as store
from skerry.tracker import (
    access,
    changes,
    commands,
    rendering,
    searching,
    ticket_changes,
    watching,
)
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import Values
from skerry.tracker.ticket_changes import Comment
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.wire.values import LARGEST

NOWHERE = "There is no such ticket in this project"


def listed(visit: Visit, ask: Ask) -> Listing[Ticket]:
    """Return a page of the project's tickets, the last changed first."""
    return _listed(visit, ask, [visit.project_id])


def listed_everywhere(visit: Visit, ask: Ask) -> Listing[Ticket]:
    """Return a page of the tickets of every project visible to the caller."""
    return _listed(visit, ask, access.seen_projects(visit))


def _listed(visit: Visit, ask: Ask, project_ids: list[int]) -> Listing[Ticket]:
    query, page = searching.asked(ask), ask.page
    if query:
        listing = searching.found(visit, ask, query, project_ids)
    else:
        found = ticket_lists.of_projects(visit.transaction, project_ids, limit=page.limit, offset=page.offset)
        listing = Listing(Ticket, found, projects.tickets_count(visit.transaction, project_ids))
    if not visit.opening_texts:
        return listing
    return replace(listing, records=ticket_lists.with_openings(visit.transaction, listing.records))


def shown(visit: Visit, ask: Ask, upto: int = LARGEST) -> Ticket:
    """Return a ticket with its versions; raises NotFound.

    Of a large one there are the newest for which an answer has room, or the newest up to one.
    """
    ticket = whole_tickets.one(visit.transaction, visit.project_id, ask.ids["number"], upto)
    if ticket is None:
        raise NotFound(NOWHERE)
    return ticket


def one(visit: Visit, number: int) -> Ticket:
    """Return a ticket of the project as it stands; raises NotFound."""
    ticket = store.one(visit.transaction, visit.project_id, number)
    if ticket is None:
        raise NotFound(NOWHERE)
    return ticket


def blank(visit: Visit, _ask: Ask) -> Ticket:
    """Return a new ticket with the defaults that it has when only a title is given."""
    values = changes.defaults(visit.project)
    return Ticket(
        assigned_user_id=values.assigned_user_id,
        milestone_id=values.milestone_id,
        project_id=visit.project_id,
        state=values.state,
    )


def create(visit: Visit, ask: Ask) -> Ticket:
    """Open a ticket under the project's next number."""
    attachment_rules.check(ask)
    author = visit.author
    before = changes.opening(visit)
    after = changes.apply(visit, before, ask.draft_of(Ticket), creating=True)
    text = ask.draft_of(Ticket).new.body
    after, note = commands.in_text(visit, text, before, after, creating=True)
    body, body_html = rendering.noted(text, rendering.render(visit, text), note)
    watchers = watching.after(visit, ask, present=[], joining=[author.user_id, after.assigned_user_id])
    return ticket_changes.create(visit, after, Comment(body, body_html, ask.files), watchers)


def update(visit: Visit, ask: Ask) -> Ticket:
    """Change a ticket and leave a version, with the draft's body as its comment; raises NotFound."""
    attachment_rules.check(ask)
    transaction, number = visit.transaction, ask.ids["number"]
    held = store.held(transaction, visit.project_id, number)
    if held is None:
        raise NotFound(NOWHERE)
    ticket = held.ticket
    # The machine's clock may have been set back since: nothing changes before it was changed last.
    transaction.not_before(held.stored["updated_at"])
    before: Values = ticket
    after = changes.apply(visit, before, ask.draft_of(Ticket), creating=False)
    text = _comment(ticket, ask)
    after, note = commands.in_text(visit, text, before, after, creating=False)
    joining: list[int | None] = [visit.author.user_id] if text.strip() else []
    if after.assigned_user_id != before.assigned_user_id:
        joining.append(after.assigned_user_id)
    watchers = watching.after(visit, ask, present=ticket.watchers_ids, joining=joining)
    body, body_html = rendering.noted(text, rendering.render(visit, text), note)
    return ticket_changes.update(visit, held, after, Comment(body, body_html, ask.files), watchers)


def _comment(ticket: Ticket, ask: Ask) -> str:
    """Return the comment of a draft; in a ticket that is sent back as it was read, its own text is none."""
    text = ask.draft_of(Ticket).new.body
    # Clients write the ends of lines as they like.
    if ask.sent_back and text.split() == ticket.body.split():
        return ""
    return text


def delete(visit: Visit, ask: Ask) -> None:
    """Remove a ticket with its versions and files; its number is not given again; raises NotFound."""
    number = ask.ids["number"]
    store.hold(visit.transaction, visit.project_id, number)
    ticket_changes.delete(visit, one(visit, number))
