"""Links between tickets: listed, made and removed; and as tickets and versions show them."""

from collections.abc import Iterable
from typing import NamedTuple

from skerry.errors import Invalid, NotFound
from skerry.resources.links import KINDS, LABELS, LinkChange, TicketLink
from skerry.resources.tickets import Ticket, Version
from skerry.store import links as store
from skerry.store import tickets
from skerry.store.links import Link
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.commands import ticket_named
from skerry.tracker.changes.link_edits import LinkEdit
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.texts import ticket_references
from skerry.wire.record import changed

_NO_TICKET = "Ticket not found. It may have been moved or deleted"
_NO_LINK = "There is no such link of this ticket"


def list_all(context: Context, params: Params) -> ResultPage[TicketLink]:
    """Return the links of a ticket, the oldest first; raises NotFound."""
    number = params.ids["number"]
    if tickets.one(context.transaction, context.project_id, number) is None:
        raise NotFound(_NO_TICKET)
    return ResultPage(TicketLink, of_ticket(context, number))


def of_ticket(context: Context, number: int) -> list[TicketLink]:
    """Return the links of a ticket to those that the caller sees, the oldest first."""
    return _shown(context, store.of_tickets(context.transaction, context.project_id, [number]))


def get(context: Context, params: Params) -> TicketLink:
    """Return a link of a ticket; raises NotFound."""
    for link in of_ticket(context, params.ids["number"]):
        if link.id == params.ids["id"]:
            return link
    raise NotFound(_NO_LINK)


def create(context: Context, params: Params) -> TicketLink:
    """Link a ticket to another one, or return the link that exists already.

    Raises NotFound, Forbidden if the caller is not a member of the other ticket's project, or Invalid.
    """
    new, number = params.draft_of(TicketLink).new, params.ids["number"]
    if new.kind not in KINDS:
        raise Invalid(f"Kind is not one of {', '.join(KINDS)}")
    name = ticket_named(new.ticket)
    if name is None:
        raise Invalid("Ticket must be the number of a ticket, such as 12 or roof#12")
    place = Place(context.project_id, number)
    edit = LinkEdit(context, [place], [name])
    if not edit.has(place):
        raise NotFound(_NO_TICKET)
    other = edit.other(name)
    edit.add(place, new.kind, other)
    edit.write({})
    return next(
        link
        for link in of_ticket(context, number)
        if link.kind == new.kind and (link.project_id, link.number) == other
    )


def delete(context: Context, params: Params) -> None:
    """Remove a link from both of its tickets.

    Raises NotFound, or Forbidden if the caller is not a member of the other ticket's project.
    """
    place = Place(context.project_id, params.ids["number"])
    edit = LinkEdit(context, [place], unlinked=[params.ids["id"]])
    link = get(context, params)
    edit.remove(place, link.kind, Place(link.project_id or 0, link.number or 0))
    edit.write({})


def with_links(context: Context, ticket: Ticket) -> Ticket:
    """Return a whole ticket with its links, and with what its versions changed of them."""
    versions = ticket.versions or []
    since = (versions[0].version or 0) if versions else store.ONLY_PRESENT
    linked = store.of_tickets(context.transaction, context.project_id, [ticket.number or 0], since)
    present = [link for link in linked if link.removed_in is None]
    return changed(ticket, links=_shown(context, present), versions=_with_changes(context, versions, linked))


def with_changes(context: Context, number: int, versions: list[Version]) -> list[Version]:
    """Return versions of a ticket, oldest first, with what they changed of its links."""
    if not versions:
        return versions
    since = versions[0].version or 0
    linked = store.of_tickets(context.transaction, context.project_id, [number], since)
    return _with_changes(context, versions, linked)


def with_changes_across(context: Context, versions: list[Version]) -> list[Version]:
    """Return versions of several tickets with what they changed of the links of those."""
    found: list[Link] = []
    for project_id in sorted({version.project_id or 0 for version in versions}):
        there = [version for version in versions if version.project_id == project_id]
        numbers, since = {each.number or 0 for each in there}, min(each.version or 0 for each in there)
        found += store.of_tickets(context.transaction, project_id, numbers, since)
    return _with_changes(context, versions, found)


def _with_changes(context: Context, versions: list[Version], found: Iterable[Link]) -> list[Version]:
    changes: dict[tuple[int, int, int | None], list[LinkChange]] = {}
    for link, shown in _visible(context, found):
        changes.setdefault((*link.place, link.added_in), []).append(_change(shown, added=True))
        changes.setdefault((*link.place, link.removed_in), []).append(_change(shown, added=False))
    keys = [(each.project_id or 0, each.number or 0, each.version) for each in versions]
    return [
        changed(version, link_changes=changes[key]) if key in changes else version
        for key, version in zip(keys, versions, strict=True)
    ]


def are_hidden(context: Context, version: Version) -> bool:
    """Return whether a version changed links, but none that the caller sees."""
    key = (version.number or 0, version.version or 0)
    with context.transaction.seeing(None):
        projects = store.linked_projects(context.transaction, context.project_id, [key])
    return bool(projects.get(key)) and not version.link_changes


class LinkInWords(NamedTuple):
    """The links of one kind that a version removed and added, with the name of the kind."""

    kind: str
    label: str
    before: str
    after: str


def in_words(version: Version) -> list[LinkInWords]:
    """Return what a version changed of links, by kind."""
    changes = version.link_changes or []

    def named(kind: str, *, added: bool) -> str:
        tickets = (each.ticket for each in changes if each.kind == kind and each.added is added)
        return ", ".join(each if "#" in each else f"#{each}" for each in tickets)

    return [
        LinkInWords(kind, LABELS[kind], named(kind, added=False), named(kind, added=True))
        for kind in KINDS
        if any(each.kind == kind for each in changes)
    ]


def _change(link: TicketLink, *, added: bool) -> LinkChange:
    return LinkChange(added, link.kind, link.number, link.project_id, link.ticket, link.title)


def _shown(context: Context, links: Iterable[Link]) -> list[TicketLink]:
    return [shown for _, shown in _visible(context, links)]


def _visible(context: Context, links: Iterable[Link]) -> list[tuple[Link, TicketLink]]:
    """Return the links to tickets that the caller sees."""
    found = list(links)
    words = ticket_references.words(context, {link.other.project_id for link in found})

    def is_here(link: Link) -> bool:
        return link.other.project_id == link.place.project_id

    base = context.transaction.base
    return [
        (link, _record(link, "" if is_here(link) else words[link.other.project_id], base))
        for link in found
        if link.other.project_id in words
    ]


def _record(link: Link, word: str, base: str) -> TicketLink:
    project_id, number = link.other
    return TicketLink(
        closed=link.closed,
        id=link.id,
        kind=link.kind,
        number=number,
        project_id=project_id,
        state=link.state,
        ticket=f"{word}#{number}" if word else str(number),
        title=link.title,
        url=f"{base}/projects/{project_id}/tickets/{number}",
    )
