"""Versions of a ticket, which are also its comments."""

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.tickets import Ticket, Version
from skerry.store import attachments
from skerry.store import tickets as ticket_store
from skerry.store import versions as store
from skerry.tracker import attachments as attachment_rules
from skerry.tracker import links, mentions, tickets
from skerry.tracker.changes import task_boxes, ticket_changes
from skerry.tracker.changes.ticket_values import NewComment
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.texts import rendering
from skerry.visibility import is_visible
from skerry.wire.record import changed

MAX_WHOLE = 1000
"""The maximum length of a list without pages."""

_MAX_QUOTED = 1_000_000


def list_all(context: Context, params: Params) -> ResultPage[Version]:
    """Return the versions of a ticket, oldest first: a page if one is requested or there are many, else all.

    Raises NotFound.
    """
    number = tickets.one(context, params.ids["number"]).number or 0
    transaction, project_id = context.transaction, context.project_id
    if "page" not in params.query and "limit" not in params.query:
        versions = store.page(transaction, project_id, number, limit=MAX_WHOLE + 1, offset=0)
        if len(versions) <= MAX_WHOLE:
            return ResultPage(Version, links.with_changes(context, number, versions))
    versions = store.page(transaction, project_id, number, limit=params.page.limit, offset=params.page.offset)
    versions = links.with_changes(context, number, versions)
    return ResultPage(Version, versions, store.count(transaction, project_id, number))


def get(context: Context, params: Params) -> Version:
    """Return one version of a ticket; raises NotFound."""
    version = store.one(context.transaction, context.project_id, params.ids["number"], params.ids["version"])
    if version is None:
        raise NotFound("There is no such version of this ticket")
    return links.with_changes(context, version.number or 0, [version])[0]


def get_with_quoted(context: Context, params: Params) -> Version:
    """Return one version of a ticket, for members with what was left out of its text; raises NotFound."""
    version = get(context, params)
    number = version.version or 0
    left_out = quoted(context, version.number or 0, number, number, _MAX_QUOTED)
    return changed(version, quoted_body=left_out[number]) if left_out else version


def quoted(context: Context, number: int, first: int, last: int, most: int) -> dict[int, str]:
    """Return the beginning of what was left out of some versions of a ticket, for members."""
    if not context.member:
        return {}
    return store.quoted(context.transaction, context.project_id, number, first, last, most)


def keep_quoted(context: Context, ticket: Ticket, left_out: str) -> None:
    """Store what was left out of the text of a ticket's newest version."""
    number, version = ticket.number or 0, ticket.version or 0
    store.keep_quoted(context.transaction, context.project_id, number, version, left_out)


def first_two(context: Context, number: int) -> list[Version]:
    """Return the first two versions of a ticket."""
    return store.page(context.transaction, context.project_id, number, limit=2, offset=0)


def around(context: Context, number: int, first: int, last: int) -> tuple[int, int]:
    """Return how many versions a ticket has between the opening and ``first``, and after ``last``."""
    transaction, project_id = context.transaction, context.project_id
    before = store.count_before(transaction, project_id, number, first)
    up_to = store.count_before(transaction, project_id, number, last + 1)
    return max(before - 1, 0), store.count(transaction, project_id, number) - up_to


def create(context: Context, params: Params) -> Version:
    """Comment on a ticket; raises NotFound or Invalid."""
    if not is_visible(params.draft_of(Version).new.body):
        tickets.one(context, params.ids["number"])
        raise Invalid("Body can't be blank")
    ticket = tickets.update(context, params)
    return get(context, Params(ids={**params.ids, "version": ticket.version or 0}))


def _body(context: Context, params: Params) -> str:
    return get(context, params).body


prepare = task_boxes.prepare(Version, Version.body, _body)
"""Return a function that adds the text with its task ticked to a draft."""


def update(context: Context, params: Params) -> Version:
    """Replace the text of a version; the first version's is the ticket's own text. Files are added to it.

    An equal text without files is no edit. Raises NotFound, Invalid for files alone, or Forbidden if the
    caller is neither its author nor a member of the project.
    """
    attachment_rules.check(params)
    ticket_store.lock(context.transaction, context.project_id, params.ids["number"])
    version = own(context, params)
    task_boxes.check(params, version.body)
    draft = params.draft_of(Version)
    body = draft.over(version).body
    if body == version.body and not params.files:
        return version
    html = rendering.render_sent(context, draft.get(Version.body), version.body_html)
    named = mentions.named(context, html, version.body_html or "")
    ticket_changes.edit(context, version, NewComment(body, html, params.files, named))
    return get(context, params)


def delete(context: Context, params: Params) -> None:
    """Delete the text and the files of a version; its author, time and changes stay.

    Raises NotFound, Forbidden as for an update, or Invalid for the first version and for one without text and
    files.
    """
    ticket_store.lock(context.transaction, context.project_id, params.ids["number"])
    version = own(context, params)
    if version.version == 1:
        raise Invalid("Version 1 is the ticket itself and cannot be deleted on its own")
    if not _remove_files(context, version) and not version.body:
        raise Invalid("There is no text to delete in this version; what it changed stays in the history")
    ticket_changes.delete_text(context, version)


def _remove_files(context: Context, version: Version) -> int:
    """Remove the files of a version, and return their number."""
    number = version.number or 0
    removed = attachments.remove_of_version(
        context.transaction, context.project_id, number, version.version or 0
    )
    if removed:
        store.discount(context.transaction, version, removed)
        ticket_store.discount(context.transaction, context.project_id, number, removed)
    return removed


def own(context: Context, params: Params) -> Version:
    """Return a version if the caller may change its text; raises NotFound or Forbidden."""
    version = get(context, params)
    if not may_change(context, version):
        raise Forbidden("Only the author of a comment or a member of the project may change it")
    return version


def may_change(context: Context, version: Version) -> bool:
    """Return whether the caller may change or delete the text of a version."""
    return context.member or (context.principal and context.principal.user_id) == version.user_id
