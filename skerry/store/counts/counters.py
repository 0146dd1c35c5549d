"""Counters of ids for each account and kind, of which none is reused, and counts stored by name."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Table, bindparam, delete, func, insert, select, text, update

from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import account_members, counters, metadata, placeholder_members, project_members

COUNTED: Mapping[str, tuple[Table, ...]] = {
    **{
        table.name: (table,)
        for table in metadata.sorted_tables
        if [column.name for column in table.primary_key] == ["account_id", "id"]
    },
    "memberships": (account_members, project_members, placeholder_members),
}
"""The columns with the ids of each kind that has a counter in every account."""

KINDS = (*COUNTED, "events")
"""The kinds with a counter in every account. Events have numbers, not ids."""

NEXT = Statement(
    update(counters)
    .where(in_account(counters), counters.c.name == bindparam("kind"))
    .values(value=counters.c.value + 1)
    .returning(counters.c.value)
)

_NEXT_ONES = Statement(
    update(counters)
    .where(in_account(counters), counters.c.name == bindparam("kind"))
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


class StoredCounts:
    """Counts in one table, keyed by the account, the project and the counted value."""

    def __init__(self, stored: Table, counted: Table) -> None:
        """Count the rows of another table, which has the same columns as the key."""
        self.stored, self.counted = stored, counted
        self.key = key = [column.name for column in stored.primary_key]
        self._what = key[2:]
        names, values = ", ".join(key), ", ".join(f":{name}" for name in key)
        self._move = Statement(
            text(f"""
                INSERT INTO {stored.name} ({names}, tickets_count) VALUES ({values}, :step)
                ON CONFLICT ({names})
                DO UPDATE SET tickets_count = {stored.name}.tickets_count + excluded.tickets_count
            """)  # noqa: S608 - our own names
        )
        self._forget = Statement(delete(stored).where(in_project(stored)))
        columns = [counted.c[name] for name in key]
        rows = select(*columns, func.count()).where(in_project(counted)).group_by(*columns)
        self._count = Statement(insert(stored).from_select([*key, "tickets_count"], rows))

    def move(self, transaction: Transaction, steps: Mapping[tuple[Any, ...], int]) -> None:
        """Add to the counts of projects and values."""
        rows = [
            {"project_id": project_id, **dict(zip(self._what, what, strict=True)), "step": step}
            for (project_id, *what), step in steps.items()
        ]
        transaction.run_many(self._move, rows)

    def recount(self, transaction: Transaction, project_id: int) -> None:
        """Count the tickets of a locked project."""
        transaction.run(self._forget, project_id=project_id)
        transaction.run(self._count, project_id=project_id)
