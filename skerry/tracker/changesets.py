"""Changesets: commits that repositories report; they are created and deleted, never changed."""

import re
from collections.abc import Callable

from skerry.errors import Invalid, NotFound
from skerry.resources.changesets import Changeset
from skerry.resources.tickets import Ticket
from skerry.store import changesets as store
from skerry.store.people import users
from skerry.store.ticket_rows import ticket_lists
from skerry.text.actions import MAX_CHANGES, actions_in_message
from skerry.text.changed_files import Change, read_changes
from skerry.text.references import tickets_named
from skerry.tracker.changes import commits
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.texts import rendering, ticket_references
from skerry.visibility import is_visible
from skerry.wire.record import changed

_REVISION = re.compile(r"[^/\s\0]+")

# Reserved: the path with this revision returns an empty changeset.
_RESERVED = "new"


def list_all(context: Context, params: Params) -> ResultPage[Changeset]:
    """Return a page of the project's changesets, the last committed first."""
    page = params.page
    changesets = store.of_project(
        context.transaction, context.project_id, limit=page.limit, offset=page.offset
    )
    return ResultPage(Changeset, changesets, store.count(context.transaction, context.project_id))


def get(context: Context, params: Params) -> Changeset:
    """Return a changeset by its revision; raises NotFound."""
    return one(context, params.texts["revision"])


def one(context: Context, revision: str) -> Changeset:
    """Return a changeset of the project; raises NotFound."""
    # A text that cannot be a revision is not looked up, because the database would reject it.
    possible = _REVISION.fullmatch(revision)
    changeset = store.one(context.transaction, context.project_id, revision) if possible else None
    if changeset is None:
        raise NotFound("There is no such changeset in this project")
    return changeset


def authors(context: Context, page: list[Changeset]) -> dict[int, str]:
    """Return the names of the authors of some changesets, by id."""
    ids = {changeset.user_id for changeset in page if changeset.user_id}
    people = [users.one(context.transaction, user_id) for user_id in sorted(ids)]
    return {person.id: person.name for person in people if person and person.id}


def tickets(context: Context, params: Params) -> ResultPage[Ticket]:
    """Return the existing tickets that a changeset's message names; raises NotFound."""
    body = get(context, params).body
    acted_on = ((action.project, number) for action in actions_in_message(body) for number in action.numbers)
    names = sorted({*acted_on, *tickets_named(body)})[:MAX_CHANGES]
    places = ticket_references.places(context, names).values()
    return ResultPage(Ticket, ticket_lists.with_keys(context.transaction, [*dict.fromkeys(places)]))


def new(context: Context, _params: Params) -> Changeset:
    """Return an empty changeset."""
    return Changeset(project_id=context.project_id)


def prepare(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that parses the changes and renders the comments, without holding the write lock.

    It raises Invalid for changes that cannot be parsed, and Unavailable as ``rendering.ahead`` does.
    """
    # Scripts send the output of a command, which ends with a newline.
    draft = params.draft_of(Changeset)
    draft = draft.put(Changeset.revision, draft.new.revision.strip())
    rendered = commits.prepare(context, params.drafting(draft))

    def work() -> Params:
        changes = _changes(draft.new)
        return rendered().drafting(draft.put(Changeset.changes, changes))

    return work


def create(context: Context, params: Params) -> Changeset:
    """Add a commit by the caller, and apply the commands in its message.

    Raises Invalid for an invalid value or if the project already has the revision.
    """
    new = params.draft_of(Changeset).new
    return add(context, changed(new, revision=_new_revision(context, new.revision)))


def add(context: Context, new: Changeset, *, acts: bool = True) -> Changeset:
    """Add a commit under a revision that the project does not have, and apply its commands if it ``acts``."""
    revision = new.revision
    store.add(
        context.transaction,
        project_id=context.project_id,
        revision=revision,
        user_id=context.author.user_id,
        title=new.title if is_visible(new.title) else f"Changeset [{revision}]",
        body=new.body,
        body_html=rendering.render(context, new.body),
        changes=new.changes,
        changed_at=new.changed_at,
        committer_id=new.committer_id or None,
        committer_name=new.committer_name or "",
    )
    kind, changeset = Type.CHANGESET_CREATED, one(context, revision)
    events.record_change(context, kind, Changeset(), changeset, of=revision)
    if acts:
        commits.act(context, changeset)
    return changeset


def is_revision(text: str) -> bool:
    """Return whether a text is a possible revision."""
    return bool(_REVISION.fullmatch(text)) and text != _RESERVED


def _new_revision(context: Context, revision: str) -> str:
    if not _REVISION.fullmatch(revision):
        raise Invalid('Revision must not contain "/" or white space')
    if revision == _RESERVED:
        raise Invalid(f'Revision must not be "{_RESERVED}"')
    if store.known(context.transaction, context.project_id, [revision]):
        raise Invalid("Revision has already been taken")
    return revision


def _changes(new: Changeset) -> list[Change]:
    try:
        return read_changes(new.changes)
    except ValueError as error:
        raise Invalid(str(error)) from error


def delete(context: Context, params: Params) -> None:
    """Delete a changeset; raises NotFound."""
    revision = one(context, params.texts["revision"]).revision
    store.remove(context.transaction, context.project_id, revision)
    events.forget(context, "changeset", revision)
    events.record(context, Type.CHANGESET_DELETED, revision)
