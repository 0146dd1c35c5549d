"""New tables in migrations: their columns, and what tables of accounts have in common.

Migrations that were released use this module, so what it does to a database stays as it is.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

_ARE_DISTRIBUTED = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"


def number(name: str, *, null: bool = False) -> sa.Column[int]:
    """Return a column of 64-bit integers."""
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=null)


def text(name: str, *, null: bool = False) -> sa.Column[str]:
    """Return a column of texts."""
    return sa.Column(name, sa.Text(), nullable=null)


class Owner(NamedTuple):
    """The row to which others belong; ``columns`` maps their names to those of its table."""

    table: str
    columns: dict[str, str]


def belongs(table: str, **columns: str) -> Owner:
    """Return the owner with which rows are deleted."""
    return Owner(table, {"account_id": "account_id", **columns})


def create_table(
    name: str,
    *columns: sa.Column[Any],
    key: Sequence[str],
    unique: Sequence[str] = (),
    owners: Sequence[Owner] = (),
) -> None:
    """Create a table of rows of accounts, and distribute it if the others are.

    ``account_id`` is its first column, and the first of each constraint.
    """
    parts: list[sa.Constraint] = [sa.PrimaryKeyConstraint("account_id", *key, name=f"pk_{name}")]
    if unique:
        parts.append(sa.UniqueConstraint("account_id", *unique, name=_named("uq", name, unique)))
    foreign = {f"fk_{name}_{'_'.join(owner.columns)}": owner for owner in owners}
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    if is_sqlite:
        for called, (table, keys) in foreign.items():
            others = [f"{table}.{column}" for column in keys.values()]
            parts.append(sa.ForeignKeyConstraint([*keys], others, name=called, ondelete="CASCADE"))
    op.create_table(name, number("account_id"), *columns, *parts)
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute(f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')")
    for called, (table, keys) in foreign.items():
        op.create_foreign_key(called, name, table, [*keys], [*keys.values()], ondelete="CASCADE")


def create_index(table: str, *columns: str) -> None:
    """Create an index of columns that begins with the account."""
    op.create_index(_named("ix", table, columns), table, ["account_id", *columns])


def count_ids(table: str) -> None:
    """Create the counter of a table's ids in each account."""
    op.execute(f"INSERT INTO counters (account_id, name, value) SELECT id, '{table}', 0 FROM accounts")  # noqa: S608 - our own words


def _named(kind: str, table: str, columns: Sequence[str]) -> str:
    return f"{kind}_{table}_{'_'.join(('account_id', *columns))}"


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    return bool(connection.scalar(sa.text(_ARE_DISTRIBUTED)))
