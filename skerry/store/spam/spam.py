"""Removals of spammers: their state, and the rows that were taken out, with which they are undone.

A thing is a ticket with all of its rows, a text, a comment on a message, a held text, that somebody watches a
ticket, or a profile. Its rows are JSON, by table. The files stay in the storage, named by ``removed_files``,
until the rows are deleted.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from sqlalchemy import Table, bindparam, delete, func, insert, or_, select, update

from skerry.database.rows import timestamp
from skerry.database.statements import OneOf, Statement, in_account, inline_literal, insert_into
from skerry.database.transactions import DAY, Transaction
from skerry.resources.spam import SpamRemoval
from skerry.store.attachments import key_of
from skerry.store.counts import counters
from skerry.store.tables import removed_files, removed_things, spam_removals, users

UNDO_PERIOD = 7 * DAY
"""How long a removal can be undone, in microseconds."""

REMOVING, REMOVED, RESTORING, DELETING = "removing", "removed", "restoring", "deleting"
"""The states of a removal: work of the background, but for ``removed``."""

MARK = "mark"
"""The kind of a thing that is only the mark of a text, and no text of its own."""

WATCH, PROFILE = "watch", "profile"
"""The kinds of a thing that are no texts either."""

Rows = Mapping[str, list[dict[str, Any]]]
"""Rows of a thing, by table."""


class StoredRemoval(NamedTuple):
    """A removal: whose, by whom, since when, and whether the login was disabled before."""

    user_id: int
    creator_id: int
    created_at: int
    state: str
    was_disabled: int


class Thing(NamedTuple):
    """A thing that was taken out of a project, or of none (0), with its rows."""

    id: int
    kind: str
    project_id: int
    number: int
    version: int
    rows: Rows


_HERE = in_account(spam_removals)
_OF_USER = (_HERE, spam_removals.c.user_id == bindparam("of_user"))
_STORED = tuple(spam_removals.c[name] for name in StoredRemoval._fields)

_ONE = Statement(select(*_STORED).where(*_OF_USER))
_LOCK = Statement(select(*_STORED).where(*_OF_USER).with_for_update())
_INSERT = Statement(insert_into(spam_removals))
_SET_STATE = Statement(update(spam_removals).where(*_OF_USER).values(state=bindparam("new_state")))
_BEGIN_AGAIN = Statement(
    update(spam_removals).where(*_OF_USER).values(created_at=bindparam("moment"), was_disabled=0)
)
_REMOVE = Statement(delete(spam_removals).where(*_OF_USER))
_DUE = Statement(
    select(*_STORED)
    .where(_HERE, or_(spam_removals.c.state != REMOVED, spam_removals.c.created_at <= bindparam("before")))
    .order_by(spam_removals.c.created_at)
)

_THINGS = (in_account(removed_things), removed_things.c.user_id == bindparam("of_user"))
_count = (
    select(func.count())
    .select_from(removed_things)
    .where(
        in_account(removed_things),
        removed_things.c.user_id == spam_removals.c.user_id,
        *(removed_things.c.kind != kind for kind in (MARK, WATCH, PROFILE)),
    )
    .correlate(spam_removals)
    .scalar_subquery()
)
_profile = (
    select(func.max(removed_things.c.content))
    .where(
        in_account(removed_things),
        removed_things.c.user_id == spam_removals.c.user_id,
        removed_things.c.kind == PROFILE,
    )
    .correlate(spam_removals)
    .scalar_subquery()
)
_creator = users.alias("creator")
_LIST = Statement(
    select(*_STORED, users.c.name, _profile, _creator.c.name, _count)
    .select_from(
        spam_removals.join(users, users.c.id == spam_removals.c.user_id).outerjoin(
            _creator, _creator.c.id == spam_removals.c.creator_id
        )
    )
    .where(_HERE, spam_removals.c.state != DELETING)
    .order_by(spam_removals.c.created_at.desc(), spam_removals.c.user_id),
    across_projects="administration",
)

_ADD_THING = Statement(insert_into(removed_things))
_SOME_THINGS = Statement(
    select(*(removed_things.c[name] for name in (*Thing._fields[:-1], "content")))
    .where(*_THINGS)
    .order_by(removed_things.c.id)
    .limit(inline_literal("some")),
    across_projects="administration",
)
_REMOVE_THINGS = Statement(
    delete(removed_things).where(*_THINGS, OneOf(removed_things.c.id, "ids")),
    across_projects="administration",
)

_FILES = (in_account(removed_files), removed_files.c.user_id == bindparam("of_user"))
_ADD_FILES = Statement(insert_into(removed_files))
_FORGET_FILES = Statement(delete(removed_files).where(*_FILES))
_SOME_FILES = Statement(
    select(removed_files.c.storage, removed_files.c.code).where(*_FILES).limit(inline_literal("some"))
)
_REMOVE_FILES = Statement(delete(removed_files).where(*_FILES, OneOf(removed_files.c.code, "codes")))
_KNOWN = Statement(
    select(removed_files.c.code).where(removed_files.c.code.in_(bindparam("codes", expanding=True))),
    across_accounts=True,
)


def one(transaction: Transaction, user_id: int, *, lock: bool = False) -> StoredRemoval | None:
    """Return the removal of a user, and lock it if that is asked for."""
    row = transaction.one(_LOCK if lock else _ONE, of_user=user_id)
    return StoredRemoval(*row) if row else None


def add(transaction: Transaction, user_id: int, creator_id: int, *, was_disabled: bool) -> None:
    """Add a removal, whose work is done in the background."""
    transaction.run(
        _INSERT,
        user_id=user_id,
        creator_id=creator_id,
        created_at=transaction.now,
        state=REMOVING,
        was_disabled=int(was_disabled),
    )


def begin_again(transaction: Transaction, user_id: int) -> None:
    """Store that a removal begins now, with a login that was not disabled."""
    transaction.run(_BEGIN_AGAIN, of_user=user_id, moment=transaction.now)


def set_state(transaction: Transaction, user_id: int, state: str) -> None:
    """Store what is done next."""
    transaction.run(_SET_STATE, of_user=user_id, new_state=state)


def remove(transaction: Transaction, user_id: int) -> None:
    """Remove a removal that was undone or can no longer be."""
    transaction.run(_FORGET_FILES, of_user=user_id)
    transaction.run(_REMOVE, of_user=user_id)


def due(transaction: Transaction) -> list[StoredRemoval]:
    """Return the removals of the account that have work to do, or can no longer be undone."""
    rows = transaction.all(_DUE, before=transaction.now - UNDO_PERIOD)
    return [StoredRemoval(*row) for row in rows]


def list_all(transaction: Transaction) -> list[SpamRemoval]:
    """Return the removals of the account, the latest first."""
    return [_as_shown(StoredRemoval(*row[:-4]), *row[-4:]) for row in transaction.all(_LIST)]


def _as_shown(
    kept: StoredRemoval, name: str, profile: str | None, creator: str | None, count: int
) -> SpamRemoval:
    before = json.loads(profile)["users"][0] if profile else {}
    return SpamRemoval(
        count=count,
        created_at=timestamp(kept.created_at),
        creator_id=kept.creator_id,
        creator_name=creator,
        expires_at=timestamp(kept.created_at + UNDO_PERIOD),
        state=kept.state,
        user_id=kept.user_id,
        user_name=before.get("name", name),
    )


def put(
    transaction: Transaction,
    user_id: int,
    kind: str,
    rows: Rows,
    *,
    project_id: int = 0,
    number: int = 0,
    version: int = 0,
) -> None:
    """Store the rows of a thing that is taken out, and the codes of its files."""
    place = {"project_id": project_id, "number": number, "version": version}
    thing_id = counters.next_id(transaction, "removed_things")
    content = json.dumps(rows, ensure_ascii=False)
    transaction.run(_ADD_THING, id=thing_id, user_id=user_id, kind=kind, content=content, **place)
    keep_files(
        transaction, user_id, transaction.account_id, [row["code"] for row in rows.get("attachments", ())]
    )


def keep_files(transaction: Transaction, user_id: int, storage: int, codes: Iterable[str]) -> None:
    """Keep files in the storage that no row refers to any more."""
    transaction.run_many(
        _ADD_FILES, [{"user_id": user_id, "storage": storage, "code": code} for code in codes]
    )


def things(transaction: Transaction, user_id: int, some: int) -> list[Thing]:
    """Return some of the things of a user that were taken out, the first ones first."""
    rows = transaction.all(_SOME_THINGS, of_user=user_id, some=some)
    return [
        Thing(thing_id, kind, project_id, number, version, json.loads(content))
        for thing_id, kind, project_id, number, version, content in rows
    ]


def forget(transaction: Transaction, user_id: int, ids: list[int]) -> None:
    """Remove things that were put back, or are deleted for good."""
    transaction.run(_REMOVE_THINGS, of_user=user_id, ids=ids)


def release_files(transaction: Transaction, user_id: int, some: int) -> int:
    """Remove some files of things that are deleted, after the commit; return how many."""
    rows = transaction.all(_SOME_FILES, of_user=user_id, some=some)
    if rows:
        transaction.run(_REMOVE_FILES, of_user=user_id, codes=[code for _, code in rows])
        if transaction.blobs:
            keys = [key_of(storage, code) for storage, code in rows]
            transaction.after_durable_commit(partial(transaction.blobs.release, keys))
    return len(rows)


def known(transaction: Transaction, codes: Iterable[str]) -> set[str]:
    """Return those of the codes that are kept for an undo, in any account."""
    return {row[0] for row in transaction.all(_KNOWN, codes=list(codes))}


@cache
def insertion(table: Table, names: frozenset[str]) -> Statement:
    """Return the statement that puts a row with some columns back as it was.

    Columns that the table got since the row was taken out have their default.
    """
    kept = [column.name for column in table.c if column.name in names or column.name == "account_id"]
    return Statement(insert(table).values({name: bindparam(name) for name in kept}))
