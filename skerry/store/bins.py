"""Rows of ticket bins."""

from typing import Any

from sqlalchemy import and_, bindparam, case, delete, func, insert, literal_column, or_, select, update

from skerry.resources.bins import TicketBin
from skerry.store.counts import counters
from skerry.store.engine.rows import Shape
from skerry.store.engine.statements import Statement, in_project
from skerry.store.engine.tables import bins, default_bins
from skerry.store.engine.transactions import Transaction
from skerry.wire.values import MAX_SIZE

NOBODY = 0
"""An id that no person has. With NULL, the planner would drop the join, and with it the account."""

# Bins do not move beyond this position: the next one would not fit into the column.
_FURTHEST = 1 << 62

_STORED = {column.name: column for column in bins.c if column.name not in ("account_id", "created_at")}

_SHAPE = Shape(TicketBin, {**_STORED, "default": case((default_bins.c.user_id.is_not(None), 1), else_=0)})

_SHAPE_OF_ALL = Shape(TicketBin, {**_STORED, "default": literal_column("0")})

_IN_PROJECT = in_project(bins)
_BY_KEY = and_(_IN_PROJECT, bins.c.id == bindparam("bin_id"))

# A user's own bins, and the shared bins of others.
_SEEN = (
    select(*_SHAPE.columns)
    .select_from(
        bins.outerjoin(
            default_bins,
            (default_bins.c.account_id == bins.c.account_id)
            & (default_bins.c.project_id == bins.c.project_id)
            & (default_bins.c.user_id == bindparam("reader"))
            & (default_bins.c.bin_id == bins.c.id),
        )
    )
    .where(_IN_PROJECT, or_(bins.c.shared == 1, bins.c.user_id == bindparam("reader")))
)

# There is no reader here for whom one of them could be the default.
_ALL = Statement(select(*_SHAPE_OF_ALL.columns).where(_IN_PROJECT).order_by(bins.c.position, bins.c.id))

_OF_PROJECT = Statement(_SEEN.order_by(bins.c.position, bins.c.id))

_ONE = Statement(_SEEN.where(bins.c.id == bindparam("bin_id")))

_LOCK = Statement(select(bins.c.id).where(_IN_PROJECT).order_by(bins.c.id).with_for_update(key_share=True))

_LAST_POSITION = Statement(select(func.coalesce(func.max(bins.c.position), 0)).where(_IN_PROJECT))

_INSERT = Statement(insert(bins))

_CHANGEABLE = ("name", "query", "shared", "position", "updated_at")

_UPDATE = Statement(
    update(bins).where(_BY_KEY).values({name: bindparam(f"new_{name}") for name in _CHANGEABLE})
)

_AT_POSITION = Statement(
    select(bins.c.id).where(
        _IN_PROJECT, bins.c.position == bindparam("place"), bins.c.id != bindparam("bin_id")
    )
)

_MOVE_BACK = Statement(
    update(bins)
    .where(
        _IN_PROJECT,
        bins.c.position >= bindparam("place"),
        bins.c.position < _FURTHEST,
        bins.c.id != bindparam("bin_id"),
    )
    .values(position=bins.c.position + 1)
)

_DELETE = Statement(delete(bins).where(_BY_KEY))

_DEFAULT_HERE = and_(in_project(default_bins), default_bins.c.user_id == bindparam("user_id"))

_FORGET_DEFAULT = Statement(delete(default_bins).where(_DEFAULT_HERE))

_SET_DEFAULT = Statement(insert(default_bins))


def of_project(transaction: Transaction, project_id: int, user_id: int | None) -> list[TicketBin]:
    """Return the bins of a project visible to a user, in order, without ticket counts."""
    found = transaction.all(_OF_PROJECT, project_id=project_id, reader=user_id or NOBODY)
    return _SHAPE.records(found, transaction)


def all_of_project(transaction: Transaction, project_id: int) -> list[TicketBin]:
    """Return all bins of a project in order, including private ones, without ticket counts."""
    return _SHAPE_OF_ALL.records(transaction.all(_ALL, project_id=project_id), transaction)


def one(transaction: Transaction, project_id: int, bin_id: int, user_id: int | None) -> TicketBin | None:
    """Return a bin of a project if it is visible to a user, without its ticket count."""
    row = transaction.one(_ONE, project_id=project_id, bin_id=bin_id, reader=user_id or NOBODY)
    return _SHAPE.record(row, transaction) if row else None


def add(transaction: Transaction, *, project_id: int, position: int | None, **values: Any) -> int:
    """Add a bin, after all others unless its position is given, and return its id."""
    bin_id = counters.next_id(transaction, "bins")
    if position is None:
        last = int(transaction.value(_LAST_POSITION, project_id=project_id))
        # If the last bin has the greatest possible position, the new one shares it.
        position = min(last + 1, MAX_SIZE)
    now = transaction.now
    transaction.run(
        _INSERT,
        id=bin_id,
        project_id=project_id,
        position=position,
        created_at=now,
        updated_at=now,
        **values,
    )
    return bin_id


def lock(transaction: Transaction, project_id: int) -> None:
    """Lock the bins of a project until the end, since a change may move all of them."""
    transaction.run(_LOCK, project_id=project_id)


def change(transaction: Transaction, project_id: int, bin_id: int, **values: Any) -> None:
    """Set all the values of a bin that an update may change."""
    new = {f"new_{name}": value for name, value in values.items()}
    transaction.run(_UPDATE, project_id=project_id, bin_id=bin_id, new_updated_at=transaction.now, **new)


def make_room(transaction: Transaction, project_id: int, bin_id: int, position: int) -> None:
    """Move the other bins of a project back by one, from a position on, if that is taken."""
    where = {"project_id": project_id, "bin_id": bin_id, "place": position}
    if transaction.one(_AT_POSITION, **where):
        transaction.run(_MOVE_BACK, **where)


def set_default(transaction: Transaction, project_id: int, user_id: int, bin_id: int | None) -> None:
    """Set the default bin of a user in a project, or remove it."""
    transaction.run(_FORGET_DEFAULT, project_id=project_id, user_id=user_id)
    if bin_id is not None:
        transaction.run(_SET_DEFAULT, project_id=project_id, user_id=user_id, bin_id=bin_id)


def remove(transaction: Transaction, project_id: int, bin_id: int) -> bool:
    """Remove a bin; return whether there was one."""
    return bool(transaction.changed(_DELETE, project_id=project_id, bin_id=bin_id))
