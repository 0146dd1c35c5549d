"""Building blocks of tables: columns, keys, and the constraints of rows that belong to an account."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def number(name: str, *, null: bool = False) -> Column[int]:
    """Return a 64-bit integer column: an id, a count or a size."""
    return Column(name, BigInteger, nullable=null)


_EVENT = "is_event_number"


def event_number(name: str, *, null: bool = False) -> Column[int]:
    """Return a column for the number of an event; restoring a backup changes all of them."""
    return Column(name, BigInteger, nullable=null, info={_EVENT: True})


def is_event_number(column: Column[Any]) -> bool:
    """Return whether a column contains event numbers."""
    return _EVENT in column.info


def text(name: str, *, null: bool = False, called: str | None = None) -> Column[str]:
    """Return a text column without a length limit; limits are enforced by the product.

    ``called`` is its name in statements, if that differs.
    """
    return Column(name, Text, key=called or name, nullable=null)


def flag(name: str) -> Column[int]:
    """Return a column for a flag: 0 or 1."""
    return Column(name, SmallInteger, nullable=False)


def timestamp(name: str, *, null: bool = False) -> Column[int]:
    """Return a column for a time in microseconds since 1970 in UTC."""
    return Column(name, BigInteger, nullable=null)


def key(*names: str) -> PrimaryKeyConstraint:
    """Return the primary key of the columns."""
    return PrimaryKeyConstraint(*names)


def belongs(table: str, **columns: str) -> ForeignKeyConstraint:
    """Return a foreign key that cascades deletions; ``columns`` maps own names to the other table's."""
    return ForeignKeyConstraint(
        ["account_id", *columns],
        [f"{table}.account_id", *(f"{table}.{other}" for other in columns.values())],
        ondelete="CASCADE",
    )


def of_account(name: str, *parts: Any) -> Table:
    """Return a table of rows that belong to an account."""
    return Table(name, metadata, number("account_id"), *parts)
