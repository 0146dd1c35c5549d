"""What browsers have begun and must finish within minutes, such as a sign-in that waits for a code."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, insert, select

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import HOUR, Transaction
from skerry.store.tables import sign_in_steps

LIFETIME = HOUR // 6
"""How long a step can be finished, in microseconds."""


class Step(NamedTuple):
    """What was begun for a person, 0 if that is open; ``proof`` is compared at the end."""

    user_id: int
    proof: str
    credential: str = ""


_BY_KEY = and_(
    in_account(sign_in_steps),
    sign_in_steps.c.hash == bindparam("hash"),
    sign_in_steps.c.purpose == bindparam("purpose"),
)

_GET = Statement(
    select(*(sign_in_steps.c[name] for name in Step._fields)).where(
        _BY_KEY, sign_in_steps.c.expires_at > bindparam("now")
    )
)

_INSERT = Statement(insert(sign_in_steps))
_REMOVE = Statement(delete(sign_in_steps).where(_BY_KEY))

_REMOVE_OVER = Statement(
    delete(sign_in_steps).where(sign_in_steps.c.expires_at <= bindparam("now")), across_accounts=True
)


def begin(transaction: Transaction, hashed: str, purpose: str, step: Step) -> None:
    """Store a step of the browser whose secret has a hash; it replaces the previous one of its purpose."""
    transaction.run(_REMOVE, hash=hashed, purpose=purpose)
    expires_at = transaction.now + LIFETIME
    transaction.run(_INSERT, hash=hashed, purpose=purpose, expires_at=expires_at, **step._asdict())


def find(transaction: Transaction, hashed: str, purpose: str) -> Step | None:
    """Return the step of a browser that has not expired."""
    row = transaction.one(_GET, hash=hashed, purpose=purpose, now=transaction.now)
    return Step(*row) if row else None


def end(transaction: Transaction, hashed: str, purpose: str) -> bool:
    """End a step of a browser; return whether there was one: True for only one of several requests."""
    return bool(transaction.changed(_REMOVE, hash=hashed, purpose=purpose))


def remove_expired(transaction: Transaction) -> int:
    """Remove the expired steps of every account; return their number."""
    return transaction.changed(_REMOVE_OVER, now=transaction.now)
