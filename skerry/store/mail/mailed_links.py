"""Links that were sent by mail; only the hash of each code is stored."""

from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, insert, select

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.tables import mailed_links

PASSWORD_RESET = "password_reset"  # noqa: S105 - a kind
"""The kind of the links with which people choose a new password."""


class MailedLink(NamedTuple):
    """A mailed link; whoever opens it has proved to receive mail at the address."""

    kind: str
    user_id: int
    email: str


_IN_ACCOUNT = in_account(mailed_links)
_OF_USER = (
    _IN_ACCOUNT,
    mailed_links.c.kind == bindparam("of_kind"),
    mailed_links.c.user_id == bindparam("of_user"),
)
_BY_HASH = Statement(
    select(mailed_links.c.kind, mailed_links.c.user_id, mailed_links.c.email).where(
        _IN_ACCOUNT,
        mailed_links.c.hash == bindparam("hash"),
        mailed_links.c.kind == bindparam("of_kind"),
        mailed_links.c.expires_at > bindparam("now"),
    )
)
_LAST = Statement(select(func.max(mailed_links.c.created_at)).where(*_OF_USER))
_INSERT = Statement(insert(mailed_links))
_REMOVE_OF_USER = Statement(delete(mailed_links).where(*_OF_USER))
_REMOVE_EVERYWHERE = Statement(delete(mailed_links).where(*_OF_USER[1:]), across_accounts=True)
_REMOVE_OVER = Statement(
    delete(mailed_links).where(mailed_links.c.expires_at <= bindparam("now")), across_accounts=True
)


def add(transaction: Transaction, hashed: str, link: MailedLink, expires_at: int) -> None:
    """Add a link, replacing earlier ones of its kind for the same person."""
    transaction.run(_REMOVE_OF_USER, of_kind=link.kind, of_user=link.user_id)
    values = {"hash": hashed, "created_at": transaction.now, "expires_at": expires_at}
    transaction.run(_INSERT, **values, **link._asdict())


def with_hash(transaction: Transaction, kind: str, hashed: str) -> MailedLink | None:
    """Return the link with a hash unless it has expired."""
    row = transaction.one(_BY_HASH, hash=hashed, of_kind=kind, now=transaction.now)
    return MailedLink(*row) if row else None


def last(transaction: Transaction, kind: str, user_id: int) -> int | None:
    """Return when a user was last sent a link of a kind, among links that still exist."""
    created_at: int | None = transaction.value(_LAST, of_kind=kind, of_user=user_id)
    return created_at


def remove(transaction: Transaction, kind: str, user_id: int) -> None:
    """Delete a user's links of a kind, because one was used, or because they are no longer needed."""
    transaction.run(_REMOVE_OF_USER, of_kind=kind, of_user=user_id)


def remove_everywhere(transaction: Transaction, kind: str, user_id: int) -> None:
    """Delete a user's links of a kind in every account."""
    transaction.run(_REMOVE_EVERYWHERE, of_kind=kind, of_user=user_id)


def remove_expired(transaction: Transaction) -> int:
    """Remove the expired links of every account; return their number."""
    return transaction.changed(_REMOVE_OVER, now=transaction.now)
