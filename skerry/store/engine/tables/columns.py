"""What the tables are made of: columns, keys, and the rules of what belongs to an account."""

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
    """A whole number of 64 bits: an id, a count or a size."""
    return Column(name, BigInteger, nullable=null)


_EVENT = "is_event_number"


def event_number(name: str, *, null: bool = False) -> Column[int]:
    """The number of an event; when a backup is restored, all of them change."""
    return Column(name, BigInteger, nullable=null, info={_EVENT: True})


def is_event_number(column: Column[Any]) -> bool:
    """Return whether a column holds numbers of events."""
    return _EVENT in column.info


def text(name: str, *, null: bool = False, called: str | None = None) -> Column[str]:
    """A text of any length; the limits are the product's, not the database's.

    ``called`` is what statements call it, if that is not its name.
    """
    return Column(name, Text, key=called or name, nullable=null)


def flag(name: str) -> Column[int]:
    """0 or 1."""
    return Column(name, SmallInteger, nullable=False)


def timestamp(name: str, *, null: bool = False) -> Column[int]:
    """Microseconds since 1970 in UTC."""
    return Column(name, BigInteger, nullable=null)


def key(*names: str) -> PrimaryKeyConstraint:
    """The columns that no two rows have in common."""
    return PrimaryKeyConstraint(*names)


def belongs(table: str, **columns: str) -> ForeignKeyConstraint:
    """A row goes when the row that it belongs to goes; ``columns`` maps own names to the other's."""
    return ForeignKeyConstraint(
        ["account_id", *columns],
        [f"{table}.account_id", *(f"{table}.{other}" for other in columns.values())],
        ondelete="CASCADE",
    )


def of_account(name: str, *parts: Any) -> Table:
    """A table of what belongs to one account."""
    return Table(name, metadata, number("account_id"), *parts)
