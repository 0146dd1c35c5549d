"""Ticket bins: saved searches, private or shared with the project."""

from collections.abc import Sequence

from skerry.errors import Forbidden, NotFound
from skerry.resources.bins import TicketBin
from skerry.store import bins as store
from skerry.store import projects, search, states
from skerry.store.engine.rows import Columns
from skerry.store.engine.transactions import Transaction
from skerry.store.search import Scope
from skerry.text.names import folded
from skerry.text.queries.query import Everything, Term, Text, Value
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.lists import name_filter
from skerry.tracker.lists.search import parse_query
from skerry.wire.record import changed

EVERY = 1 << 62
"""A limit that no count reaches."""

BESIDE = search.COUNTED + 1
"""The limit up to which pages count the tickets of a bin."""

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
        )


def list_all(context: Context, _params: Params) -> ResultPage[TicketBin]:
    """Return the bins of the project that are shared or the caller's own, in their order."""
    return ResultPage(TicketBin, counted(context, without_counts(context)))


def without_counts(context: Context) -> list[TicketBin]:
    """Return the bins without their ticket counts."""
    return store.of_project(context.transaction, context.project_id, _reader(context))


def filter_by_name(found: Sequence[TicketBin], search_text: str) -> list[TicketBin]:
    """Return the bins whose name or query contains the searched words."""
    return name_filter.filter_by_name(found, lambda each: f"{each.name} {each.query}", search_text)


def counted(context: Context, found: Sequence[TicketBin], at_most: int = EVERY) -> list[TicketBin]:
    """Return bins with their ticket counts; searches count up to a limit."""
    return [changed(each, tickets_count=_count(context, each.query, at_most)) for each in found]


def get(context: Context, params: Params) -> TicketBin:
    """Return a bin that is shared or the caller's own; raises NotFound."""
    return _counted(context, _one(context, params.ids["id"]))


def new(context: Context, _params: Params) -> TicketBin:
    """Return a new bin with its defaults."""
    return TicketBin(project_id=context.project_id)


def create(context: Context, params: Params) -> TicketBin:
    """Save a query as a bin of the caller; raises Invalid for a query that cannot be parsed.

    If another bin has the requested position, that bin and those after it move back.
    """
    values = _values(TicketBin(), params)
    store.lock(context.transaction, context.project_id)
    _make_room(context, params, 0)
    bin_id = store.add(
        context.transaction, project_id=context.project_id, user_id=context.author.user_id, **values
    )
    _set_default(context, params, _one(context, bin_id))
    return _counted(context, _recorded(context, Type.BIN_CREATED, TicketBin(), bin_id))


def update(context: Context, params: Params) -> TicketBin:
    """Change a bin; if its new position is taken, that bin and those after it move back.

    Raises NotFound, Invalid for a query that cannot be parsed, or Forbidden if somebody else's bin would
    become invisible to the caller.
    """
    store.lock(context.transaction, context.project_id)
    present = _one(context, params.ids["id"])
    values = _values(present, params)
    if not values["shared"] and present.user_id != context.author.user_id:
        raise Forbidden("Only the owner of a saved view may stop sharing it")
    _make_room(context, params, params.ids["id"])
    store.change(context.transaction, context.project_id, params.ids["id"], **values)
    _set_default(context, params, present)
    return _counted(context, _recorded(context, Type.BIN_UPDATED, present, params.ids["id"]))


def _recorded(context: Context, kind: Type, before: TicketBin, bin_id: int) -> TicketBin:
    after = _one(context, bin_id)
    events.record(context, kind, bin_id, changes=events.compared(before, after))
    return after


def _values(before: TicketBin, params: Params) -> Columns:
    """Return the column values after a draft."""
    after = params.draft_of(TicketBin).over(before)
    parse_query(after.query)
    return {
        "name": after.name,
        "query": after.query,
        "shared": int(after.shared),
        "position": before.position if after.position is None else after.position,
    }


def _make_room(context: Context, params: Params, bin_id: int) -> None:
    position = params.draft_of(TicketBin).new.position
    if position is not None:
        store.make_room(context.transaction, context.project_id, bin_id, position)


def _set_default(context: Context, params: Params, present: TicketBin) -> None:
    wanted = params.draft_of(TicketBin).over(present).default
    if wanted != present.default:
        chosen = present.id if wanted else None
        store.set_default(context.transaction, context.project_id, context.author.user_id, chosen)


def delete(context: Context, params: Params) -> None:
    """Delete a bin; its tickets stay; raises NotFound."""
    found = _one(context, params.ids["id"])
    if not store.remove(context.transaction, context.project_id, params.ids["id"]):
        raise NotFound
    events.forget(context, "bin", found.id)
    events.record(context, Type.BIN_DELETED, found.id, changes={"shared": [found.shared, None]})


def _one(context: Context, bin_id: int) -> TicketBin:
    found = store.one(context.transaction, context.project_id, bin_id, _reader(context))
    if found is None:
        raise NotFound("There is no such saved view in this project")
    return found


def _reader(context: Context) -> int | None:
    return context.principal.user_id if context.principal else None


def _counted(context: Context, found: TicketBin) -> TicketBin:
    return counted(context, [found])[0]


def _count(context: Context, text: str, at_most: int) -> int | None:
    """Return the number of tickets that a query finds, from the stored counts if possible.

    Returns None if counting takes long: one member's bin must not slow down the lists of others.
    """
    query = parse_query(text)
    if isinstance(query.condition, Everything):
        return projects.tickets_count(context.transaction, [context.project_id])
    if isinstance(query.condition, Term) and query.condition.key == "state":
        return _in_states(context, query.condition.values)
    scope = Scope((context.project_id,), _reader(context))
    return context.transaction.attempt(
        lambda: search.count(context.transaction, query, scope, at_most=at_most)
    )


def _in_states(context: Context, values: Sequence[Value]) -> int:
    asked = {folded(value.text) for value in values if isinstance(value, Text)}
    return sum(
        count
        for name, closed, count in states.counts(context.transaction, context.project_id)
        if ("closed" if closed else "open") in asked or folded(name) in asked - {"open", "closed"}
    )
