"""All texts with their HTML, in all tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, and_, bindparam, func, select, tuple_, update

from skerry.database import locks
from skerry.database.statements import Statement, in_account, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.tables import changesets, messages, milestones, projects, tickets, versions


class StoredText(NamedTuple):
    """A text and its HTML; ``key`` is that of its row in the account."""

    key: tuple[Any, ...]
    project_id: int
    text: str
    html: str


@dataclass(frozen=True)
class _Statements:
    next: Statement
    update: Statement
    count: Statement


def _statements(table: Table, name: str, keys: Sequence[str], project: str) -> _Statements:
    text, html = table.c[name], table.c[f"{name}_html"]
    key = [table.c[each] for each in keys]
    names = [bindparam(f"key_{each}", type_=table.c[each].type) for each in keys]
    here = in_account(table)
    some = and_(here, text != "", tuple_(*key) > tuple_(*names))
    this = and_(here, *(column == value for column, value in zip(key, names, strict=True)))
    wanted: list[Column[Any]] = [*key, table.c[project], text, html]
    return _Statements(
        next=Statement(
            select(*wanted).where(some).order_by(*key).limit(inline_literal("limit")),
            across_projects="upkeep",
        ),
        # The text may have changed since it was read.
        update=Statement(
            update(table)
            .where(this, text == bindparam("old_text"))
            .values({html.name: bindparam("new_html")}),
            across_projects="upkeep",
        ),
        count=Statement(select(func.count()).select_from(table).where(text != ""), across_accounts=True),
    )


@dataclass(frozen=True)
class TextKind:
    """A kind of text: its table, and a key before all others."""

    statements: _Statements
    keys: tuple[str, ...]
    first: tuple[Any, ...]
    touch: Callable[[Transaction, StoredText], None] = lambda _transaction, _text: None

    def count(self, transaction: Transaction) -> int:
        """Return the number of these texts in all accounts."""
        return int(transaction.value(self.statements.count))

    def after(self, transaction: Transaction, key: tuple[Any, ...], *, limit: int) -> list[StoredText]:
        """Return the next texts of the account after a key."""
        rows = transaction.all(self.statements.next, limit=limit, **self._named(key))
        width = len(self.keys)
        return [StoredText(row[:width], row[width], row[width + 1], row[width + 2] or "") for row in rows]

    def replace(self, transaction: Transaction, text: StoredText, html: str) -> bool:
        """Replace the HTML of a text, unless the text has changed; return whether it was replaced."""
        locks.lock_shared(transaction, text.project_id)
        self.touch(transaction, text)
        named = self._named(text.key)
        return bool(transaction.changed(self.statements.update, old_text=text.text, new_html=html, **named))

    def _named(self, key: tuple[Any, ...]) -> dict[str, Any]:
        return {f"key_{name}": value for name, value in zip(self.keys, key, strict=True)}


# The ticket's revision shows that a version has changed.
_TOUCH = Statement(
    update(tickets)
    .where(
        in_account(tickets),
        tickets.c.project_id == bindparam("project_id"),
        tickets.c.number == bindparam("number"),
    )
    .values(revision=tickets.c.revision + 1)
)


def _touch(transaction: Transaction, text: StoredText) -> None:
    transaction.run(_TOUCH, project_id=text.project_id, number=text.key[1])


def _kind(table: Table, name: str, *keys: str, project: str = "project_id", **more: Any) -> TextKind:
    first = tuple(0 if table.c[key].type.python_type is int else "" for key in keys)
    return TextKind(_statements(table, name, keys, project), keys, first, **more)


KINDS = (
    _kind(projects, "description", "id", project="id"),
    _kind(milestones, "goals", "id"),
    _kind(messages, "body", "id"),
    _kind(changesets, "body", "project_id", "revision"),
    _kind(tickets, "body", "project_id", "number"),
    _kind(versions, "body", "project_id", "number", "version", touch=_touch),
)
"""All kinds of texts."""


def count(transaction: Transaction) -> int:
    """Return the number of texts in all accounts."""
    return sum(kind.count(transaction) for kind in KINDS)
