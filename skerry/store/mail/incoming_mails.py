"""Incoming mail, stored only by hashes: which messages were processed, and how many each sender sent."""

from sqlalchemy import bindparam, case, delete, func, select, text, update

from skerry.store.engine.database import Database
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import incoming_mails
from skerry.store.engine.transactions import DAY, Transaction

KEPT_DAYS = 90
"""How long duplicates of a message are recognized."""

_IN_ACCOUNT = incoming_mails.c.account_id == bindparam("account_id")

_CLAIM = Statement(
    text("""
        INSERT INTO incoming_mails (account_id, key, sender, answered, created_at)
        VALUES (:account_id, :key, :sender, 0, :now) ON CONFLICT (account_id, key) DO NOTHING
    """)
)

_KNOWN = Statement(select(incoming_mails.c.key).where(_IN_ACCOUNT, incoming_mails.c.key == bindparam("key")))

_COUNT = Statement(
    select(
        func.coalesce(func.sum(case((incoming_mails.c.created_at > bindparam("recently"), 1), else_=0)), 0),
        func.coalesce(func.sum(incoming_mails.c.answered), 0),
    ).where(
        _IN_ACCOUNT,
        incoming_mails.c.sender == bindparam("sender"),
        incoming_mails.c.created_at > bindparam("since"),
    )
)

_ANSWERED = Statement(
    update(incoming_mails)
    .where(_IN_ACCOUNT, incoming_mails.c.key == bindparam("answered_key"))
    .values(answered=1)
)

_FORGET = Statement(
    delete(incoming_mails).where(incoming_mails.c.created_at < bindparam("until")), across_accounts=True
)


def claim(transaction: Transaction, key: str, sender: str) -> bool:
    """Record that a message is processed; return whether it is the first time."""
    return bool(transaction.changed(_CLAIM, key=key, sender=sender, now=transaction.now))


def is_known(transaction: Transaction, key: str) -> bool:
    """Return whether a message was processed."""
    return transaction.one(_KNOWN, key=key) is not None


def count(transaction: Transaction, sender: str, recently: int) -> tuple[int, int]:
    """Return how many mails came from a sender recently, and how many were answered within a day."""
    since = transaction.now - DAY
    row = transaction.one(_COUNT, sender=sender, recently=transaction.now - recently, since=since)
    return (int(row[0]), int(row[1])) if row else (0, 0)


def note_answered(transaction: Transaction, key: str) -> None:
    """Record that an incoming mail was answered."""
    transaction.run(_ANSWERED, answered_key=key)


def remove_old(database: Database) -> int:
    """Remove old records; return their number."""
    with database.write() as transaction:
        return transaction.changed(_FORGET, until=transaction.now - KEPT_DAYS * DAY)
