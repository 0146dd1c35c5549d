"""Events as rows: changes, numbered without gaps in each account."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, case, delete, func, insert, select, text, union_all, update

from skerry.database.database import Database
from skerry.database.statements import OneOf, Statement, in_account, inline_literal, is_same
from skerry.database.transactions import DAY, Transaction
from skerry.store import accounts
from skerry.store.events.decoding import Changes, StoredEvent, decode, read_changes
from skerry.store.tables import counters, events, metadata
from skerry.store.tables.columns import is_event_number
from skerry.wire.values import time_text

READ_BY = "events read by "
"""The prefix of the names of counters with the position of a reader."""

SET_ASIDE_BY = "set aside by "
"""The prefix of the names of counters with the number of events that a reader set aside."""

FORGOTTEN = "events forgotten"
"""The counter with the number of the last event that is no longer kept."""

_SOME = 1000
"""How many old events one transaction removes."""


class NewEvent(NamedTuple):
    """A change that is about to be committed. ``subject_id`` is a number, or the revision of a changeset."""

    type: str
    project_id: int | None
    subject_kind: str
    subject_id: str
    user_id: int | None
    version: int | None
    changes: Changes
    via: str
    token_id: int | None


_COUNTER = (in_account(counters), counters.c.name == "events")

_COUNT = Statement(
    update(counters).where(*_COUNTER).values(value=counters.c.value + bindparam("events_count"))
)

_GIVEN = ("happened_at", *(name for name in NewEvent._fields))


def _typed(name: str, column: str = "number") -> Any:
    return bindparam(name, type_=events.c[column].type)


# The number comes from the counter's row, so that no round trip is needed between the two statements.
_INSERT = Statement(
    insert(events).from_select(
        ["account_id", "number", "batch_id", *_GIVEN],
        select(
            counters.c.account_id,
            counters.c.value - _typed("events_behind"),
            case((_typed("events_together") > 1, counters.c.value - _typed("events_together") + 1)),
            *(_typed(name, name) for name in _GIVEN),
        ).where(*_COUNTER),
    )
)

_IN_ACCOUNT = in_account(events)

_FIRST_KEPT = Statement(
    select(events.c.number)
    .where(_IN_ACCOUNT, events.c.happened_at >= bindparam("before"))
    .order_by(events.c.number)
    .limit(1),
    across_projects="upkeep",
)

_OLDEST = Statement(
    select(events.c.number).where(_IN_ACCOUNT).order_by(events.c.number).limit(1), across_projects="upkeep"
)

_REMOVE = Statement(
    delete(events).where(_IN_ACCOUNT, events.c.number <= bindparam("last")), across_projects="upkeep"
)

_LAST = Statement(select(counters.c.value).where(*_COUNTER))

_OF_PROJECT = (events.c.project_id == bindparam("project_id"), events.c.project_id.is_(None))
_REVISION = Statement(
    union_all(*(select(func.max(events.c.number)).where(_IN_ACCOUNT, where) for where in _OF_PROJECT))
)

_AFTER = Statement(
    select(*(events.c[name] for name in StoredEvent._fields))
    .where(_IN_ACCOUNT, events.c.number > bindparam("after"))
    .order_by(events.c.number)
    .limit(inline_literal("some")),
    across_projects="upkeep",
)

# The position of each reader is one of the account's counters.
_read = counters.alias()
_BEHIND = Statement(
    select(counters.c.account_id)
    .select_from(
        counters.outerjoin(
            _read, (_read.c.account_id == counters.c.account_id) & (_read.c.name == bindparam("reader"))
        )
    )
    .where(counters.c.name == "events", counters.c.value > func.coalesce(_read.c.value, 0))
    .order_by(counters.c.account_id),
    across_accounts=True,
)

_READER = (in_account(counters), counters.c.name == bindparam("reader"))
_BEGIN = Statement(
    text(
        "INSERT INTO counters (account_id, name, value) VALUES (:account_id, :reader, 0) "
        "ON CONFLICT DO NOTHING"
    )
)
_POSITIONS = Statement(
    select(counters.c.name, counters.c.value).where(
        in_account(counters), counters.c.name.in_(("events", bindparam("reader")))
    )
)
_READ_SO_FAR = Statement(select(counters.c.value).where(*_READER).with_for_update())
_NOTE_READ = Statement(update(counters).where(*_READER).values(value=bindparam("last")))
_COUNT_SET_ASIDE = Statement(update(counters).where(*_READER).values(value=counters.c.value + 1))

_OF_SUBJECTS = (
    _IN_ACCOUNT,
    is_same(events.c.project_id, "project_id"),
    events.c.subject_kind == bindparam("kind"),
    OneOf(events.c.subject_id, "subjects"),
)
_FORGET_CHANGES = Statement(update(events).where(*_OF_SUBJECTS).values(changes="{}"))
_WITH_FIELD = Statement(
    select(events.c.number, events.c.changes).where(
        *_OF_SUBJECTS, events.c.changes.contains(bindparam("named"))
    )
)
_REWRITE_CHANGES = Statement(
    update(events).where(_IN_ACCOUNT, events.c.number == bindparam("event")).values(changes=bindparam("new")),
    across_projects="upkeep",
)


# All columns with event numbers.
_RENUMBER = [
    Statement(
        update(column.table)
        .where(in_account(column.table))
        .values({column.name: column + bindparam("step")}),
        across_projects="upkeep",
    )
    for table in metadata.sorted_tables
    for column in table.c
    if is_event_number(column)
] + [
    Statement(
        update(counters)
        .where(in_account(counters), counters.c.name.startswith("events"))
        .values(value=counters.c.value + bindparam("step"))
    )
]


def add(transaction: Transaction, added: Sequence[NewEvent]) -> None:
    """Insert events with the next numbers of their account; events of one transaction share a batch.

    The row of the counter stays locked until the commit, so that numbers become visible in order and without
    gaps. Other writers of the account wait for it; call this last.
    """
    transaction.run(_COUNT, events_count=len(added))
    rows = [
        {
            **event._asdict(),
            "changes": json.dumps(event.changes, ensure_ascii=False, default=time_text),
            "happened_at": transaction.now,
            "events_behind": len(added) - place,
            "events_together": len(added),
        }
        for place, event in enumerate(added, 1)
    ]
    if len(rows) == 1:
        transaction.run(_INSERT, **rows[0])
    else:
        transaction.run_many(_INSERT, rows)


def revision(transaction: Transaction, project_id: int) -> tuple[int | None, ...]:
    """Return the numbers of the last events of a project, and of the account apart from its projects.

    They differ after every change that can concern the project's tickets or how they are found.
    """
    return tuple(number for (number,) in transaction.all(_REVISION, project_id=project_id))


def behind(transaction: Transaction, reader: str) -> list[int]:
    """Return the accounts with events that a reader has not read."""
    return [account_id for (account_id,) in transaction.all(_BEHIND, reader=_row_of(reader))]


def positions(transaction: Transaction, reader: str) -> tuple[int, int]:
    """Return the numbers of the account's last event, and of the last one that a reader has read."""
    row = _row_of(reader)
    positions_read: dict[str, int] = dict(transaction.all(_POSITIONS, reader=row))
    return positions_read.get("events", 0), positions_read.get(row, 0)


def unread(transaction: Transaction, reader: str, some: int) -> list[StoredEvent]:
    """Return the next events of the account for a reader, and mark them as read.

    Other processes wait until the end of the transaction, so that each event is read once.
    """
    row = _row_of(reader)
    transaction.run(_BEGIN, reader=row)
    rows = transaction.all(_AFTER, after=transaction.value(_READ_SO_FAR, reader=row), some=some)
    unread_events = [decode(transaction, values) for values in rows]
    if unread_events:
        transaction.run(_NOTE_READ, reader=row, last=unread_events[-1].number)
    return unread_events


def set_aside(transaction: Transaction, reader: str) -> None:
    """Move a reader past its next event, and count that as set aside."""
    if unread(transaction, reader, 1):
        transaction.run(_BEGIN, reader=f"{SET_ASIDE_BY}{reader}")
        transaction.run(_COUNT_SET_ASIDE, reader=f"{SET_ASIDE_BY}{reader}")


def _row_of(reader: str) -> str:
    return f"{READ_BY}{reader}"


def forget_changes(
    transaction: Transaction,
    project_id: int | None,
    kind: str,
    subjects: Iterable[int | str],
    *,
    keep: str,
) -> None:
    """Erase the old and new values, except of one field, in events of subjects that leave a project."""
    which = {"project_id": project_id, "kind": kind, "subjects": [str(subject) for subject in subjects]}
    kept = transaction.all(_WITH_FIELD, named=f'"{keep}"', **which) if keep else []
    transaction.run(_FORGET_CHANGES, **which)
    rows = [(number, read_changes(written).get(keep)) for number, written in kept]
    transaction.run_many(
        _REWRITE_CHANGES,
        [{"event": number, "new": json.dumps({keep: values})} for number, values in rows if values],
    )


def remove_old(database: Database, days: int) -> int:
    """Remove the events of every account that are older than some days; return their number."""
    with database.read() as transaction:
        before, all_accounts = transaction.now - days * DAY, accounts.list_all(transaction)
    return sum(_forgotten(database, account.id, before) for account in all_accounts)


def _forgotten(database: Database, account_id: int, before: int) -> int:
    """Remove the events before the first one that is kept, and store the number of the last one removed.

    They are removed in batches, so that others can write in between.
    """
    with database.read(account_id) as transaction:
        oldest = transaction.value(_OLDEST)
        last = (transaction.value(_FIRST_KEPT, before=before) or transaction.value(_LAST) + 1) - 1
    removed = 0
    while oldest is not None and oldest <= last:
        up_to = min(oldest + _SOME - 1, last)
        with database.write(account_id) as transaction:
            removed += transaction.changed(_REMOVE, last=up_to)
            transaction.run(_BEGIN, reader=FORGOTTEN)
            transaction.run(_NOTE_READ, reader=FORGOTTEN, last=up_to)
        oldest = up_to + 1
    return removed


def begin_generation(transaction: Transaction) -> None:
    """Renumber the account's events with unused numbers after a backup has replaced newer data.

    A number that a client remembers then never refers to a different event. The new numbers start at the
    current time in milliseconds since 1970.
    """
    transaction.run(_BEGIN, reader=FORGOTTEN)
    last, forgotten = transaction.value(_LAST), transaction.value(_READ_SO_FAR, reader=FORGOTTEN)
    step = max(transaction.now // 1000, last + 1) - forgotten
    for statement in _RENUMBER:
        transaction.run(statement, step=step)
