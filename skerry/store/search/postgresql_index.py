"""Keeps the words of tickets on PostgreSQL; ``postgresql.py`` says in what form."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import text

from skerry.store.search.documents import Document
from skerry.store.statements import Statement
from skerry.store.transactions import Transaction
from skerry.text import words

_KEEP = Statement(
    text("""
        INSERT INTO search_documents (account_id, project_id, number, words, title, body, comments, room)
        VALUES (:account_id, :project_id, :number, array_to_tsvector(string_to_array(:words, ' ')),
            :title, :body, :comments, :room)
        ON CONFLICT (account_id, project_id, number) DO UPDATE SET
            words = excluded.words, title = excluded.title, body = excluded.body,
            comments = excluded.comments, room = excluded.room
    """)
)

_ROOM = Statement(
    text("""
        SELECT room FROM search_documents
        WHERE account_id = :account_id AND project_id = :project_id AND number = :number
    """)
)

_ADD = Statement(
    text("""
        UPDATE search_documents SET
            words = words || array_to_tsvector(string_to_array(:words, ' ')),
            comments = CASE WHEN comments = '' OR :comment = '' THEN comments || :comment
                ELSE comments || chr(10) || :comment END,
            room = :room
        WHERE account_id = :account_id AND project_id = :project_id AND number = :number
    """)
)


def keep(transaction: Transaction, documents: Iterable[Document]) -> None:
    """Replace the words of some tickets."""
    transaction.run_many(_KEEP, [_row(transaction.account_id, document) for document in documents])


def add(transaction: Transaction, key: tuple[int, int], comment: str) -> bool:
    """Keep the words of one more comment on a ticket; say whether it is known how many have room."""
    if not comment:
        return True
    project_id, number = key
    before = transaction.value(_ROOM, project_id=project_id, number=number)
    if before is None:
        return False
    (more,), room = words.kept([comment], before)
    if room < before:
        transaction.run(
            _ADD,
            project_id=project_id,
            number=number,
            words=" ".join(f"{transaction.account_id}:{word}" for word in set(more)),
            comment=_spaced([more] if more else []),
            room=room,
        )
    return True


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
        "room": document.room,
    }


def _spaced(texts: list[list[str]]) -> str:
    return "\n".join(f" {' '.join(words)} " for words in texts)
