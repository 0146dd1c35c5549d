"""Changes of tickets of which people are not told by mail yet."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, func, or_, select, text, update

from skerry.store.engine.statements import Statement, inline_literal
from skerry.store.engine.tables import mail_changes, mail_outages, mail_preferences
from skerry.store.engine.transactions import Transaction


class Changes(NamedTuple):
    """What changed of a ticket, from one version to another, for somebody who wants to know."""

    user_id: int
    project_id: int
    number: int
    reason: int
    first_version: int
    last_version: int
    frequency: str


_HERE = mail_changes.c.account_id == bindparam("account_id")
_frequency = func.coalesce(mail_preferences.c.frequency, "at_once")
_with_preferences = mail_changes.outerjoin(
    mail_preferences,
    and_(
        mail_preferences.c.account_id == mail_changes.c.account_id,
        mail_preferences.c.user_id == mail_changes.c.user_id,
    ),
)
# Those of somebody who wants none any more go at once.
_IS_DUE = or_(
    and_(_frequency == "at_once", mail_changes.c.since <= bindparam("settled")),
    and_(_frequency.in_(("daily", "weekly")), mail_preferences.c.digest_due_at <= bindparam("now")),
    _frequency == "none",
)

# Nobody whose address is not verified, and nobody who wants none.
_ADD = Statement(
    text("""
        INSERT INTO mail_changes
            (account_id, user_id, project_id, number, reason, first_version, last_version, since)
        SELECT :account_id, logins.user_id, CAST(:project_id AS BIGINT), CAST(:number AS BIGINT),
            CAST(:reason AS BIGINT), CAST(:first AS BIGINT), CAST(:last AS BIGINT), CAST(:now AS BIGINT)
        FROM logins LEFT JOIN mail_preferences
            ON mail_preferences.account_id = :account_id AND mail_preferences.user_id = logins.user_id
        WHERE logins.user_id = :reader AND logins.verified_at IS NOT NULL
            AND coalesce(mail_preferences.frequency, 'at_once') <> 'none'
        ON CONFLICT (account_id, user_id, project_id, number) DO UPDATE SET
            reason = CASE WHEN excluded.reason > mail_changes.reason
                THEN excluded.reason ELSE mail_changes.reason END,
            last_version = excluded.last_version
    """)
)
_ACCOUNTS = Statement(
    select(mail_changes.c.account_id)
    .distinct()
    .select_from(
        _with_preferences.outerjoin(mail_outages, mail_outages.c.account_id == mail_changes.c.account_id)
    )
    .where(_IS_DUE, mail_outages.c.account_id.is_(None)),
    across_accounts=True,
)
_DUE = Statement(
    select(*(mail_changes.c[name] for name in Changes._fields[:-1]), _frequency)
    .select_from(_with_preferences)
    .where(_HERE, _IS_DUE)
    .order_by(mail_changes.c.since, mail_changes.c.user_id, mail_changes.c.project_id, mail_changes.c.number)
    .limit(inline_literal("some")),
    across_projects=True,
)
_OF_TICKET = (
    _HERE,
    mail_changes.c.user_id == bindparam("of_user"),
    mail_changes.c.project_id == bindparam("project_id"),
    mail_changes.c.number == bindparam("of_number"),
)
_REMOVE = Statement(
    delete(mail_changes).where(*_OF_TICKET, mail_changes.c.last_version <= bindparam("mailed"))
)
# Those that others have added to meanwhile stay, with what was added.
_GO_ON = Statement(
    update(mail_changes)
    .where(*_OF_TICKET)
    .values(first_version=bindparam("mailed") + 1, since=bindparam("now"))
)
_REMOVE_OF_USER = Statement(
    delete(mail_changes).where(_HERE, mail_changes.c.user_id == bindparam("user_id")), across_projects=True
)


class Wanted(NamedTuple):
    """That somebody is to be told of the first to the last of some versions of a ticket."""

    reader: int
    project_id: int
    number: int
    reason: int
    first: int
    last: int


def add(transaction: Transaction, wanted: Iterable[Wanted]) -> None:
    """Note of what people are to be told; nothing for whom mails do not reach or who wants none."""
    now = transaction.now
    transaction.run_many(_ADD, [{**each._asdict(), "now": now} for each in wanted])


def accounts_due(transaction: Transaction, settled: int) -> list[int]:
    """Return the accounts with changes that are due: for a digest, or since that moment for mails at once."""
    return [account_id for (account_id,) in transaction.all(_ACCOUNTS, settled=settled, now=transaction.now)]


def due(transaction: Transaction, settled: int, some: int) -> list[Changes]:
    """Return the oldest changes of the account that are due."""
    return [Changes(*row) for row in transaction.all(_DUE, settled=settled, now=transaction.now, some=some)]


def remove(transaction: Transaction, found: Sequence[Changes]) -> None:
    """Remove changes of which mails were made."""
    values = [
        {
            "of_user": each.user_id,
            "project_id": each.project_id,
            "of_number": each.number,
            "mailed": each.last_version,
            "now": transaction.now,
        }
        for each in found
    ]
    transaction.run_many(_REMOVE, values)
    transaction.run_many(_GO_ON, values)


def remove_of_user(transaction: Transaction, user_id: int) -> None:
    """Forget of what somebody was to be told."""
    transaction.run(_REMOVE_OF_USER, user_id=user_id)
