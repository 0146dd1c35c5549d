"""Rows of changesets."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, insert, select

from skerry.database.rows import Shape
from skerry.database.statements import Row, Statement, in_project, inline_literal, unplanned_literal
from skerry.database.transactions import Transaction, microseconds
from skerry.resources.changesets import Changeset
from skerry.store.long_texts import CUT, LongTexts
from skerry.store.tables import changesets
from skerry.wire.record import changed

_STORED = {
    column.name: column
    for column in changesets.c
    if column.name not in ("account_id", "created_at", "changes", "committer_id", "committer_name")
}
_SHAPE = Shape(Changeset, _STORED)


def _changes(text: str) -> list[tuple[str, str]]:
    return [(code, path) for code, path in json.loads(text)]


_TEXTS = LongTexts(Changeset, changesets, "revision", read={"changes": _changes})
# Read separately: the list of changes is not a list of numbers, and most changesets have no committer.
_BY = (changesets.c.committer_id, changesets.c.committer_name)
_COLUMNS = (*_SHAPE.columns, *_BY, changesets.c.changes.label("pairs"))
_BEGINNINGS = (*_TEXTS.in_place_of(_SHAPE.columns), *_BY, _TEXTS.beginning("changes").label("pairs"))

_IN_PROJECT = in_project(changesets)
_BY_KEY = and_(_IN_PROJECT, changesets.c.revision == bindparam("revision"))

_KNOWN = Statement(
    select(changesets.c.revision).where(
        _IN_PROJECT, changesets.c.revision.in_(bindparam("revisions", expanding=True))
    )
)

_ONE = Statement(select(*_COLUMNS).where(_BY_KEY))


def _page(columns: Sequence[ColumnElement[Any]]) -> Statement:
    return Statement(
        select(*columns)
        .where(_IN_PROJECT)
        .order_by(changesets.c.changed_at.desc(), changesets.c.created_at.desc(), changesets.c.revision)
        .limit(inline_literal("limit"))
        .offset(unplanned_literal("offset"))
    )


_OF_PROJECT, _WHOLE_OF_PROJECT = _page(_BEGINNINGS), _page(_COLUMNS)

_COUNT = Statement(select(func.count()).select_from(changesets).where(_IN_PROJECT))

_INSERT = Statement(insert(changesets))

_DELETE = Statement(delete(changesets).where(_BY_KEY))


def known(transaction: Transaction, project_id: int, revisions: Iterable[str]) -> set[str]:
    """Return those of the revisions that a project has."""
    wanted = list(revisions)
    if not wanted:
        return set()
    return {row[0] for row in transaction.all(_KNOWN, project_id=project_id, revisions=wanted)}


def one(transaction: Transaction, project_id: int, revision: str) -> Changeset | None:
    """Return a changeset of a project."""
    row = transaction.one(_ONE, project_id=project_id, revision=revision)
    return _changeset(row, transaction) if row else None


def of_project(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Changeset]:
    """Return a page of a project's changesets, the last committed first.

    Long texts are shortened to the size of a response; a list of changes is complete or empty.
    """
    rows = transaction.all(_OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return _TEXTS.fitted(transaction, [_changeset(row, transaction) for row in rows])


def whole_page(transaction: Transaction, project_id: int, *, limit: int, offset: int) -> list[Changeset]:
    """Return a page like ``of_project`` with complete texts."""
    rows = transaction.all(_WHOLE_OF_PROJECT, project_id=project_id, limit=limit, offset=offset)
    return [_changeset(row, transaction) for row in rows]


def count(transaction: Transaction, project_id: int) -> int:
    """Return how many changesets a project has."""
    return int(transaction.value(_COUNT, project_id=project_id))


def add(
    transaction: Transaction, *, changes: list[tuple[str, str]], changed_at: datetime | None, **values: Any
) -> None:
    """Add a changeset, committed now by default; raises Conflict for a known revision."""
    transaction.run(
        _INSERT,
        **values,
        changes=json.dumps(changes, ensure_ascii=False, separators=(",", ":")),
        changed_at=microseconds(changed_at) if changed_at else transaction.now,
        created_at=transaction.now,
    )


def remove(transaction: Transaction, project_id: int, revision: str) -> None:
    """Remove a changeset."""
    transaction.run(_DELETE, project_id=project_id, revision=revision)


def _changeset(row: Row, transaction: Transaction) -> Changeset:
    *_, committer_id, committer_name, pairs = row
    changeset = _SHAPE.record(row[:-3], transaction)
    by = {"committer_id": committer_id, "committer_name": committer_name} if committer_name else {}
    return changed(changeset, changes=None if len(pairs) == CUT else _changes(pairs), **by)
