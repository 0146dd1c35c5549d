"""Building blocks of tables: columns, keys, and the constraints of rows that belong to an account."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    ForeignKeyConstraint,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    literal_column,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def number(name: str, *, null: bool = False, default: int | None = None) -> Column[int]:
    """Return a 64-bit integer column: an id, a count or a size; older rows have the default."""
    return Column(name, BigInteger, nullable=null, server_default=None if default is None else str(default))


_EVENT = "is_event_number"


def event_number(name: str, *, null: bool = False) -> Column[int]:
    """Return a column for the number of an event; restoring a backup changes all of them."""
    return Column(name, BigInteger, nullable=null, info={_EVENT: True})


def is_event_number(column: Column[Any]) -> bool:
    """Return whether a column contains event numbers."""
    return _EVENT in column.info


def text(
    name: str, *, null: bool = False, called: str | None = None, default: str | None = None
) -> Column[str]:
    """Return a text column without a length limit; limits are enforced by the product.

    ``called`` is its name in statements, if that differs. Older rows have the default.
    """
    return Column(name, Text, key=called or name, nullable=null, server_default=_text_default(default))


def _text_default(default: str | None) -> ColumnElement[str] | None:
    # As a bound text, the databases disagree about the default.
    return None if default is None else literal_column(f"'{default}'")


def flag(name: str, *, default: int | None = None) -> Column[int]:
    """Return a column for a flag: 0 or 1; older rows have the default."""
    return Column(
        name, SmallInteger, nullable=False, server_default=None if default is None else str(default)
    )


def timestamp(name: str, *, null: bool = False) -> Column[int]:
    """Return a column for a time in microseconds since 1970 in UTC."""
    return Column(name, BigInteger, nullable=null)


def edits() -> tuple[Column[Any], ...]:
    """Return the columns about the edits of a text: the last one, and their number."""
    return (
        timestamp("body_edited_at", null=True),
        number("body_edited_by", null=True),
        Column("body_edits", BigInteger, nullable=False, server_default="0"),
    )


def earlier_text() -> tuple[Column[Any], ...]:
    """Return the columns of a text before an edit: its number, and who wrote it when."""
    return number("id"), text("body"), number("user_id"), timestamp("created_at")


def layout() -> tuple[Column[Any], ...]:
    """Return the columns that say how a list of tickets is shown."""
    return text("columns", default=""), text("grouping", called="group", default=""), text("sort", default="")


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
    # The account is the whole key of some tables; PostgreSQL would count it with a sequence.
    account = Column("account_id", BigInteger, nullable=False, autoincrement=False)
    return Table(name, metadata, account, *parts)
