"""Claims on tickets: one row for each ticket, which counts until it expires."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, or_, select, text

from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_ticket
from skerry.database.transactions import Transaction
from skerry.resources.claims import Claim
from skerry.store.tables import claims, users


class Holder(NamedTuple):
    """Who holds a claim: a person, with a token or without, and the name of one of several workers."""

    user_id: int
    token_id: int
    worker: str


SHAPE = Shape(
    Claim,
    {
        **{name: claims.c[name] for name in ("project_id", "number", "user_id")},
        **{name: claims.c[name] for name in ("worker", "minutes", "expires_at")},
        "user_name": users.c.name,
    },
)

_BY_KEY = in_ticket(claims)
_IS_OVER = claims.c.expires_at <= bindparam("now")
_IS_HELD = and_(*(claims.c[name] == bindparam(name) for name in Holder._fields))

_PRESENT = Statement(
    select(*SHAPE.columns)
    .select_from(claims.join(users, users.c.id == claims.c.user_id))
    .where(_BY_KEY, claims.c.expires_at > bindparam("now"))
)

# PostgreSQL does not know the types of values that are selected.
_TAKE = Statement(
    text("""
        INSERT INTO claims (account_id, project_id, number, user_id, token_id, worker, minutes, expires_at)
        SELECT tickets.account_id, tickets.project_id, tickets.number, CAST(:user_id AS BIGINT),
            CAST(:token_id AS BIGINT), CAST(:worker AS TEXT), CAST(:minutes AS BIGINT),
            CAST(:expires_at AS BIGINT)
        FROM tickets
        WHERE tickets.account_id = :account_id AND tickets.project_id = :project_id
            AND tickets.number = :number AND tickets.closed = 0
        ON CONFLICT (account_id, project_id, number) DO UPDATE SET user_id = excluded.user_id,
            token_id = excluded.token_id, worker = excluded.worker, minutes = excluded.minutes,
            expires_at = excluded.expires_at
        WHERE claims.account_id = :account_id AND (claims.expires_at <= :now
            OR (claims.user_id = excluded.user_id AND claims.token_id = excluded.token_id
                AND claims.worker = excluded.worker))
    """)
)

_GIVE_BACK = Statement(delete(claims).where(_BY_KEY, or_(_IS_OVER, _IS_HELD)))

_END = Statement(delete(claims).where(_BY_KEY))


def present(transaction: Transaction, project_id: int, number: int) -> Claim | None:
    """Return the claim on a ticket, None if there is none that still counts."""
    return SHAPE.one(transaction, _PRESENT, project_id=project_id, number=number, now=transaction.now)


def take(
    transaction: Transaction, project_id: int, number: int, holder: Holder, *, minutes: int, expires_at: int
) -> bool:
    """Claim an open ticket, or renew the holder's claim; return whether the holder has it now."""
    key = {"project_id": project_id, "number": number, "now": transaction.now}
    until = {"minutes": minutes, "expires_at": expires_at}
    return bool(transaction.changed(_TAKE, **key, **holder._asdict(), **until))


def give_back(transaction: Transaction, project_id: int, number: int, holder: Holder) -> None:
    """End the holder's claim on a ticket, or one that has expired."""
    key = {"project_id": project_id, "number": number, "now": transaction.now}
    transaction.run(_GIVE_BACK, **key, **holder._asdict())


def end(transaction: Transaction, project_id: int, number: int) -> None:
    """End the claim on a ticket, whoever holds it."""
    transaction.run(_END, project_id=project_id, number=number)
