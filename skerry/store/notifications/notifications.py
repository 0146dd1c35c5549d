"""Notifications as rows: one for each person and ticket."""

from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    bindparam,
    delete,
    func,
    literal_column,
    select,
    text,
    update,
)

from skerry.store import accounts
from skerry.store import projects as project_store
from skerry.store.engine.database import Database
from skerry.store.engine.statements import Statement, inline_literal
from skerry.store.engine.tables import notifications, projects
from skerry.store.engine.transactions import DAY, Transaction
from skerry.store.projects import Visibility

KEPT_DAYS = 90
"""How long read notifications are kept."""

MAX = 10_000
"""The maximum number of notifications of a person that are kept, read or not."""

_SOME = 1000


class NewNotification(NamedTuple):
    """A new notification: the reason, with higher values being stronger, and the event."""

    user_id: int
    project_id: int
    number: int
    reason: int
    event_number: int


_BY_TICKET = attrgetter("project_id", "number", "user_id")


class Notification(NamedTuple):
    """A notification as stored."""

    id: int
    project_id: int
    number: int
    reason: int
    event_number: int
    unread: int


_IN_ACCOUNT = notifications.c.account_id == bindparam("account_id")
_OWN = (_IN_ACCOUNT, notifications.c.user_id == bindparam("user_id"))
_UNREAD = notifications.c.unread == 1

# People who can no longer see a project cannot see its notifications.
_visible = select(projects.c.id).where(*project_store.VISIBLE)
_SEEN = (*_OWN, notifications.c.project_id.in_(_visible))

_TELL = Statement(
    text("""
        INSERT INTO notifications (
            account_id, project_id, number, user_id, id, reason, event_number, unread, created_at, updated_at
        )
        VALUES (:account_id, :project_id, :number, :user_id, :id, :reason, :event_number, 1, :now, :now)
        ON CONFLICT (account_id, project_id, number, user_id) DO UPDATE SET
            reason = CASE
                WHEN notifications.unread = 1 AND notifications.reason > excluded.reason
                THEN notifications.reason ELSE excluded.reason
            END,
            event_number = excluded.event_number, unread = 1, updated_at = excluded.updated_at
    """)
)

_COLUMNS = [notifications.c[name] for name in Notification._fields]


def _page(*condition: ColumnElement[bool]) -> Statement:
    found = (
        select(*_COLUMNS)
        .where(*condition)
        .order_by(notifications.c.unread.desc(), notifications.c.event_number.desc())
        .limit(inline_literal("limit"))
        .offset(bindparam("offset", type_=BigInteger))
    )
    return Statement(found, across_projects=True)


def _count(*condition: ColumnElement[bool]) -> Statement:
    found = select(func.count()).select_from(notifications).where(*condition)
    return Statement(found, across_projects=True)


_PAGES = {False: _page(*_SEEN), True: _page(*_SEEN, _UNREAD)}
_COUNTS = {False: _count(*_SEEN), True: _count(*_SEEN, _UNREAD)}

_first_unread = select(literal_column("1")).where(*_SEEN, _UNREAD).limit(inline_literal("most")).subquery()
_COUNT_UNREAD = Statement(select(func.count()).select_from(_first_unread), across_projects=True)

_ONE = Statement(select(*_COLUMNS).where(*_SEEN, notifications.c.id == bindparam("id")), across_projects=True)
_OF_TICKET = Statement(
    select(*_COLUMNS).where(
        *_OWN,
        notifications.c.project_id == bindparam("project_id"),
        notifications.c.number == bindparam("number"),
    )
)

_MARK = Statement(
    update(notifications)
    .where(*_OWN, notifications.c.id == bindparam("id_marked"))
    .values(unread=bindparam("now_unread"), updated_at=bindparam("now")),
    across_projects=True,
)
_MARK_ALL = Statement(
    update(notifications)
    .where(*_SEEN, _UNREAD, notifications.c.event_number <= bindparam("up_to"))
    .values(unread=0, updated_at=bindparam("now")),
    across_projects=True,
)

_OLD = Statement(
    select(notifications.c.user_id, notifications.c.id)
    .where(_IN_ACCOUNT, notifications.c.unread == 0, notifications.c.updated_at < bindparam("before"))
    .limit(inline_literal("some")),
    across_projects=True,
)
_WITH_MANY = Statement(
    select(notifications.c.user_id)
    .where(_IN_ACCOUNT)
    .group_by(notifications.c.user_id)
    .having(func.count() > bindparam("most", type_=BigInteger)),
    across_projects=True,
)
_BEYOND = Statement(
    select(notifications.c.user_id, notifications.c.id)
    .where(*_OWN)
    .order_by(notifications.c.event_number.desc())
    .limit(inline_literal("some"))
    .offset(bindparam("most", type_=BigInteger)),
    across_projects=True,
)
_REMOVE = Statement(
    delete(notifications).where(*_OWN, notifications.c.id == bindparam("id")), across_projects=True
)


def add(transaction: Transaction, told: Iterable[NewNotification]) -> None:
    """Create notifications, or update existing ones for the same tickets.

    An unread notification keeps its strongest reason.
    """
    # In a fixed order, so that two writers who lock several tickets cannot deadlock.
    ordered = sorted(told, key=_BY_TICKET)
    now = transaction.now
    transaction.run_many(
        _TELL, [{**each._asdict(), "id": now + place, "now": now} for place, each in enumerate(ordered)]
    )


def page(
    transaction: Transaction, visibility: Visibility, *, unread: bool, limit: int, offset: int
) -> list[Notification]:
    """Return a page of a person's notifications, unread ones first, then by their newest events."""
    rows = transaction.all(_PAGES[unread], limit=limit, offset=offset, **visibility._asdict())
    return [Notification(*row) for row in rows]


def count(transaction: Transaction, visibility: Visibility, *, unread: bool) -> int:
    """Return how many notifications a person has."""
    return int(transaction.value(_COUNTS[unread], **visibility._asdict()))


def count_unread(transaction: Transaction, visibility: Visibility, most: int) -> int:
    """Return how many unread notifications a person has, at most ``most``."""
    return int(transaction.value(_COUNT_UNREAD, most=most, **visibility._asdict()))


def one(transaction: Transaction, visibility: Visibility, notification_id: int) -> Notification | None:
    """Return a notification of a person."""
    row = transaction.one(_ONE, id=notification_id, **visibility._asdict())
    return Notification(*row) if row else None


def of_ticket(transaction: Transaction, project_id: int, number: int, user_id: int) -> Notification | None:
    """Return a person's notification of a ticket."""
    row = transaction.one(_OF_TICKET, project_id=project_id, number=number, user_id=user_id)
    return Notification(*row) if row else None


def mark(transaction: Transaction, user_id: int, notification_id: int, *, unread: bool) -> None:
    """Mark a notification of a person as read or unread."""
    where = {"user_id": user_id, "id_marked": notification_id}
    transaction.run(_MARK, **where, now_unread=int(unread), now=transaction.now)


def mark_all(transaction: Transaction, visibility: Visibility, up_to: int) -> None:
    """Mark a person's notifications as read, up to the number of an event."""
    transaction.run(_MARK_ALL, up_to=up_to, now=transaction.now, **visibility._asdict())


def remove_old(database: Database) -> int:
    """Remove notifications of every account that are old or exceed the limit; return their number."""
    with database.read() as transaction:
        before, found = transaction.now - KEPT_DAYS * DAY, accounts.list_all(transaction)
    return sum(_forgotten(database, account.id, before) for account in found)


def _forgotten(database: Database, account_id: int, before: int) -> int:
    removed = 0
    while some := _to_forget(database, account_id, before):
        # In batches, so that others can write in between.
        with database.write(account_id) as transaction:
            transaction.run_many(_REMOVE, [{"user_id": user_id, "id": each} for user_id, each in some])
        removed += len(some)
    return removed


def _to_forget(database: Database, account_id: int, before: int) -> list[tuple[int, int]]:
    with database.read(account_id) as transaction:
        found = transaction.all(_OLD, before=before, some=_SOME)
        for (user_id,) in [] if found else transaction.all(_WITH_MANY, most=MAX):
            found = transaction.all(_BEYOND, user_id=user_id, some=_SOME, most=MAX)
            break
    return [(row[0], row[1]) for row in found]
