"""Notifications as rows: one for each person and ticket."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    bindparam,
    delete,
    func,
    literal_column,
    or_,
    select,
    text,
    update,
)

from skerry.chunks import chunks
from skerry.database.database import Database
from skerry.database.statements import OneOf, Row, Statement, in_account, inline_literal
from skerry.database.transactions import DAY, Transaction
from skerry.store import accounts
from skerry.store import projects as project_store
from skerry.store.projects import Visibility
from skerry.store.tables import notifications

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


class StoredNotification(NamedTuple):
    """A notification as stored."""

    id: int
    project_id: int
    number: int
    reason: int
    event_number: int
    unread: int
    snoozed_until: int | None


class Wanted(NamedTuple):
    """Which notifications are wanted: of one project and for one reason, 0 for any."""

    of_project: int
    reason: int


_IN_ACCOUNT = in_account(notifications)
_OWN = (_IN_ACCOUNT, notifications.c.user_id == bindparam("user_id"))
_UNREAD = notifications.c.unread == 1

# People who can no longer see a project cannot see its notifications.
_visible = project_store.VISIBLE_IDS
_SEEN = (*_OWN, notifications.c.project_id.in_(_visible))
_of_project = bindparam("of_project", type_=BigInteger)
_reason = bindparam("reason", type_=BigInteger)
_IS_WANTED = (
    or_(_of_project == 0, notifications.c.project_id == _of_project),
    or_(_reason == 0, notifications.c.reason == _reason),
)
# They come back by themselves: no job has to wake them.
_IS_SNOOZED = func.coalesce(notifications.c.snoozed_until, 0) > bindparam("now", type_=BigInteger)
_IS_AWAKE = func.coalesce(notifications.c.snoozed_until, 0) <= bindparam("now", type_=BigInteger)

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
            event_number = excluded.event_number, unread = 1, updated_at = excluded.updated_at,
            snoozed_until = NULL
    """)
)

_COLUMNS = [notifications.c[name] for name in StoredNotification._fields]


def _page(*condition: ColumnElement[bool]) -> Statement:
    statement = (
        select(*_COLUMNS)
        .where(*condition)
        .order_by(notifications.c.unread.desc(), notifications.c.event_number.desc())
        .limit(inline_literal("limit"))
        .offset(bindparam("offset", type_=BigInteger))
    )
    return Statement(statement)


def _count(*condition: ColumnElement[bool]) -> Statement:
    statement = select(func.count()).select_from(notifications).where(*condition)
    return Statement(statement)


_LISTS = {
    "all": (*_SEEN, *_IS_WANTED, _IS_AWAKE),
    "unread": (*_SEEN, *_IS_WANTED, _IS_AWAKE, _UNREAD),
    "snoozed": (*_SEEN, *_IS_WANTED, _IS_SNOOZED, _UNREAD),
}
_PAGES = {name: _page(*conditions) for name, conditions in _LISTS.items()}
_COUNTS = {name: _count(*conditions) for name, conditions in _LISTS.items()}

_first_unread = (
    select(literal_column("1")).where(*_SEEN, _UNREAD, _IS_AWAKE).limit(inline_literal("most")).subquery()
)
_COUNT_UNREAD = Statement(select(func.count()).select_from(_first_unread))

_ONE = Statement(select(*_COLUMNS).where(*_SEEN, notifications.c.id == bindparam("id")))
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
    .values(
        unread=bindparam("now_unread"),
        updated_at=bindparam("now"),
        snoozed_until=bindparam("until", type_=BigInteger),
    ),
    across_projects="person",
)
_AMONG = OneOf(notifications.c.id, "ids")


def _chosen(*condition: ColumnElement[bool]) -> Statement:
    return Statement(select(notifications.c.id).where(*condition))


# Only queries leave out tickets that the person does not see, so it is chosen first what is to be changed.
_TO_MARK = (*_SEEN, *_IS_WANTED, _IS_AWAKE, _UNREAD, notifications.c.event_number <= bindparam("up_to"))
_TO_UNMARK = (*_SEEN, notifications.c.unread == 0, notifications.c.updated_at == bindparam("marked_at"))
_CHOSEN, _CHOSEN_AGAIN = _chosen(*_TO_MARK), _chosen(*_TO_UNMARK)
# The time tells apart those that are marked together.
_MARK_ALL = Statement(
    update(notifications)
    .where(*_TO_MARK, _AMONG)
    .values(unread=0, updated_at=bindparam("now"), snoozed_until=None)
)
_UNMARK = Statement(
    update(notifications).where(*_TO_UNMARK, _AMONG).values(unread=1, updated_at=bindparam("now"))
)

_OLD = Statement(
    select(notifications.c.user_id, notifications.c.id)
    .where(_IN_ACCOUNT, notifications.c.unread == 0, notifications.c.updated_at < bindparam("before"))
    .limit(inline_literal("some")),
    across_projects="upkeep",
)
_WITH_MANY = Statement(
    select(notifications.c.user_id)
    .where(_IN_ACCOUNT)
    .group_by(notifications.c.user_id)
    .having(func.count() > bindparam("most", type_=BigInteger)),
    across_projects="upkeep",
)
_BEYOND = Statement(
    select(notifications.c.user_id, notifications.c.id)
    .where(*_OWN)
    .order_by(notifications.c.event_number.desc())
    .limit(inline_literal("some"))
    .offset(bindparam("most", type_=BigInteger)),
    across_projects="upkeep",
)
_REMOVE = Statement(
    delete(notifications).where(*_OWN, notifications.c.id == bindparam("id")), across_projects="upkeep"
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
    transaction: Transaction, visibility: Visibility, which: str, wanted: Wanted, *, limit: int, offset: int
) -> list[StoredNotification]:
    """Return a page of a person's notifications, unread ones first, then by their newest events.

    ``which`` is ``all``, ``unread`` or ``snoozed``; those that are snoozed are in the last only.
    """
    values = {**visibility._asdict(), **wanted._asdict(), "now": transaction.now}
    rows = transaction.all(_PAGES[which], limit=limit, offset=offset, **values)
    return [StoredNotification(*row) for row in rows]


def count(transaction: Transaction, visibility: Visibility, which: str, wanted: Wanted) -> int:
    """Return how many notifications a person has."""
    values = {**visibility._asdict(), **wanted._asdict(), "now": transaction.now}
    return int(transaction.value(_COUNTS[which], **values))


def count_unread(transaction: Transaction, visibility: Visibility, most: int) -> int:
    """Return how many unread notifications a person has, at most ``most``."""
    return int(transaction.value(_COUNT_UNREAD, most=most, now=transaction.now, **visibility._asdict()))


def one(transaction: Transaction, visibility: Visibility, notification_id: int) -> StoredNotification | None:
    """Return a notification of a person."""
    row = transaction.one(_ONE, id=notification_id, **visibility._asdict())
    return StoredNotification(*row) if row else None


def of_ticket(
    transaction: Transaction, project_id: int, number: int, user_id: int
) -> StoredNotification | None:
    """Return a person's notification of a ticket."""
    row = transaction.one(_OF_TICKET, project_id=project_id, number=number, user_id=user_id)
    return StoredNotification(*row) if row else None


def mark(
    transaction: Transaction, user_id: int, notification_id: int, *, unread: bool, until: int | None
) -> None:
    """Mark a notification of a person as read or unread, and hide it until a time, if any."""
    where = {"user_id": user_id, "id_marked": notification_id}
    transaction.run(_MARK, **where, now_unread=int(unread), until=until, now=transaction.now)


def mark_all(transaction: Transaction, visibility: Visibility, wanted: Wanted, up_to: int) -> int:
    """Mark a person's notifications as read, up to the number of an event, and return their number.

    The time of the transaction names them for ``unmark``.
    """
    values = {**visibility._asdict(), **wanted._asdict(), "now": transaction.now, "up_to": up_to}
    return _changed(transaction, _MARK_ALL, transaction.all(_CHOSEN, **values), **values)


def unmark(transaction: Transaction, visibility: Visibility, marked_at: int) -> int:
    """Mark those as unread that were marked as read together and are as they were; return their number."""
    values = {**visibility._asdict(), "marked_at": marked_at}
    chosen = transaction.all(_CHOSEN_AGAIN, **values)
    return _changed(transaction, _UNMARK, chosen, now=transaction.now, **values)


def _changed(transaction: Transaction, statement: Statement, chosen: Iterable[Row], **values: Any) -> int:
    ids = (row[0] for row in chosen)
    return sum(transaction.changed(statement, ids=some, **values) for some in chunks(ids, _SOME))


def remove_old(database: Database) -> int:
    """Remove notifications of every account that are old or exceed the limit; return their number."""
    with database.read() as transaction:
        before, all_accounts = transaction.now - KEPT_DAYS * DAY, accounts.list_all(transaction)
    return sum(_forgotten(database, account.id, before) for account in all_accounts)


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
        old = transaction.all(_OLD, before=before, some=_SOME)
        for (user_id,) in [] if old else transaction.all(_WITH_MANY, most=MAX):
            old = transaction.all(_BEYOND, user_id=user_id, some=_SOME, most=MAX)
            break
    return [(row[0], row[1]) for row in old]
