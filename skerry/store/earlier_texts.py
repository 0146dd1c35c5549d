"""Earlier texts of versions and messages."""

from typing import Any

from sqlalchemy import Table, and_, bindparam, delete, func, insert, select

from skerry.database.rows import Shape
from skerry.database.statements import Statement, in_project
from skerry.database.transactions import Transaction
from skerry.resources.texts import EarlierText
from skerry.store.long_texts import LongTexts
from skerry.store.tables import message_texts, messages, users, version_texts, versions

MAX = 100
"""How many earlier texts of one text are kept."""


class EarlierTexts:
    """The table with the earlier texts of the rows of another one.

    ``keys`` maps the columns that identify a row in a project to those of the other table.
    """

    def __init__(self, table: Table, edited: Table, **keys: str) -> None:
        subject = and_(in_project(table), *(table.c[key] == bindparam(key) for key in keys))
        row = and_(in_project(edited), *(edited.c[own] == bindparam(key) for key, own in keys.items()))
        one = and_(subject, table.c.id == bindparam("text_id"))
        columns = {name: table.c[name] for name in ("id", "body", "user_id", "created_at")}
        self._keys = tuple(keys)
        self._shape = Shape(EarlierText, {**columns, "user_name": users.c.name})
        self._texts = LongTexts(EarlierText, table, "id", where=subject)
        rows = table.join(users, users.c.id == table.c.user_id)
        beginnings = select(*self._texts.in_place_of(self._shape.columns)).select_from(rows)
        self._all = Statement(beginnings.where(subject).order_by(table.c.id))
        self._one = Statement(select(*self._shape.columns).select_from(rows).where(one))
        present = select(
            edited.c.account_id,
            edited.c.project_id,
            *(edited.c[own] for own in keys.values()),
            edited.c.body_edits + 1,
            edited.c.body,
            func.coalesce(edited.c.body_edited_by, edited.c.user_id),
            func.coalesce(edited.c.body_edited_at, edited.c.created_at),
        ).where(row, edited.c.body != "")
        self._add = Statement(
            insert(table).from_select(
                ["account_id", "project_id", *keys, "id", "body", "user_id", "created_at"], present
            )
        )
        self._remove_old = Statement(delete(table).where(subject, table.c.id <= bindparam("up_to")))
        self._remove_all = Statement(delete(table).where(subject))
        self._remove = Statement(delete(table).where(one))

    def list_all(self, transaction: Transaction, **subject: Any) -> list[EarlierText]:
        """Return the earlier texts of a subject, oldest first, with long ones cut to the budget."""
        texts = self._shape.all(transaction, self._all, **subject)
        return self._texts.fitted(transaction, texts, **subject)

    def one(self, transaction: Transaction, text_id: int, **subject: Any) -> EarlierText | None:
        """Return one earlier text of a subject."""
        return self._shape.one(transaction, self._one, text_id=text_id, **subject)

    def add(self, transaction: Transaction, edit: Statement, **values: Any) -> None:
        """Add the present text of a subject, then edit it; only the newest earlier texts are kept.

        ``edit`` increments the number of edits and returns it.
        """
        subject = {"project_id": values["project_id"], **{key: values[key] for key in self._keys}}
        transaction.run(self._add, **subject)
        edits = int(transaction.value(edit, **values))
        transaction.run(self._remove_old, up_to=edits - MAX, **subject)

    def remove(self, transaction: Transaction, text_id: int, **subject: Any) -> bool:
        """Remove one earlier text of a subject; return whether it existed."""
        return bool(transaction.changed(self._remove, text_id=text_id, **subject))

    def remove_all(self, transaction: Transaction, **subject: Any) -> None:
        """Remove all earlier texts of a subject."""
        transaction.run(self._remove_all, **subject)


OF_VERSIONS = EarlierTexts(version_texts, versions, number="number", version="version")
OF_MESSAGES = EarlierTexts(message_texts, messages, message_id="id")
