"""Versions of a ticket, which are the same thing as its comments."""

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.tickets import Version
from skerry.store import attachments
from skerry.store import tickets as ticket_store
from skerry.store import versions as store
from skerry.tracker import rendering, ticket_changes, tickets, ticking
from skerry.tracker.visit import Ask, Listing, Visit

MOST_WHOLE = 1000
"""So many versions make one list; more come in pages."""


def listed(visit: Visit, ask: Ask) -> Listing[Version]:
    """Return the versions of a ticket, oldest first: a page if one is asked for or they are many, else all.

    Raises NotFound.
    """
    number = tickets.one(visit, ask.ids["number"]).number or 0
    transaction, project_id = visit.transaction, visit.project_id
    if "page" not in ask.query and "limit" not in ask.query:
        found = store.page(transaction, project_id, number, limit=MOST_WHOLE + 1, offset=0)
        if len(found) <= MOST_WHOLE:
            return Listing(Version, found)
    found = store.page(transaction, project_id, number, limit=ask.page.limit, offset=ask.page.offset)
    return Listing(Version, found, store.count(transaction, project_id, number))


def shown(visit: Visit, ask: Ask) -> Version:
    """Return one version of a ticket; raises NotFound."""
    version = store.one(visit.transaction, visit.project_id, ask.ids["number"], ask.ids["version"])
    if version is None:
        raise NotFound("There is no such version of this ticket")
    return version


def first_two(visit: Visit, number: int) -> list[Version]:
    """Return the first two versions of a ticket."""
    return store.page(visit.transaction, visit.project_id, number, limit=2, offset=0)


def around(visit: Visit, number: int, first: int, last: int) -> tuple[int, int]:
    """Return how many versions of a ticket stand between the opening one and a first, and after a last."""
    transaction, project_id = visit.transaction, visit.project_id
    before = store.count_before(transaction, project_id, number, first)
    upto = store.count_before(transaction, project_id, number, last + 1)
    return max(before - 1, 0), store.count(transaction, project_id, number) - upto


def create(visit: Visit, ask: Ask) -> Version:
    """Comment on a ticket and change nothing else; raises NotFound or Invalid."""
    if not ask.draft_of(Version).new.body.strip():
        tickets.one(visit, ask.ids["number"])
        raise Invalid("Body can't be blank")
    ticket = tickets.update(visit, ask)
    return shown(visit, Ask(ids={**ask.ids, "version": ticket.version or 0}))


def _body(visit: Visit, ask: Ask) -> str:
    return shown(visit, ask).body


foreseen = ticking.foreseen(Version, Version.body, _body)
"""Put a text with its task ticked into a draft."""


def update(visit: Visit, ask: Ask) -> Version:
    """Replace the text of a version in place; the first one's is the ticket's own text.

    Raises NotFound, or Forbidden if the caller neither wrote it nor works in the project.
    """
    ticket_store.hold(visit.transaction, visit.project_id, ask.ids["number"])
    version = own(visit, ask)
    ticking.check(ask, version.body)
    draft = ask.draft_of(Version)
    body = draft.over(version).body
    html = rendering.render_sent(visit, draft.get(Version.body), version.body_html)
    ticket_changes.rewrite(visit, version, body, html)
    return shown(visit, ask)


def delete(visit: Visit, ask: Ask) -> None:
    """Delete the text of a version and its files; who made it, when, and what it changed stay.

    Raises NotFound, Forbidden as for an update, or Invalid for the first version and for one without a text
    and without files.
    """
    ticket_store.hold(visit.transaction, visit.project_id, ask.ids["number"])
    version = own(visit, ask)
    if version.version == 1:
        raise Invalid("Version 1 is the ticket itself and cannot be deleted alone")
    if not _remove_files(visit, version) and not version.body:
        raise Invalid("There is no text to delete in this version; what it changed stays in the history")
    ticket_changes.rewrite(visit, version, "", "", deleted=True)


def _remove_files(visit: Visit, version: Version) -> int:
    """Remove the files that came with a version, and return how many there were."""
    number = version.number or 0
    removed = attachments.remove_of_version(visit.transaction, visit.project_id, number, version.version or 0)
    if removed:
        store.discount(visit.transaction, version, removed)
        ticket_store.discount(visit.transaction, visit.project_id, number, removed)
    return removed


def own(visit: Visit, ask: Ask) -> Version:
    """Return a version to somebody who may change its text; raises NotFound or Forbidden."""
    version = shown(visit, ask)
    if not visit.member and version.user_id != visit.author.user_id:
        raise Forbidden("Only its author or a member of the project may change a comment")
    return version
