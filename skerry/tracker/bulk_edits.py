"""Bulk edits: commands for every ticket that a query finds, and their undo."""

import re
from collections.abc import Iterable

from skerry.errors import Invalid, NotFound
from skerry.resources.bulk_edits import BulkEdit
from skerry.store import bulk_edits as store
from skerry.store import search
from skerry.store.bulk_edits import Touched
from skerry.store.projects import SeenIds
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.commands import Command, parse_commands
from skerry.text.queries.query_tree import Query, QueryError
from skerry.tracker import access
from skerry.tracker.changes import commands
from skerry.tracker.changes import moves as moving_tickets
from skerry.tracker.changes.commands import Change
from skerry.tracker.changes.link_edits import LinkEdit
from skerry.tracker.changes.name_resolver import NameResolver, UnknownName
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import NewComment, Values
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.search import check_names, check_query, scope_of
from skerry.tracker.texts import rendering
from skerry.wire.record import changed

VIA = "bulk_edit"
"""The source that events of bulk edits name."""

MAX_TICKETS = 10_000
"""How many tickets one bulk edit may change."""

MOVED = "[bulk edit] moved the ticket here"
"""The text of a version that moves a ticket.

Not all who see the ticket may know where it came from nor, once it moves on, where it was.
"""

_BACKTICKS = re.compile("`+")


def get(context: Context, params: Params) -> BulkEdit:
    """Return a bulk edit of the project; raises NotFound."""
    return one(context, params.ids["id"])


def one(context: Context, bulk_edit_id: int) -> BulkEdit:
    """Return a bulk edit of the project; raises NotFound.

    An edit that moved tickets names the other project, so it is hidden from people who cannot see that.
    """
    edit = store.one(context.transaction, context.project_id, bulk_edit_id)
    if edit is None or not (edit.moved_to is None or edit.moved_to in access.visible_project_ids(context)):
        raise NotFound("There is no such bulk edit in this project")
    return edit


def create(context: Context, params: Params) -> BulkEdit:
    """Apply commands to every ticket of the project that a query finds, or to none.

    A dry run changes and locks nothing, and returns what would be changed. Raises Invalid if the query or a
    command cannot be parsed, names something that does not exist here, or finds more than 10,000 tickets;
    Forbidden if the caller is not a member of the project that the tickets would move to.
    """
    new = params.draft_of(BulkEdit).new
    read_commands(new.command)
    return apply(context, new, find_numbers(context, new.query))


def apply(context: Context, new: BulkEdit, numbers: list[int]) -> BulkEdit:
    """Apply a new bulk edit to some tickets of the project; raises as ``create`` does."""
    wanted = read_commands(new.command)
    target = moving_tickets.target(context, wanted)
    links = links_of(context, wanted, numbers, looking=new.dry_run)
    # Tickets are locked before milestones, as everywhere; a dry run locks nothing.
    batch = Batch(context, numbers, via=VIA, looking=new.dry_run)
    change = all_of(NameResolver(target or context, looking=new.dry_run), wanted, links)
    fit = moving_tickets.fitting(target) if target else None
    after = {number: changed_by(number, change, batch.values(number), fit) for number in batch.numbers}
    edit = BulkEdit(
        command=new.command,
        count=len(after),
        dry_run=new.dry_run,
        moved_to=target.project_id if target else None,
        numbers=batch.numbers,
        part_of=new.part_of,
        project_id=context.project_id,
        query=new.query,
        user_id=context.author.user_id,
        user_name=context.author.name,
    )
    return edit if edit.dry_run else _applied(context, edit, batch, after, target, links)


def reassign(context: Context, user_id: int, successor_id: int) -> BulkEdit | None:
    """Reassign a person's open tickets in the current project to a successor.

    Returns None if there are none. As a bulk edit, it is listed and can be undone as one.
    """
    batch = Batch(context, store.open_tickets_of(context.transaction, context.project_id, user_id), via=VIA)
    after = {
        number: changed(batch.values(number), assigned_user_id=successor_id)
        for number in batch.numbers
        if not batch.values(number).closed and batch.values(number).assigned_user_id == user_id
    }
    edit = BulkEdit(command=f"responsible:{successor_id}", query=f"state:open responsible:{user_id}")
    return _applied(context, edit, batch, after, None, None) if after else None


def read_commands(text: str) -> tuple[Command, ...]:
    """Parse the commands of a bulk edit; raises Invalid with the error and its position."""
    try:
        return parse_commands(text)
    except QueryError as error:
        raise Invalid(f"Command: {error}") from error


def find_numbers(context: Context, query: str) -> list[int]:
    """Return the numbers of the tickets that a bulk edit would change; raises Invalid as ``create`` does."""
    return [place.number for place in find(context, query, access.listed_project_ids(context))]


def find(context: Context, query: str, project_ids: SeenIds) -> list[Place]:
    """Return the tickets that a query finds in some projects; raises Invalid as ``create`` does."""
    scope = scope_of(context, project_ids)
    unsorted = Query(check_query(query).condition)
    check_names(context, unsorted, scope)
    keys = search.page(context.transaction, unsorted, scope, limit=MAX_TICKETS + 1, offset=0)
    if len(keys) > MAX_TICKETS:
        raise Invalid(f"Query matches too many tickets (a bulk edit can change at most {MAX_TICKETS})")
    return [Place(*key) for key in keys]


def links_of(
    context: Context, wanted: tuple[Command, ...], numbers: Iterable[int], *, looking: bool
) -> LinkEdit | None:
    """Return the edit for the commands that link tickets; raises Invalid if the tickets move as well."""
    own = [Place(context.project_id, number) for number in numbers]
    links = LinkEdit.of_commands(context, own, wanted, looking=looking)
    if links and any(each.key == moving_tickets.COMMAND for each in wanted):
        raise Invalid("One edit cannot both move tickets and link them")
    return links


def all_of(resolver: NameResolver, wanted: tuple[Command, ...], links: LinkEdit | None) -> Change:
    """Return the combined effect of the commands; raises Invalid, naming what does not exist."""
    fields = (each for each in wanted if each.key != moving_tickets.COMMAND)
    try:
        steps = [commands.change_of(resolver, each, links) for each in fields]
    except UnknownName as reason:
        raise Invalid(_sentence(reason)) from reason

    def change(values: Values) -> Values:
        for step in steps:
            values = step(values)
        return values

    return change


def changed_by(number: int, change: Change, values: Values, fit: Change | None) -> Values:
    """Return a ticket's values after a bulk edit; raises Invalid, naming the ticket."""
    try:
        return change(fit(values) if fit else values)
    except UnknownName as reason:
        raise Invalid(f"Ticket {number}: {reason}") from reason


def _sentence(reason: UnknownName) -> str:
    text = str(reason)
    return text[:1].upper() + text[1:]


def _applied(
    context: Context,
    edit: BulkEdit,
    batch: Batch,
    after: dict[int, Values],
    target: Context | None,
    links: LinkEdit | None,
) -> BulkEdit:
    bulk_edit_id = store.next_id(context.transaction)
    body = MOVED if target else f"{link(context, bulk_edit_id)} {_code(edit.command)}"
    comment = NewComment(body, rendering.render(context, body))
    if target:
        batch.keep_watchers(moving_tickets.seeing(target))
    versions = _versions(context, batch, after, comment, links)
    moved: dict[int, int] = {}
    if target:
        moved = batch.move(target.project_id)
    else:
        batch.keep()
    if links:
        links.write({Place(context.project_id, number): version for number, version in versions.items()})
    touched = [Touched(number, version, moved.get(number)) for number, version in versions.items()]
    return keep(context, bulk_edit_id, edit, touched)


def _versions(
    context: Context, batch: Batch, after: dict[int, Values], comment: NewComment, links: LinkEdit | None
) -> dict[int, int]:
    """Add a version to each ticket, and return them by number."""
    linked = {number for number in after if links and links.touches(Place(context.project_id, number))}
    return {
        number: batch.add(number, values, comment._replace(links=number in linked))
        for number, values in after.items()
    }


def link(context: Context, bulk_edit_id: int) -> str:
    """Return the link with which the versions of a bulk edit begin, unless it moves tickets."""
    return f"[[bulk edit]({address(context, bulk_edit_id)})]"


def address(context: Context, bulk_edit_id: int) -> str:
    """Return the path of a bulk edit of the project."""
    return f"/projects/{context.project_id}/bulk_edits/{bulk_edit_id}"


def _code(text: str) -> str:
    """Return a text as inline code."""
    line = " ".join(text.split())
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"`{line}`"


def keep(context: Context, bulk_edit_id: int, edit: BulkEdit, touched: list[Touched]) -> BulkEdit:
    """Store a finished bulk edit, and return it."""
    store.add(
        context.transaction,
        bulk_edit_id,
        touched,
        project_id=context.project_id,
        user_id=context.author.user_id,
        query=edit.query,
        command=edit.command,
        moved_to=edit.moved_to,
        undoes=edit.undoes,
        part_of=edit.part_of,
    )
    events.record(context, Type.BULK_EDIT_DONE, bulk_edit_id, via=VIA)
    return one(context, bulk_edit_id)
