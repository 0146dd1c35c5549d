"""Changesets: commits that hooks report; they are made and removed, never changed."""

import re
from collections.abc import Callable

from skerry.errors import Invalid, NotFound
from skerry.resources.changesets import Changeset
from skerry.resources.tickets import Ticket
from skerry.store import changesets as store
from skerry.store import ticket_lists, users
from skerry.text.changed_files import Change, read_changes
from skerry.text.commands import MOST_TOUCHED, actions_in_message
from skerry.text.references import tickets_named
from skerry.tracker import commits, events, rendering
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit

_REVISION = re.compile(r"[^/\s\0]+")

# The address of this one shows what a changeset looks like before it is made.
_RESERVED = "new"


def listed(visit: Visit, ask: Ask) -> Listing[Changeset]:
    """Return a page of the project's changesets, the last committed first."""
    page = ask.page
    found = store.of_project(visit.transaction, visit.project_id, limit=page.limit, offset=page.offset)
    return Listing(Changeset, found, store.count(visit.transaction, visit.project_id))


def shown(visit: Visit, ask: Ask) -> Changeset:
    """Return a changeset by its revision; raises NotFound."""
    return one(visit, ask.texts["revision"])


def one(visit: Visit, revision: str) -> Changeset:
    """Return a changeset of the project; raises NotFound."""
    # What no revision can be is not looked up: a database refuses such text.
    possible = _REVISION.fullmatch(revision)
    changeset = store.one(visit.transaction, visit.project_id, revision) if possible else None
    if changeset is None:
        raise NotFound("There is no such changeset in this project")
    return changeset


def authors(visit: Visit, found: list[Changeset]) -> dict[int, str]:
    """Return the names of those who made some changesets, by their ids."""
    ids = {changeset.user_id for changeset in found if changeset.user_id}
    people = [users.one(visit.transaction, user_id) for user_id in sorted(ids)]
    return {person.id: person.name for person in people if person and person.id}


def tickets(visit: Visit, ask: Ask) -> Listing[Ticket]:
    """Return the tickets that a changeset's message names and that are still there; raises NotFound."""
    body = shown(visit, ask).body
    acted_on = (number for action in actions_in_message(body) for number in action.numbers)
    numbers = sorted({*acted_on, *tickets_named(body)})[:MOST_TOUCHED]
    keys = [(visit.project_id, number) for number in numbers]
    return Listing(Ticket, ticket_lists.those(visit.transaction, keys))


def blank(visit: Visit, _ask: Ask) -> Changeset:
    """Return an empty changeset."""
    return Changeset(project_id=visit.project_id)


def foreseen(visit: Visit, ask: Ask) -> Callable[[], Ask]:
    """Return a function that reads the changes and renders the comments, without holding the write lock.

    It raises Invalid for changes that cannot be used, and Unavailable as ``rendering.ahead`` does.
    """
    # What a script has from a command ends with the line of that.
    draft = ask.draft_of(Changeset)
    draft = draft.put(Changeset.revision, draft.new.revision.strip())
    rendered = commits.foreseen(visit, ask.drafting(draft))

    def work() -> Ask:
        changes = _changes(draft.new)
        return rendered().drafting(draft.put(Changeset.changes, changes))

    return work


def create(visit: Visit, ask: Ask) -> Changeset:
    """Keep a commit under its revision, in the caller's name, and carry out what its message says.

    Raises Invalid if the project has the revision already or a value cannot be used.
    """
    new = ask.draft_of(Changeset).new
    revision = _new_revision(visit, new.revision)
    store.add(
        visit.transaction,
        project_id=visit.project_id,
        revision=revision,
        user_id=visit.author.user_id,
        title=new.title if new.title.strip() else f"Changeset [{revision}]",
        body=new.body,
        body_html=rendering.render(visit, new.body),
        changes=new.changes,
        changed_at=new.changed_at,
    )
    changeset = one(visit, revision)
    changes = events.compared(Changeset(), changeset)
    events.record(visit, Type.CHANGESET_CREATED, revision, changes=changes)
    commits.act(visit, changeset)
    return changeset


def is_revision(text: str) -> bool:
    """Return whether a changeset can be kept under a revision."""
    return bool(_REVISION.fullmatch(text)) and text != _RESERVED


def _new_revision(visit: Visit, revision: str) -> str:
    if not _REVISION.fullmatch(revision):
        raise Invalid('Revision must have no "/" and no white space')
    if revision == _RESERVED:
        raise Invalid(f'Revision must not be "{_RESERVED}"')
    if store.known(visit.transaction, visit.project_id, [revision]):
        raise Invalid("Revision has already been taken")
    return revision


def _changes(new: Changeset) -> list[Change]:
    try:
        return read_changes(new.changes)
    except ValueError as error:
        raise Invalid(str(error)) from error


def delete(visit: Visit, ask: Ask) -> None:
    """Remove a changeset; raises NotFound."""
    revision = one(visit, ask.texts["revision"]).revision
    store.remove(visit.transaction, visit.project_id, revision)
    events.record(visit, Type.CHANGESET_DELETED, revision)
