"""Tickets: opened, changed, read and removed; every change leaves a version."""

from dataclasses import replace

from skerry.errors import Missing
from skerry.resources.tickets import Ticket
from skerry.store import (
    associations,
    attachments,
    projects,
    ticket_lists,
    versions,
    whole_tickets,
)
from skerry.store import tickets as store
from skerry.store.rows import Columns
from skerry.store.search import index as search_index
from skerry.store.tickets import Held
from skerry.text.slugs import permalink
from skerry.text.tags import read_tags
from skerry.tracker import access, changes, commands, counting, events, rendering, searching, watching
from skerry.tracker import attachments as attachment_rules
from skerry.tracker.changes import Values
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.wire.values import LARGEST

NOWHERE = "There is no such ticket in this project"


def listed(visit: Visit, ask: Ask) -> Listing[Ticket]:
    """Give a page of the project's tickets, the last changed first."""
    return _listed(visit, ask, [visit.project_id])


def listed_everywhere(visit: Visit, ask: Ask) -> Listing[Ticket]:
    """Give a page of the tickets of every project that the caller sees."""
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
    """Give a ticket with its versions; raises Missing.

    Of a large one there are the newest for which an answer has room, or the newest up to one.
    """
    ticket = whole_tickets.one(visit.transaction, visit.project_id, ask.ids["number"], upto)
    if ticket is None:
        raise Missing(NOWHERE)
    return ticket


def one(visit: Visit, number: int) -> Ticket:
    """Give a ticket of the project as it stands; raises Missing."""
    ticket = store.one(visit.transaction, visit.project_id, number)
    if ticket is None:
        raise Missing(NOWHERE)
    return ticket


def blank(visit: Visit, _ask: Ask) -> Ticket:
    """Give a ticket as it would be made from nothing but a title."""
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
    transaction, author = visit.transaction, visit.author
    before = changes.opening(visit)
    after = changes.apply(visit, before, ask.draft_of(Ticket), creating=True)
    text = ask.draft_of(Ticket).new.body
    after, note = commands.in_text(visit, text, before, after, creating=True)
    body, body_html = rendering.noted(text, rendering.render(visit, text), note)
    watchers = watching.after(visit, ask, present=[], joining=[author.user_id, after.assigned_user_id])
    number = counting.moved(transaction, visit.project_id, None, after, numbers=1)
    row = {
        "project_id": visit.project_id,
        "number": number,
        "version": 1,
        "user_id": author.user_id,
        "watchers_ids": watchers,
        "body": body,
        "body_html": body_html,
        **changes.as_columns(after),
    }
    ticket = store.add(
        transaction,
        **row,
        attachments_count=len(ask.files),
        last_version=1,
        creator_id=author.user_id,
        permalink=permalink(after.title),
        created_at=transaction.now,
        updated_at=transaction.now,
    )
    # A version counts the files that were there before its own.
    versions.add(transaction, diffable_attributes={}, attachments_count=0, **row)
    attachment_rules.add(visit, number, 1, ask.files)
    associations.add_tags(
        transaction, visit.project_id, {changes.tagged(number, after): read_tags(after.tag or "")}
    )
    search_index.index_opened(transaction, (visit.project_id, number), after.title, body)
    told = changes.told(None, after, body=body, files=len(ask.files))
    events.record(visit, Type.TICKET_CREATED, number, changes=told, version=1)
    return ticket


def update(visit: Visit, ask: Ask) -> Ticket:
    """Change a ticket and leave a version, with the draft's body as its comment; raises Missing."""
    attachment_rules.check(ask)
    transaction, number = visit.transaction, ask.ids["number"]
    held = store.held(transaction, visit.project_id, number)
    if held is None:
        raise Missing(NOWHERE)
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
    key, version = (visit.project_id, number), (visit.project_id, number, held.last_version + 1)
    body, body_html = rendering.noted(text, rendering.render(visit, text), note)
    changed_ticket = _keep(visit, ask, held, after, watchers, (body, body_html))
    _keep_tags(visit, number, before, after)
    counting.moved(transaction, visit.project_id, before, after)
    # After the counts, as with a new ticket: files get their ids from a row for which others wait.
    attachment_rules.add(visit, number, held.last_version + 1, ask.files)
    if after.title == before.title:
        search_index.index_commented(transaction, key, body)
    else:
        search_index.index_renamed(transaction, version, after.title, (ticket.body, body))
    told = changes.told(before, after, body=body, files=len(ask.files))
    events.record(visit, Type.TICKET_UPDATED, number, changes=told, version=held.last_version + 1)
    return changed_ticket


def _comment(ticket: Ticket, ask: Ask) -> str:
    """Give the comment of a draft; in a ticket that is sent back as it was read, its own text is none."""
    text = ask.draft_of(Ticket).new.body
    # Clients write the ends of lines as they like.
    if ask.sent_back and text.split() == ticket.body.split():
        return ""
    return text


def _keep(
    visit: Visit, ask: Ask, held: Held, after: Values, watchers: list[int], said: tuple[str, str]
) -> Ticket:
    ticket, version, (body, body_html) = held.ticket, held.last_version + 1, said
    row: Columns = {
        "version": version,
        "user_id": visit.author.user_id,
        "watchers_ids": watchers,
        **changes.as_columns(after),
    }
    kept = store.change(
        visit.transaction,
        held,
        **row,
        attachments_count=ticket.attachments_count + len(ask.files),
        last_version=version,
        updated_at=visit.transaction.now,
    )
    versions.add(
        visit.transaction,
        project_id=ticket.project_id,
        number=ticket.number,
        diffable_attributes=changes.difference(ticket, after),
        attachments_count=ticket.attachments_count,
        body=body,
        body_html=body_html,
        **row,
    )
    return kept


def _keep_tags(visit: Visit, number: int, before: Values, after: Values) -> None:
    tagged = changes.tagged(number, after)
    if after.tag != before.tag:
        tags = {tagged: read_tags(after.tag or "")}
        associations.set_tags(visit.transaction, visit.project_id, tags)
    elif after.tag and tagged != changes.tagged(number, before):
        associations.follow(visit.transaction, visit.project_id, [tagged])


def delete(visit: Visit, ask: Ask) -> None:
    """Remove a ticket with its versions and files; its number is not given again; raises Missing."""
    number = ask.ids["number"]
    store.hold(visit.transaction, visit.project_id, number)
    ticket = one(visit, number)
    attachments.remove_of_ticket(visit.transaction, visit.project_id, number)
    store.remove(visit.transaction, visit.project_id, number)
    counting.moved(visit.transaction, visit.project_id, ticket, None)
    events.forget(visit, "ticket", number)
    events.record(visit, Type.TICKET_DELETED, number)
