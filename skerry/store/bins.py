"""Rows of ticket bins, of a project or of the account itself, whose bins have no project."""

from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, delete, func, insert, literal_column, or_, select, update

from skerry.database.statements import Statement, in_project
from skerry.database.transactions import Transaction
from skerry.resources.bins import TicketBin
from skerry.store.table_rows import Rows
from skerry.store.tables import bins, default_bins
from skerry.wire.values import MAX_INTEGER


class Reader(NamedTuple):
    """Who reads bins, 0 for somebody who is not signed in, and whether they see shared bins of others.

    With NULL for nobody, the planner would drop the join, and with it the account.
    """

    reader: int
    sees_shared: int


# The project in ``default_bins`` that stands for none.
_ACCOUNT = 0

# Bins do not move beyond this position: the next one would not fit into the column.
_FURTHEST = 1 << 62

# In the list of all there is no reader for whom one of them could be the default.
ROWS = Rows(
    TicketBin,
    bins,
    hidden=("created_at",),
    columns={"default": literal_column("0")},
    order_by=[bins.c.position, bins.c.id],
    changes=("name", "query", "shared", "position", "columns", "group", "sort"),
)

_SHAPE = ROWS.shape.with_columns({"default": case((default_bins.c.user_id.is_not(None), 1), else_=0)})

# A user's own bins, and the shared bins of others for whom they are meant.
_SEEN = (
    select(*_SHAPE.columns)
    .select_from(
        bins.outerjoin(
            default_bins,
            (default_bins.c.account_id == bins.c.account_id)
            & (default_bins.c.project_id == func.coalesce(bins.c.project_id, _ACCOUNT))
            & (default_bins.c.user_id == bindparam("reader"))
            & (default_bins.c.bin_id == bins.c.id),
        )
    )
    .where(
        ROWS.in_scope,
        or_(and_(bins.c.shared == 1, bindparam("sees_shared") == 1), bins.c.user_id == bindparam("reader")),
    )
)

_VISIBLE = Statement(_SEEN.order_by(bins.c.position, bins.c.id))

_ONE = Statement(_SEEN.where(bins.c.id == bindparam("bin_id")))

_LOCK = Statement(select(bins.c.id).where(ROWS.in_scope).order_by(bins.c.id).with_for_update(key_share=True))

_LAST_POSITION = Statement(select(func.coalesce(func.max(bins.c.position), 0)).where(ROWS.in_scope))

_COUNT_OWN = Statement(
    select(func.count()).select_from(bins).where(ROWS.in_scope, bins.c.user_id == bindparam("user_id"))
)

_AT_POSITION = Statement(
    select(bins.c.id).where(
        ROWS.in_scope, bins.c.position == bindparam("place"), bins.c.id != bindparam("bin_id")
    )
)

_MOVE_BACK = Statement(
    update(bins)
    .where(
        ROWS.in_scope,
        bins.c.position >= bindparam("place"),
        bins.c.position < _FURTHEST,
        bins.c.id != bindparam("bin_id"),
    )
    .values(position=bins.c.position + 1)
)

_DEFAULT_HERE = and_(in_project(default_bins), default_bins.c.user_id == bindparam("user_id"))

_FORGET_DEFAULT = Statement(delete(default_bins).where(_DEFAULT_HERE))

_CHOOSERS = Statement(select(default_bins.c.user_id).where(in_project(default_bins)))

_SET_DEFAULT = Statement(insert(default_bins))


def visible(transaction: Transaction, project_id: int | None, reader: Reader) -> list[TicketBin]:
    """Return the bins of a place that a reader sees, in order, without ticket counts."""
    return _SHAPE.all(transaction, _VISIBLE, project_id=project_id, **reader._asdict())


def one(transaction: Transaction, project_id: int | None, bin_id: int, reader: Reader) -> TicketBin | None:
    """Return a bin of a place if a reader sees it, without its ticket count."""
    return _SHAPE.one(transaction, _ONE, project_id=project_id, bin_id=bin_id, **reader._asdict())


def count_own(transaction: Transaction, project_id: int | None, user_id: int) -> int:
    """Return the number of a user's own bins in a place."""
    return int(transaction.value(_COUNT_OWN, project_id=project_id, user_id=user_id))


def add(transaction: Transaction, *, project_id: int | None, position: int | None, **values: Any) -> int:
    """Add a bin, after all others unless its position is given, and return its id."""
    if position is None:
        last = int(transaction.value(_LAST_POSITION, project_id=project_id))
        # If the last bin has the greatest possible position, the new one shares it.
        position = min(last + 1, MAX_INTEGER)
    return ROWS.insert(transaction, project_id, position=position, **values)


def lock(transaction: Transaction, project_id: int) -> None:
    """Lock the bins of a project until the transaction ends, since a change may move all of them."""
    transaction.run(_LOCK, project_id=project_id)


def make_room(transaction: Transaction, project_id: int | None, bin_id: int, position: int) -> None:
    """Move the other bins of a project back by one, from a position on, if that is taken."""
    where = {"project_id": project_id, "bin_id": bin_id, "place": position}
    if transaction.one(_AT_POSITION, **where):
        transaction.run(_MOVE_BACK, **where)


def choosers(transaction: Transaction, project_id: int | None) -> set[int]:
    """Return the ids of the users who have a default bin in a place."""
    return {user_id for (user_id,) in transaction.all(_CHOOSERS, project_id=project_id or _ACCOUNT)}


def set_default(transaction: Transaction, project_id: int | None, user_id: int, bin_id: int | None) -> None:
    """Set the default bin of a user in a place, or remove it."""
    where = {"project_id": project_id or _ACCOUNT, "user_id": user_id}
    transaction.run(_FORGET_DEFAULT, **where)
    if bin_id is not None:
        transaction.run(_SET_DEFAULT, bin_id=bin_id, **where)
