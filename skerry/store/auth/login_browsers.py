"""Browsers in which people have signed in, by the hash of their mark; a few for each login and account."""

from sqlalchemy import bindparam, delete, select, text

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import login_browsers

LIFETIME = 400 * DAY
"""How long an unused browser is known, in microseconds; browsers keep no cookie longer."""

MAX = 20
"""The number of browsers that are known for each login, those used last."""

_OF_USER = (in_account(login_browsers), login_browsers.c.user_id == bindparam("user"))

_KNOWN = Statement(
    select(login_browsers.c.hash).where(*_OF_USER, login_browsers.c.used_at > bindparam("since"))
)

_USED = Statement(
    text("""
        INSERT INTO login_browsers (account_id, user_id, hash, used_at)
        VALUES (:account_id, :user, :hash, :timestamp)
        ON CONFLICT (account_id, user_id, hash) DO UPDATE SET used_at = excluded.used_at
    """)
)

_oldest_kept = (
    select(login_browsers.c.used_at)
    .where(*_OF_USER)
    .order_by(login_browsers.c.used_at.desc())
    .offset(MAX - 1)
    .limit(1)
    .scalar_subquery()
)

_FORGET_MORE = Statement(delete(login_browsers).where(*_OF_USER, login_browsers.c.used_at < _oldest_kept))

_REMOVE_OLD = Statement(
    delete(login_browsers).where(login_browsers.c.used_at <= bindparam("since")), across_accounts=True
)


def known(transaction: Transaction, user_id: int) -> frozenset[str]:
    """Return the hashes of the browsers in which a person has signed in."""
    rows = transaction.all(_KNOWN, user=user_id, since=transaction.now - LIFETIME)
    return frozenset(row[0] for row in rows)


def used(transaction: Transaction, user_id: int, hashed: str) -> None:
    """Store that a person signs in; the least recently used browser may be forgotten."""
    transaction.run(_USED, user=user_id, hash=hashed, timestamp=transaction.now)
    transaction.run(_FORGET_MORE, user=user_id)


def remove_old(transaction: Transaction) -> int:
    """Remove the browsers of every account that are no longer known; return their number."""
    return transaction.changed(_REMOVE_OLD, since=transaction.now - LIFETIME)
