"""Imported projects that still miss what leads from one to another, because their import has not ended."""

from collections.abc import Iterable, Mapping

from sqlalchemy import delete, select

from skerry.database.rows import Columns
from skerry.database.statements import Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import unfinished_imports as table
from skerry.wire import json

_ALL = Statement(select(table.c.project_id, table.c.ids).where(in_account(table)), across_projects="upkeep")
_END = Statement(delete(table).where(in_project(table)))

_read = json.decoder(dict[int, int])


def row(project_id: int, ids: Mapping[int, int]) -> Columns:
    """Return the row that marks a project, with the ids here of the projects of its archive."""
    return {"project_id": project_id, "ids": json.encode(ids).decode()}


def everything(transaction: Transaction) -> dict[int, dict[int, int]]:
    """Return the marked projects of the account, each with the ids here of the projects of its archive."""
    return {project_id: _read(ids.encode()) for project_id, ids in transaction.all(_ALL)}


def end(transaction: Transaction, project_ids: Iterable[int]) -> None:
    """Remove the marks of some projects."""
    transaction.run_many(_END, [{"project_id": each} for each in project_ids])
