"""Stored counts of a project's tickets by a value, updated by each change."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table, delete, func, insert, select, text

from skerry.store.engine.statements import Statement, in_project
from skerry.store.engine.transactions import Transaction


class StoredCounts:
    """Counts in one table, keyed by the account, the project and the counted value."""

    def __init__(self, stored: Table, counted: Table) -> None:
        """Count the rows of another table, which has the same columns as the key."""
        key = [column.name for column in stored.primary_key]
        self._what = key[2:]
        names, values = ", ".join(key), ", ".join(f":{name}" for name in key)
        self._move = Statement(
            text(f"""
                INSERT INTO {stored.name} ({names}, tickets_count) VALUES ({values}, :step)
                ON CONFLICT ({names})
                DO UPDATE SET tickets_count = {stored.name}.tickets_count + excluded.tickets_count
            """)  # noqa: S608 - our own names
        )
        self._forget = Statement(delete(stored).where(in_project(stored)))
        columns = [counted.c[name] for name in key]
        rows = select(*columns, func.count()).where(in_project(counted)).group_by(*columns)
        self._count = Statement(insert(stored).from_select([*key, "tickets_count"], rows))

    def move(self, transaction: Transaction, steps: Mapping[tuple[Any, ...], int]) -> None:
        """Add to the counts of projects and values."""
        rows = [
            {"project_id": project_id, **dict(zip(self._what, what, strict=True)), "step": step}
            for (project_id, *what), step in steps.items()
        ]
        transaction.run_many(self._move, rows)

    def recount(self, transaction: Transaction, project_id: int) -> None:
        """Count the tickets of a locked project."""
        transaction.run(self._forget, project_id=project_id)
        transaction.run(self._count, project_id=project_id)
