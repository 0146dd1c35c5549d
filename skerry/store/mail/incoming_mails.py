"""Incoming mail: which messages were processed, and how many each sender sent, by hashes only.

Messages that were not used are stored as well, with the sender and the reason.
"""

from sqlalchemy import bindparam, case, delete, func, select, text, update

from skerry.database.database import Database
from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_account
from skerry.database.transactions import DAY, Transaction
from skerry.resources.mail import UnusedMail
from skerry.store.tables import incoming_mails

KEPT_DAYS = 90
"""How long duplicates of a message are recognized."""

_IN_ACCOUNT = in_account(incoming_mails)

_CLAIM = Statement(
    text("""
        INSERT INTO incoming_mails (account_id, key, sender, answered, created_at)
        VALUES (:account_id, :key, :sender, 0, :now) ON CONFLICT (account_id, key) DO NOTHING
    """)
)

_UNUSED = "unused"

_NOTE_UNUSED = Statement(
    text("""
        INSERT INTO incoming_mails
            (account_id, key, sender, answered, created_at, result, reason, email, subject)
        VALUES (:account_id, :key, :sender, :answered, :now, :result, :reason, :email, :subject)
        ON CONFLICT (account_id, key) DO NOTHING
    """)
)

_SHAPE = Shape(
    UnusedMail,
    {
        name: incoming_mails.c[name]
        for name in ("answered", "created_at", "email", "reason", "result", "subject")
    },
)

_LIST_UNUSED = Statement(
    select(*_SHAPE.columns)
    .where(_IN_ACCOUNT, incoming_mails.c.sender == _UNUSED)
    .order_by(incoming_mails.c.created_at.desc())
    .limit(bindparam("most"))
)


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


def note_unused(transaction: Transaction, key: str, unused: UnusedMail) -> None:
    """Record a message that was not used; of one that comes again, the first time is kept."""
    transaction.run(
        _NOTE_UNUSED,
        key=f"{_UNUSED} {key}",
        sender=_UNUSED,
        now=transaction.now,
        answered=int(unused.answered),
        result=unused.result,
        reason=unused.reason,
        email=unused.email,
        subject=unused.subject,
    )


def list_unused(transaction: Transaction, most: int) -> list[UnusedMail]:
    """Return the newest messages that were not used."""
    return _SHAPE.all(transaction, _LIST_UNUSED, most=most)


def count_unused(transaction: Transaction, recently: int) -> int:
    """Return how many messages were recently recorded as not used."""
    return count(transaction, _UNUSED, recently)[0]


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
