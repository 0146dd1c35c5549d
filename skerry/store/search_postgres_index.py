"""Keeps the words of tickets on PostgreSQL; ``search_postgres.py`` says in what form."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import text

from skerry.store.search_documents import Document
from skerry.store.statements import Statement
from skerry.store.transactions import Transaction

_KEEP = Statement(
    text("""
        INSERT INTO search_documents (account_id, project_id, number, words, title, body, comments)
        VALUES (:account_id, :project_id, :number, array_to_tsvector(string_to_array(:words, ' ')),
            :title, :body, :comments)
        ON CONFLICT (account_id, project_id, number) DO UPDATE SET
            words = excluded.words, title = excluded.title, body = excluded.body,
            comments = excluded.comments
    """)
)


def keep(transaction: Transaction, documents: Iterable[Document]) -> None:
    """Replace the words of some tickets."""
    transaction.run_many(_KEEP, [_row(transaction.account_id, document) for document in documents])


def _row(account_id: int, document: Document) -> dict[str, Any]:
    everywhere = {*document.title, *document.body}.union(*document.comments)
    return {
        "project_id": document.project_id,
        "number": document.number,
        # Words have no blanks; an array would be quoted word by word.
        "words": " ".join(
            [
                *[f"{account_id}:{word}" for word in everywhere],
                *[f"{account_id}/{word}" for word in set(document.title)],
            ]
        ),
        "title": _spaced([document.title]),
        "body": _spaced([document.body]),
        "comments": _spaced(document.comments),
    }


def _spaced(texts: list[list[str]]) -> str:
    return "\n".join(f" {' '.join(words)} " for words in texts)
