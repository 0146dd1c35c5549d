"""Networks with recent sign-ins; a few for each login and account."""

from sqlalchemy import bindparam, delete, select, text

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import DAY, Transaction
from skerry.store.tables import login_networks

LIFETIME = 90 * DAY
"""How long an unused network is kept, in microseconds."""

MAX = 10
"""The number of networks kept for each login, those used last."""

_OF_USER = (
    in_account(login_networks),
    login_networks.c.user_id == bindparam("user"),
)

_KNOWN = Statement(
    select(login_networks.c.used_at).where(
        *_OF_USER,
        login_networks.c.network == bindparam("network"),
        login_networks.c.used_at > bindparam("since"),
    )
)

_USED = Statement(
    text("""
        INSERT INTO login_networks (account_id, user_id, network, used_at)
        VALUES (:account_id, :user, :network, :timestamp)
        ON CONFLICT (account_id, user_id, network) DO UPDATE SET used_at = excluded.used_at
        WHERE login_networks.used_at < excluded.used_at
    """)
)

_oldest_kept = (
    select(login_networks.c.used_at)
    .where(*_OF_USER)
    .order_by(login_networks.c.used_at.desc())
    .offset(MAX - 1)
    .limit(1)
    .scalar_subquery()
)

_FORGET_MORE = Statement(delete(login_networks).where(*_OF_USER, login_networks.c.used_at < _oldest_kept))

_REMOVE_OLD = Statement(
    delete(login_networks).where(login_networks.c.used_at <= bindparam("since")), across_accounts=True
)


def is_known(transaction: Transaction, user_id: int, network: str) -> bool:
    """Return whether a login was recently used from a network."""
    since = transaction.now - LIFETIME
    return transaction.one(_KNOWN, user=user_id, network=network, since=since) is not None


def used(transaction: Transaction, user_id: int, network: str, timestamp: int) -> None:
    """Store that a login was used from a network at a time; the least recently used one may be removed."""
    transaction.run(_USED, user=user_id, network=network, timestamp=timestamp)
    transaction.run(_FORGET_MORE, user=user_id)


def remove_old(transaction: Transaction) -> int:
    """Remove the networks of every account that have expired; return their number."""
    return transaction.changed(_REMOVE_OLD, since=transaction.now - LIFETIME)
