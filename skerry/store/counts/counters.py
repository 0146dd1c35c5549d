"""Counters of ids for each account and kind; an id is never reused."""

from collections.abc import Mapping

from sqlalchemy import BigInteger, Table, bindparam, insert, update

from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import account_members, counters, metadata, project_members
from skerry.store.engine.transactions import Transaction

COUNTED: Mapping[str, tuple[Table, ...]] = {
    **{
        table.name: (table,)
        for table in metadata.sorted_tables
        if [column.name for column in table.primary_key] == ["account_id", "id"]
    },
    "memberships": (account_members, project_members),
}
"""The columns with the ids of each kind that has a counter in every account."""

KINDS = (*COUNTED, "events")
"""The kinds with a counter in every account. Events have numbers, not ids."""

NEXT = Statement(
    update(counters)
    .where(counters.c.account_id == bindparam("account_id"), counters.c.name == bindparam("kind"))
    .values(value=counters.c.value + 1)
    .returning(counters.c.value)
)

_NEXT_ONES = Statement(
    update(counters)
    .where(counters.c.account_id == bindparam("account_id"), counters.c.name == bindparam("kind"))
    .values(value=counters.c.value + bindparam("wanted", type_=BigInteger))
    .returning(counters.c.value)
)

START = Statement(
    insert(counters).values(account_id=bindparam("account_id"), name=bindparam("kind"), value=0)
)


def next_id(transaction: Transaction, kind: str) -> int:
    """Return the next id of one kind."""
    return int(transaction.value(NEXT, kind=kind))


def next_ids(transaction: Transaction, kind: str, wanted: int) -> range:
    """Return a range of the next ids of one kind."""
    last = int(transaction.value(_NEXT_ONES, kind=kind, wanted=wanted))
    return range(last - wanted + 1, last + 1)


def start(transaction: Transaction, *kinds: str) -> None:
    """Create the counters; the first id of each kind is 1."""
    transaction.run_many(START, [{"kind": kind} for kind in kinds])
