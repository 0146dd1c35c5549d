"""The number of bytes that guests sent on each day, by person and by project."""

from sqlalchemy import bindparam, delete, select, text

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import guest_bytes

_ADD = Statement(
    text("""
        INSERT INTO guest_bytes (account_id, day, kind, owner_id, size)
        VALUES (:account_id, :day, :kind, :owner_id, :size)
        ON CONFLICT (account_id, day, kind, owner_id) DO UPDATE SET size = guest_bytes.size + excluded.size
        RETURNING size
    """)
)

_OF_DAY = Statement(
    select(guest_bytes.c.size).where(
        in_account(guest_bytes),
        guest_bytes.c.day == bindparam("day"),
        guest_bytes.c.kind == bindparam("kind"),
        guest_bytes.c.owner_id == bindparam("owner_id"),
    )
)

_REMOVE_OLD = Statement(delete(guest_bytes).where(guest_bytes.c.day < bindparam("day")), across_accounts=True)


def add(transaction: Transaction, kind: str, owner_id: int, size: int) -> int:
    """Add bytes to today's count, and return it; it stays locked until the transaction ends."""
    return int(transaction.value(_ADD, day=_today(transaction), kind=kind, owner_id=owner_id, size=size))


def of_today(transaction: Transaction, kind: str, owner_id: int) -> int:
    """Return today's count of bytes."""
    row = transaction.one(_OF_DAY, day=_today(transaction), kind=kind, owner_id=owner_id)
    return int(row[0]) if row else 0


def remove_old(transaction: Transaction) -> int:
    """Delete the counts of earlier days in all accounts; return the number of rows."""
    return transaction.changed(_REMOVE_OLD, day=_today(transaction))


def _today(transaction: Transaction) -> int:
    return transaction.now // DAY
