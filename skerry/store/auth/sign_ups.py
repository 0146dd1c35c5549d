"""Sign-ups: mailed links, people who wait for approval, and people who joined or were refused."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from skerry.database.statements import OneOf, Statement, in_account, insert_into
from skerry.database.transactions import DAY, Transaction
from skerry.store.counts import counters
from skerry.store.tables import sign_ups
from skerry.text import addresses

REFUSED_DAYS = 30
"""How long an address that was refused gets no mail."""

WAITING_DAYS = 90
"""How long somebody waits for approval."""

MOST = 1000
"""How many people who wait are listed."""


class StoredSignUp(NamedTuple):
    """Somebody who signs up; ``user_id`` is None until they join."""

    id: int
    email: str
    name: str
    password_hash: str | None
    proved_at: int | None


_IN_ACCOUNT = in_account(sign_ups)
_COLUMNS = tuple(sign_ups.c[name] for name in StoredSignUp._fields)
_OPEN = and_(sign_ups.c.decided_at.is_(None), sign_ups.c.user_id.is_(None))
_WAITS = (_IN_ACCOUNT, _OPEN, sign_ups.c.proved_at.is_not(None))
_OF_EMAIL = sign_ups.c.email == bindparam("of_email")
_BY_ID = (_IN_ACCOUNT, sign_ups.c.id == bindparam("sign_up"))

_INSERT = Statement(
    insert_into(
        sign_ups,
        without=(
            "password_hash",
            "user_id",
            "proved_at",
            "told_at",
            "decided_at",
            "decided_by",
            "trusted_at",
        ),
    )
)
_REMOVE_LINKS = Statement(
    delete(sign_ups).where(_IN_ACCOUNT, _OF_EMAIL, _OPEN, sign_ups.c.proved_at.is_(None))
)
_REMOVE_OTHERS = Statement(
    delete(sign_ups).where(_IN_ACCOUNT, _OF_EMAIL, _OPEN, sign_ups.c.id != bindparam("kept"))
)
_BY_HASH = Statement(
    select(*_COLUMNS).where(
        _IN_ACCOUNT,
        sign_ups.c.hash == bindparam("hash"),
        sign_ups.c.proved_at.is_(None),
        sign_ups.c.expires_at > bindparam("now"),
    )
)
_WAITING = Statement(select(*_COLUMNS).where(*_WAITS).order_by(sign_ups.c.id).limit(MOST))
_WAITING_ONES = Statement(
    select(*_COLUMNS).where(*_WAITS, OneOf(sign_ups.c.id, "ids")).order_by(sign_ups.c.id)
)
_WAITING_OF_EMAIL = Statement(select(*_COLUMNS).where(*_WAITS, _OF_EMAIL))
_COUNT = Statement(select(func.count()).select_from(sign_ups).where(*_WAITS))
_WAS_REFUSED = Statement(
    select(sign_ups.c.id)
    .where(_IN_ACCOUNT, _OF_EMAIL, sign_ups.c.user_id.is_(None), sign_ups.c.decided_at > bindparam("since"))
    .limit(1)
)
_TOLD = Statement(select(func.max(sign_ups.c.told_at)).where(_IN_ACCOUNT))
_WAIT = Statement(
    update(sign_ups)
    .where(*_BY_ID)
    .values(
        name=bindparam("new_name"),
        password_hash=bindparam("new_hash"),
        proved_at=bindparam("now"),
        told_at=bindparam("told"),
    )
)
_ADMIT = Statement(
    update(sign_ups)
    .where(*_BY_ID)
    .values(
        user_id=bindparam("joined"),
        password_hash=None,
        proved_at=func.coalesce(sign_ups.c.proved_at, bindparam("now")),
        decided_at=bindparam("now"),
        decided_by=bindparam("by"),
    )
)
_REFUSE = Statement(
    update(sign_ups)
    .where(*_BY_ID)
    .values(password_hash=None, decided_at=bindparam("now"), decided_by=bindparam("by"))
)
_NEWCOMER = Statement(
    select(sign_ups.c.id)
    .where(_IN_ACCOUNT, sign_ups.c.user_id == bindparam("of_user"), sign_ups.c.trusted_at.is_(None))
    .limit(1)
)
_TRUST = Statement(
    update(sign_ups)
    .where(_IN_ACCOUNT, sign_ups.c.user_id == bindparam("of_user"), sign_ups.c.trusted_at.is_(None))
    .values(trusted_at=bindparam("now"))
)
_JOINED = Statement(
    select(sign_ups.c.id).where(_IN_ACCOUNT, sign_ups.c.user_id == bindparam("of_user")).limit(1)
)
_REMOVE_OLD = Statement(
    delete(sign_ups).where(
        sign_ups.c.user_id.is_(None),
        or_(
            and_(sign_ups.c.proved_at.is_(None), sign_ups.c.expires_at <= bindparam("now")),
            sign_ups.c.decided_at <= bindparam("refused_before"),
            and_(sign_ups.c.decided_at.is_(None), sign_ups.c.proved_at <= bindparam("waiting_before")),
        ),
    ),
    across_accounts=True,
)


def add(transaction: Transaction, hashed: str, *, email: str, name: str, expires_at: int) -> None:
    """Add a mailed link, replacing earlier ones for the same address."""
    transaction.run(_REMOVE_LINKS, of_email=email)
    sign_up_id = counters.next_id(transaction, "sign_ups")
    values = {"hash": hashed, "email": email, "name": name, "expires_at": expires_at}
    transaction.run(_INSERT, id=sign_up_id, created_at=transaction.now, **values)


def with_hash(transaction: Transaction, hashed: str) -> StoredSignUp | None:
    """Return the sign-up whose link has a hash, unless it was used or has expired."""
    row = transaction.one(_BY_HASH, hash=hashed, now=transaction.now)
    return StoredSignUp(*row) if row else None


def waiting(transaction: Transaction, ids: list[int] | None = None) -> list[StoredSignUp]:
    """Return the people who wait for approval, or those among some ids, the first ones first."""
    rows = transaction.all(_WAITING) if ids is None else transaction.all(_WAITING_ONES, ids=ids)
    return [StoredSignUp(*row) for row in rows]


def waiting_with_email(transaction: Transaction, email: str) -> StoredSignUp | None:
    """Return the person with an address who waits for approval."""
    rows = (transaction.one(_WAITING_OF_EMAIL, of_email=form) for form in addresses.forms(email))
    return next((StoredSignUp(*row) for row in rows if row), None)


def count(transaction: Transaction) -> int:
    """Return how many people wait for approval."""
    return int(transaction.value(_COUNT))


def was_refused(transaction: Transaction, email: str) -> bool:
    """Return whether an address was recently refused."""
    since = transaction.now - REFUSED_DAYS * DAY
    return transaction.value(_WAS_REFUSED, of_email=email, since=since) is not None


def last_told(transaction: Transaction) -> int:
    """Return when administrators were last told, or will be, that somebody waits; 0 for never."""
    return int(transaction.value(_TOLD) or 0)


def wait(transaction: Transaction, kept: StoredSignUp, name: str, password_hash: str, told_at: int) -> None:
    """Make somebody who proved their address wait for approval, in place of their earlier sign-ups."""
    transaction.run(_REMOVE_OTHERS, of_email=kept.email, kept=kept.id)
    values = {"new_name": name, "new_hash": password_hash, "told": told_at}
    transaction.run(_WAIT, sign_up=kept.id, now=transaction.now, **values)


def admit(transaction: Transaction, kept: StoredSignUp, user_id: int, by: int | None = None) -> None:
    """Record that somebody joined as a user."""
    transaction.run(_REMOVE_OTHERS, of_email=kept.email, kept=kept.id)
    transaction.run(_ADMIT, sign_up=kept.id, joined=user_id, by=by, now=transaction.now)


def refuse(transaction: Transaction, kept: StoredSignUp, by: int) -> None:
    """Record that somebody was refused."""
    transaction.run(_REFUSE, sign_up=kept.id, by=by, now=transaction.now)


def has_joined(transaction: Transaction, user_id: int) -> bool:
    """Return whether a user came to the account by signing up."""
    return transaction.value(_JOINED, of_user=user_id) is not None


def is_newcomer(transaction: Transaction, user_id: int) -> bool:
    """Return whether somebody signed up, and no text of theirs was released yet."""
    return transaction.value(_NEWCOMER, of_user=user_id) is not None


def trust(transaction: Transaction, user_id: int) -> None:
    """Record that a text of somebody who signed up was released."""
    transaction.run(_TRUST, of_user=user_id, now=transaction.now)


def remove_old(transaction: Transaction) -> int:
    """Remove expired links, old refusals, and who waited for too long, in every account; return how many."""
    refused, waiting = (transaction.now - days * DAY for days in (REFUSED_DAYS, WAITING_DAYS))
    return transaction.changed(
        _REMOVE_OLD, now=transaction.now, refused_before=refused, waiting_before=waiting
    )
