"""Rows of queued mail, and the outage of the server."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import bindparam, delete, exists, func, select, text, update

from skerry.database.database import Database
from skerry.database.statements import Statement, in_account, inline_literal, insert_into
from skerry.database.transactions import DAY, Transaction
from skerry.store.counts import counters
from skerry.store.tables import counters as counter_rows
from skerry.store.tables import mail_outages, mails

Content = Mapping[str, object]
"""The subject matter of a mail: ids and words, from which its text is composed when it is sent."""


KEPT_DAYS = 30
"""How long mails that were set aside are kept."""


class QueuedMail(NamedTuple):
    """A mail that is queued or was set aside, for a user, or for an address without one."""

    id: int
    kind: str
    user_id: int | None
    email: str | None
    content: Content
    created_at: int
    tries: int
    due_at: int
    failure: str | None
    set_aside_at: int | None


class Outage(NamedTuple):
    """An outage of the mail server: the number of attempts, its start, and the time of the next attempt."""

    tries: int
    since: int
    due_at: int
    failure: str


_IN_ACCOUNT = in_account(mails)
_BY_KEY = (_IN_ACCOUNT, mails.c.id == bindparam("mail_id"))
_COLUMNS = tuple(mails.c[name] for name in QueuedMail._fields)
_WAITING = mails.c.set_aside_at.is_(None)

_INSERT = Statement(insert_into(mails, without=("failure", "set_aside_at")))
_DUE = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, _WAITING, mails.c.due_at <= bindparam("now"))
    .order_by(mails.c.id)
    .limit(inline_literal("some"))
)
# Every account has this counter, which is on the machine with its mails, as its row in ``accounts`` is not.
_here = counter_rows.c.account_id
_is_due = exists().where(mails.c.account_id == _here, _WAITING, mails.c.due_at <= bindparam("now"))
_is_down = exists().where(mail_outages.c.account_id == _here, mail_outages.c.due_at > bindparam("now"))
_ACCOUNTS = Statement(
    select(_here)
    .where(
        counter_rows.c.name == "events", _is_due.correlate(counter_rows), ~_is_down.correlate(counter_rows)
    )
    .order_by(_here),
    across_accounts=True,
)
_LIST = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT)
    .order_by(mails.c.set_aside_at.desc(), mails.c.id)
    .limit(inline_literal("some"))
)
_ONE = Statement(select(*_COLUMNS).where(*_BY_KEY))
_COUNT = Statement(
    select(func.count(), func.count(mails.c.set_aside_at), func.min(mails.c.created_at)).where(_IN_ACCOUNT)
)
_DUPLICATE = Statement(
    select(mails.c.id)
    .where(
        _IN_ACCOUNT,
        _WAITING,
        mails.c.kind == bindparam("kind"),
        func.coalesce(mails.c.user_id, 0) == bindparam("for_user"),
        func.coalesce(mails.c.email, "") == bindparam("for_email"),
    )
    .limit(1)
)
_COUNT_OF = Statement(select(func.count()).where(_IN_ACCOUNT, _WAITING, mails.c.kind == bindparam("kind")))
_REMOVE = Statement(delete(mails).where(*_BY_KEY))
_REMOVE_OLD = Statement(delete(mails).where(mails.c.set_aside_at < bindparam("before")), across_accounts=True)
_PUT_OFF = Statement(
    update(mails)
    .where(*_BY_KEY)
    .values(tries=mails.c.tries + 1, due_at=bindparam("until"), failure=bindparam("reason"))
)
_SET_ASIDE = Statement(
    update(mails)
    .where(*_BY_KEY)
    .values(tries=mails.c.tries + 1, set_aside_at=bindparam("now"), failure=bindparam("reason"))
)
_AGAIN = Statement(
    update(mails).where(*_BY_KEY).values(tries=0, due_at=bindparam("now"), failure=None, set_aside_at=None)
)

_OUTAGE_HERE = in_account(mail_outages)
_OUTAGE = Statement(select(*(mail_outages.c[name] for name in Outage._fields)).where(_OUTAGE_HERE))
_NOTE_OUTAGE = Statement(
    text("""
        INSERT INTO mail_outages (account_id, tries, since, due_at, failure)
        VALUES (:account_id, 1, :now, :until, :reason)
        ON CONFLICT (account_id) DO UPDATE
        SET tries = mail_outages.tries + 1, due_at = excluded.due_at, failure = excluded.failure
    """)
)
_END_OUTAGE = Statement(delete(mail_outages).where(_OUTAGE_HERE))


def add(
    transaction: Transaction,
    kind: str,
    content: Content,
    *,
    user_id: int | None = None,
    email: str | None = None,
    due_at: int = 0,
) -> int:
    """Add a mail to the queue, by default due at once, and return its id."""
    mail_id = counters.next_id(transaction, "mails")
    values = {"kind": kind, "user_id": user_id, "email": email, "content": json.dumps(content)}
    stamps = {"created_at": transaction.now, "due_at": max(due_at, transaction.now)}
    transaction.run(_INSERT, id=mail_id, tries=0, **stamps, **values)
    return mail_id


def is_waiting(transaction: Transaction, kind: str, *, user_id: int | None = None, email: str = "") -> bool:
    """Return whether a mail of a kind is already waiting for a recipient."""
    return transaction.value(_DUPLICATE, kind=kind, for_user=user_id or 0, for_email=email) is not None


def accounts_due(transaction: Transaction) -> list[int]:
    """Return the accounts with mail that is due and whose server is not in backoff."""
    return [account_id for (account_id,) in transaction.all(_ACCOUNTS, now=transaction.now)]


def due(transaction: Transaction, some: int) -> list[QueuedMail]:
    """Return the first mails of the account that are due."""
    return [_mail(*row) for row in transaction.all(_DUE, now=transaction.now, some=some)]


def list_all(transaction: Transaction, some: int) -> list[QueuedMail]:
    """Return unsent mails: first those that failed for good, then those that are waiting, in order."""
    return [_mail(*row) for row in transaction.all(_LIST, some=some)]


def one(transaction: Transaction, mail_id: int) -> QueuedMail | None:
    """Return an unsent mail."""
    row = transaction.one(_ONE, mail_id=mail_id)
    return _mail(*row) if row else None


def count(transaction: Transaction) -> tuple[int, int, int | None]:
    """Return how many mails are queued and how many were set aside, and when the oldest was created."""
    row = transaction.one(_COUNT)
    total, aside, oldest = row or (0, 0, None)
    return total - aside, aside, oldest


def count_of(transaction: Transaction, kind: str) -> int:
    """Return how many mails of a kind are queued."""
    return int(transaction.value(_COUNT_OF, kind=kind))


def remove(transaction: Transaction, mail_id: int) -> None:
    """Remove a mail that was sent or is not wanted."""
    transaction.run(_REMOVE, mail_id=mail_id)


def remove_old(database: Database) -> int:
    """Remove old mails of every account that were set aside; return their number."""
    with database.write() as transaction:
        return transaction.changed(_REMOVE_OLD, before=transaction.now - KEPT_DAYS * DAY)


def put_off(transaction: Transaction, mail_id: int, until: int, reason: str) -> None:
    """Record a temporary refusal of a mail, and the time of the next attempt."""
    transaction.run(_PUT_OFF, mail_id=mail_id, until=until, reason=reason)


def set_aside(transaction: Transaction, mail_id: int, reason: str) -> None:
    """Record a permanent refusal of a mail."""
    transaction.run(_SET_ASIDE, mail_id=mail_id, now=transaction.now, reason=reason)


def try_again(transaction: Transaction, mail_id: int) -> None:
    """Put a mail back into the queue as if it were new."""
    transaction.run(_AGAIN, mail_id=mail_id, now=transaction.now)


def outage(transaction: Transaction) -> Outage | None:
    """Return the outage of the server, or None while it works."""
    row = transaction.one(_OUTAGE)
    return Outage(*row) if row else None


def note_outage(transaction: Transaction, until: int, reason: str) -> None:
    """Record an outage of the server, and the time of the next attempt."""
    transaction.run(_NOTE_OUTAGE, now=transaction.now, until=until, reason=reason)


def end_outage(transaction: Transaction) -> None:
    """Record that the server works again."""
    transaction.run(_END_OUTAGE)


def _mail(*row: object) -> QueuedMail:
    mail = QueuedMail(*row)  # type: ignore[arg-type] # the columns match the fields
    return mail._replace(content=json.loads(str(mail.content)))
