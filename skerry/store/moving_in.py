"""Rows of uploaded imports; their files are in the storage until they are imported."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from sqlalchemy import bindparam, func, select, update

from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.resources.moving_in import Import
from skerry.store.attachments import key_of
from skerry.store.table_rows import Rows
from skerry.store.tables import events, imports

CHECKING, CHECKED, RUNNING, DONE, FAILED = "checking", "checked", "running", "done", "failed"

# The owner of a row is the account itself.
_HERE = in_account(imports)
_ONE = (_HERE, imports.c.id == bindparam("row_id"))

ROWS = Rows(Import, imports, scope="account_id", hidden=("code",))

_ALL = Statement(select(*ROWS.shape.columns).where(_HERE).order_by(imports.c.id.desc()))
_WAITING = Statement(
    select(*ROWS.shape.columns)
    .where(_HERE, imports.c.state.in_((CHECKING, RUNNING)))
    .order_by(imports.c.id)
    .limit(1)
)
_CODE = Statement(select(imports.c.code).where(*_ONE))
_MOMENT = Statement(select(imports.c.updated_at).where(*_ONE))
_KNOWN = Statement(
    select(imports.c.code).where(_HERE, imports.c.code.in_(bindparam("codes", expanding=True)))
)
_CHANGES_SINCE = Statement(
    select(func.count())
    .select_from(events)
    .where(in_project(events), events.c.happened_at > bindparam("since"))
)
_IS_KNOWN_SINCE = Statement(
    select(func.count())
    .select_from(events)
    .where(
        in_account(events),
        events.c.subject_kind == "import",
        events.c.subject_id == bindparam("subject"),
        events.c.happened_at <= bindparam("since"),
    ),
    across_projects="administration",
)
_SET = {
    name: Statement(
        update(imports).where(*_ONE).values({name: bindparam("value", type_=imports.c[name].type)})
    )
    for name in (
        *("kind", "name", "columns", "markup", "address", "people", "code"),
        *("state", "report", "error", "stage", "stage_began_at"),
        *("done", "total", "project_ids", "updated_at"),
    )
}


def list_all(transaction: Transaction) -> list[Import]:
    """Return all imports, newest first."""
    return ROWS.shape.all(transaction, _ALL)


def waiting(transaction: Transaction) -> Import | None:
    """Return the oldest import that must be checked or carried out."""
    return ROWS.shape.one(transaction, _WAITING)


def code(transaction: Transaction, import_id: int) -> str:
    """Return the code of the file of an import; empty once it has been imported."""
    return str(transaction.value(_CODE, row_id=import_id) or "")


def known(transaction: Transaction, codes: Iterable[str]) -> set[str]:
    """Return the codes among these that imports of the account have."""
    return {row[0] for row in transaction.all(_KNOWN, codes=list(codes))}


def change(transaction: Transaction, import_id: int, **values: Any) -> None:
    """Set some values of an import."""
    for name, value in values.items():
        transaction.run(_SET[name], row_id=import_id, value=value)


def release(transaction: Transaction, import_id: int) -> None:
    """Remove the file of an import after the commit; the row stays."""
    found = code(transaction, import_id)
    if found and transaction.blobs:
        change(transaction, import_id, code="")
        key = key_of(transaction.account_id, found)
        transaction.after_durable_commit(partial(transaction.blobs.release, [key]))


def changes_since(transaction: Transaction, project_id: int, since: int) -> int:
    """Return how many events a project has after a moment."""
    return int(transaction.value(_CHANGES_SINCE, project_id=project_id, since=since))


def is_known_since(transaction: Transaction, import_id: int, since: int) -> bool:
    """Return whether the events since the end of an import are still kept: its own, from before, are."""
    return bool(transaction.value(_IS_KNOWN_SINCE, subject=str(import_id), since=since))


def moment(transaction: Transaction, import_id: int) -> int:
    """Return when an import last changed, in microseconds."""
    return int(transaction.value(_MOMENT, row_id=import_id))
