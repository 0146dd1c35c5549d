"""Texts of moved tickets, which are rewritten without an edit."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sqlalchemy import Table, and_, bindparam, func, select, update

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import tickets, version_texts, versions
from skerry.store.ticket_rows.batches import AT_ONCE

Rewrite = Callable[[str, str], tuple[str, str]]
"""Returns the new text and HTML for a text and its HTML, which is empty where none is stored."""


class _Texts(NamedTuple):
    """The texts in one column: which contain a reference, how to read one, and how to replace it."""

    keys: tuple[str, ...]
    find: Statement
    read: Statement
    replace: Statement


def _texts(table: Table, name: str, *keys: str) -> _Texts:
    text, html = table.c[name], table.c.get(f"{name}_html")
    this = and_(in_project(table), *(table.c[key] == bindparam(f"key_{key}") for key in keys))
    new: dict[str, Any] = {text.name: bindparam("new_text")}
    if html is not None:
        new[html.name] = bindparam("new_html")
    return _Texts(
        keys,
        Statement(
            select(*(table.c[key] for key in keys)).where(
                in_project(table),
                OneOf(table.c.number, "numbers"),
                text.contains("#"),
                func.length(text) <= bindparam("longest"),
            )
        ),
        Statement(select(*[text] if html is None else [text, html]).where(this)),
        Statement(update(table).where(this).values(new)),
    )


_ALL = (
    _texts(tickets, "body", "number"),
    _texts(tickets, "original_body", "number"),
    _texts(versions, "body", "number", "version"),
    _texts(version_texts, "body", "number", "version", "id"),
)


def rewrite(
    transaction: Transaction, project_id: int, numbers: Iterable[int], change: Rewrite, longest: int
) -> None:
    """Rewrite the texts of tickets up to a length that contain a reference; no version or time changes."""
    for some in chunks(sorted(numbers), AT_ONCE):
        for texts in _ALL:
            for key in transaction.all(texts.find, project_id=project_id, numbers=some, longest=longest):
                named = {f"key_{name}": value for name, value in zip(texts.keys, key, strict=True)}
                _rewrite_one(transaction, texts, {"project_id": project_id, **named}, change)


def _rewrite_one(transaction: Transaction, texts: _Texts, named: dict[str, Any], change: Rewrite) -> None:
    text, *rest = transaction.one(texts.read, **named) or ("",)
    html = (rest and rest[0]) or ""
    new_text, new_html = change(text, html)
    if (new_text, new_html) != (text, html):
        transaction.run(texts.replace, **named, new_text=new_text, new_html=new_html)
