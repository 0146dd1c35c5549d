"""Changes of tickets that are waiting to be mailed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, exists, func, select, text, update

from skerry.database.statements import OneOf, Statement, in_account, inline_literal, matching
from skerry.database.transactions import Transaction
from skerry.store.tables import counters, logins, mail_changes, mail_outages, mail_preferences


class Changes(NamedTuple):
    """A range of versions of a ticket that a recipient has not been mailed about."""

    user_id: int
    project_id: int
    number: int
    reason: int
    first_version: int
    last_version: int
    frequency: str


_IN_ACCOUNT = in_account(mail_changes)
_frequency = func.coalesce(mail_preferences.c.frequency, "at_once")
_with_preferences = mail_changes.outerjoin(
    mail_preferences, matching(mail_preferences, mail_changes, "user_id")
)
# Only people with a verified address who want mail.
_READERS = Statement(
    select(logins.c.user_id, mail_preferences.c.digest_due_at)
    .select_from(
        logins.outerjoin(
            mail_preferences,
            and_(in_account(mail_preferences), mail_preferences.c.user_id == logins.c.user_id),
        )
    )
    .where(OneOf(logins.c.user_id, "user_ids"), logins.c.verified_at.is_not(None), _frequency != "none")
)
_ADD = Statement(
    text("""
        INSERT INTO mail_changes
            (account_id, user_id, project_id, number, reason, first_version, last_version, due_at)
        VALUES (:account_id, :reader, :project_id, :number, :reason, :first, :last, :due_at)
        ON CONFLICT (account_id, user_id, project_id, number) DO UPDATE SET
            reason = CASE WHEN excluded.reason > mail_changes.reason
                THEN excluded.reason ELSE mail_changes.reason END,
            last_version = excluded.last_version
    """)
)
# Every account has this counter, which is on the machine with its mail, as its row in ``accounts`` is not.
_here = counters.c.account_id
_is_due = exists().where(mail_changes.c.account_id == _here, mail_changes.c.due_at <= bindparam("now"))
_is_down = exists().where(mail_outages.c.account_id == _here)
_ACCOUNTS = Statement(
    select(_here)
    .where(counters.c.name == "events", _is_due.correlate(counters), ~_is_down.correlate(counters))
    .order_by(_here),
    across_accounts=True,
    across_projects="upkeep",
)
_DUE = Statement(
    select(*(mail_changes.c[name] for name in Changes._fields[:-1]), _frequency)
    .select_from(_with_preferences)
    .where(_IN_ACCOUNT, mail_changes.c.due_at <= bindparam("now"))
    .order_by(mail_changes.c.due_at, mail_changes.c.user_id, mail_changes.c.project_id, mail_changes.c.number)
    .limit(inline_literal("some")),
    across_projects="upkeep",
)
_OF_TICKET = (
    _IN_ACCOUNT,
    mail_changes.c.user_id == bindparam("of_user"),
    mail_changes.c.project_id == bindparam("project_id"),
    mail_changes.c.number == bindparam("of_number"),
)
_REMOVE = Statement(
    delete(mail_changes).where(*_OF_TICKET, mail_changes.c.last_version <= bindparam("mailed"))
)
# Changes to which others were added meanwhile stay, with the added part.
_GO_ON = Statement(
    update(mail_changes)
    .where(*_OF_TICKET)
    .values(first_version=bindparam("mailed") + 1, due_at=bindparam("again_at"))
)
_OF_USER = (_IN_ACCOUNT, mail_changes.c.user_id == bindparam("of_user"))
_PUT_OFF = Statement(
    update(mail_changes).where(*_OF_USER).values(due_at=bindparam("new_due_at")), across_projects="person"
)
_REMOVE_OF_USER = Statement(delete(mail_changes).where(*_OF_USER), across_projects="person")


class Wanted(NamedTuple):
    """A request to mail someone about a range of versions of a ticket."""

    reader: int
    project_id: int
    number: int
    reason: int
    first: int
    last: int


def add(transaction: Transaction, wanted: Iterable[Wanted], due_at: int) -> None:
    """Schedule changes for a given time, or for the recipient's next digest.

    Skips people who have no verified address or want no mail.
    """
    everything = list(wanted)
    user_ids = sorted({each.reader for each in everything})
    readers: dict[int, int | None] = dict(transaction.all(_READERS, user_ids=user_ids))
    values = [
        {**each._asdict(), "due_at": readers[each.reader] or due_at}
        for each in everything
        if each.reader in readers
    ]
    transaction.run_many(_ADD, values)


def accounts_due(transaction: Transaction) -> list[int]:
    """Return the accounts with changes that are due and whose mail server is not in backoff."""
    return [account_id for (account_id,) in transaction.all(_ACCOUNTS, now=transaction.now)]


def due(transaction: Transaction, some: int) -> list[Changes]:
    """Return the first changes of the account that are due."""
    return [Changes(*row) for row in transaction.all(_DUE, now=transaction.now, some=some)]


def remove(transaction: Transaction, changes: Sequence[Changes], again_at: int) -> None:
    """Delete changes that were mailed; changes added meanwhile become due at ``again_at``."""
    values = [
        {
            "of_user": each.user_id,
            "project_id": each.project_id,
            "of_number": each.number,
            "mailed": each.last_version,
            "again_at": again_at,
        }
        for each in changes
    ]
    transaction.run_many(_REMOVE, values)
    transaction.run_many(_GO_ON, values)


def put_off(transaction: Transaction, user_id: int, due_at: int) -> None:
    """Reschedule everything that is waiting for a recipient."""
    transaction.run(_PUT_OFF, of_user=user_id, new_due_at=due_at)


def remove_of_user(transaction: Transaction, user_id: int) -> None:
    """Delete everything that is waiting for a recipient."""
    transaction.run(_REMOVE_OF_USER, of_user=user_id)
