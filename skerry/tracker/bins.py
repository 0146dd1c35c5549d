"""Ticket bins: saved searches of a project, or of the account over all projects, private or shared."""

from collections.abc import Sequence

from skerry.database.rows import Columns
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Forbidden, NotFound
from skerry.resources.bins import TicketBin
from skerry.store import accounts, search
from skerry.store import bins as store
from skerry.text.words import having_words
from skerry.tracker import access, bin_counts, layouts
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.search import check_query
from skerry.wire.record import changed

BESIDE = search.COUNTED + 1
"""The limit up to which pages count the tickets of a bin."""

MAX_BESIDE = 12
"""How many bins of the project, or of the account, the side bar shows; their page shows all."""

MAX_OWN = 200
"""How many bins of the account a person can have."""

_FIRST = (
    ("Open tickets", "state:open"),
    ("Resolved tickets", "state:resolved"),
    ("This week's tickets", "created:'this week'"),
)


def add_first(transaction: Transaction, project_id: int, user_id: int) -> None:
    """Add the default shared bins to a new project, in its creator's name."""
    for position, (name, query) in enumerate(_FIRST, 1):
        store.add(
            transaction,
            project_id=project_id,
            position=position,
            user_id=user_id,
            name=name,
            query=query,
            shared=1,
            **layouts.NONE,
        )


def list_all(context: Context, _params: Params) -> ResultPage[TicketBin]:
    """Return the bins of the project or the account that are shared or the caller's own, in their order."""
    return ResultPage(TicketBin, counted(context, without_counts(context)))


def without_counts(context: Context) -> list[TicketBin]:
    """Return the bins without their ticket counts."""
    return store.visible(context.transaction, _place(context), _reader(context))


def readable(context: Context) -> list[TicketBin]:
    """Return the bins without their ticket counts; those of the account are not for everybody."""
    reader = context.principal
    is_reader = context.entered or (reader and not reader.token_project)
    return without_counts(context) if is_reader else []


def filter_by_name(bins: Sequence[TicketBin], search_text: str) -> list[TicketBin]:
    """Return the bins whose name or query contains the searched words."""
    return having_words(bins, lambda each: f"{each.name} {each.query}", search_text)


def counted(
    context: Context, bins: Sequence[TicketBin], at_most: int = bin_counts.EVERY, *, exact: bool = True
) -> list[TicketBin]:
    """Return bins with their ticket counts; searches count up to a limit."""
    if not bins:
        return []
    project_ids = access.listed_project_ids(context)
    return [bin_counts.counted(context, each, project_ids, at_most, exact=exact) for each in bins]


def beside(context: Context, bins: Sequence[TicketBin], *, exact: bool) -> list[TicketBin]:
    """Return the first bins with counts for the side bar, which may be a minute old if not ``exact``."""
    return counted(context, bins[:MAX_BESIDE], BESIDE, exact=exact)


def get(context: Context, params: Params) -> TicketBin:
    """Return a bin that is shared or the caller's own; raises NotFound."""
    return _counted(context, _one(context, params.ids["id"]))


def new(context: Context, _params: Params) -> TicketBin:
    """Return a new bin with its defaults."""
    return TicketBin(project_id=_place(context))


def create(context: Context, params: Params) -> TicketBin:
    """Save a query as a bin of the caller.

    If another bin has the requested position, that bin and those after it move back. Raises Invalid for a
    query that cannot be parsed, Forbidden if the caller may not share it, Conflict if there are too many.
    """
    values = _values(context, TicketBin(), params)
    lock(context)
    _check_number(context)
    _make_room(context, params, 0)
    bin_id = store.add(
        context.transaction, project_id=_place(context), user_id=context.author.user_id, **values
    )
    _set_default(context, params, _one(context, bin_id))
    return _counted(
        context, events.record_change(context, Type.BIN_CREATED, TicketBin(), _one(context, bin_id))
    )


def update(context: Context, params: Params) -> TicketBin:
    """Change a bin; if its new position is taken, that bin and those after it move back.

    Raises NotFound, Invalid for a query that cannot be parsed, or Forbidden if the caller may not share it or
    somebody else's bin would become invisible to them.
    """
    lock(context)
    present = _one(context, params.ids["id"])
    sent = params.draft_of(TicketBin).over(present)
    if sent == present:
        return _counted(context, present)
    values = _values(context, present, params)
    if changed(present, **values, default=sent.default) == present:
        return _counted(context, present)
    if not values["shared"] and present.user_id != context.author.user_id:
        raise Forbidden("Only the owner of a saved view may stop sharing it")
    _make_room(context, params, params.ids["id"])
    store.ROWS.update(context.transaction, _place(context), params.ids["id"], **values)
    _set_default(context, params, present)
    return _counted(
        context, events.record_change(context, Type.BIN_UPDATED, present, _one(context, params.ids["id"]))
    )


def _values(context: Context, before: TicketBin, params: Params) -> Columns:
    """Return the column values after a draft."""
    after = params.draft_of(TicketBin).over(before)
    check_query(after.query)
    if after.shared and not before.shared and not _reader(context).sees_shared:
        raise Forbidden("Only members of the account may share a saved view of all projects")
    return {
        "name": after.name,
        "query": after.query,
        "shared": int(after.shared),
        "position": before.position if after.position is None else after.position,
        **layouts.checked(after),
    }


def _make_room(context: Context, params: Params, bin_id: int) -> None:
    position = params.draft_of(TicketBin).new.position
    if position is not None:
        store.make_room(context.transaction, _place(context), bin_id, position)


def _set_default(context: Context, params: Params, present: TicketBin) -> None:
    wanted = params.draft_of(TicketBin).over(present).default
    if wanted != present.default:
        chosen = present.id if wanted else None
        store.set_default(context.transaction, _place(context), context.author.user_id, chosen)


def delete(context: Context, params: Params) -> None:
    """Delete a bin; its tickets stay; raises NotFound."""
    ticket_bin = _one(context, params.ids["id"])
    if not store.ROWS.delete(context.transaction, _place(context), params.ids["id"]):
        raise NotFound
    events.forget(context, "bin", ticket_bin.id)
    events.record(context, Type.BIN_DELETED, ticket_bin.id, changes={"shared": [ticket_bin.shared, None]})


def _one(context: Context, bin_id: int) -> TicketBin:
    ticket_bin = store.one(context.transaction, _place(context), bin_id, _reader(context))
    if ticket_bin is None:
        raise NotFound("There is no such saved view here")
    return ticket_bin


def lock(context: Context) -> None:
    """Lock the bins of the project or the account until the end, since a change may move all of them."""
    if context.entered:
        store.lock(context.transaction, context.project_id)
    else:
        accounts.lock(context.transaction)


def _place(context: Context) -> int | None:
    """Return the id of the project, None in the account.

    Raises Forbidden for a token for one project, since views of the account name others.
    """
    if context.entered:
        return context.project_id
    if context.author.token_project:
        raise Forbidden("A token for one project cannot use the saved views of all projects")
    return None


def _reader(context: Context) -> store.Reader:
    """Return the caller as a reader: shared bins of the account are for its members."""
    principal = context.principal
    is_shared_with = bool(context.entered or (principal and principal.role))
    return store.Reader(principal.user_id if principal else 0, int(is_shared_with))


def _check_number(context: Context) -> None:
    own = 0 if context.entered else store.count_own(context.transaction, None, context.author.user_id)
    if own >= MAX_OWN:
        raise Conflict(f"You already have {MAX_OWN} saved views of all projects; no more can be added")


def _counted(context: Context, ticket_bin: TicketBin) -> TicketBin:
    return counted(context, [ticket_bin])[0]
