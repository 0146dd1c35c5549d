"""The full-text index of tickets on SQLite; ``sqlite.py`` describes its format.

The place of a ticket is a rank. A ticket that changes gets the next one of the whole database, so that within
an account the places have the order of the list. Tickets dated later than a change, because they come from an
archive or the clock was set back, move above it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from skerry.store.engine.statements import Row, Statement
from skerry.store.engine.transactions import Transaction
from skerry.store.search import sqlite
from skerry.store.search.documents import Document
from skerry.store.search.tree import Node
from skerry.text import words

LEFT_FREE = 1_000_000
"""How many places are left free below tickets that move up: so many changes do not move them again."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The place of a ticket, None if it has no words yet, and where it belongs in the list's order.

    ``later`` is the place of the ticket changed next after it, ``free`` the first place above all that are
    below ``later``; if the two are equal, no place is free. ``room`` is the number of bytes left for further
    words, None if unknown.
    """

    place: int | None
    updated_at: int | None
    room: int | None
    later: int
    free: int


_FIND = Statement(
    text("""
        WITH later AS (
            SELECT coalesce((
                SELECT place FROM search_places
                WHERE account_id = :account_id
                    AND (updated_at, project_id, number) > (:updated_at, :project_id, :number)
                ORDER BY updated_at, project_id, number LIMIT 1
            ), 9223372036854775807) AS place
        )
        SELECT p.place, p.updated_at, p.room, later.place,
            (SELECT coalesce(max(b.place), 0) + 1 FROM search_places b WHERE b.place < later.place)
        FROM later LEFT JOIN search_places p
            ON p.account_id = :account_id AND p.project_id = :project_id AND p.number = :number
    """)
)

_TOP = Statement(text("SELECT coalesce(max(place), 0) + 1 FROM search_places"), across_accounts=True)

_OUT_OF_ORDER = Statement(
    text("""
        SELECT updated_at, project_id, number FROM (
            SELECT updated_at, project_id, number, place,
                lag(place) OVER (ORDER BY updated_at, project_id, number) AS earlier
            FROM search_places WHERE account_id = :account_id
        ) AS listed
        WHERE place < earlier ORDER BY updated_at, project_id, number LIMIT 1
    """)
)

_FROM = Statement(
    text("""
        SELECT place FROM search_places
        WHERE account_id = :account_id
            AND (updated_at, project_id, number) >= (:updated_at, :project_id, :number)
        ORDER BY updated_at, project_id, number
    """)
)

_MOVES = (
    Statement(
        text("UPDATE search_places SET place = :place WHERE account_id = :account_id AND place = :old_place")
    ),
    Statement(text("UPDATE search_words SET rowid = :place WHERE rowid = :old_place"), across_accounts=True),
)

_REMOVE_LOST = Statement(
    text("""
        DELETE FROM search_words
        WHERE rowid IN (SELECT id FROM search_words_content EXCEPT SELECT place FROM search_places)
    """),
    across_accounts=True,
)

_ENTER = Statement(
    text("""
        INSERT INTO search_places (place, account_id, project_id, number, updated_at, room)
        VALUES (:place, :account_id, :project_id, :number, :updated_at, :room)
    """)
)

_RISE = Statement(
    text("""
        UPDATE search_places SET place = :place, updated_at = :updated_at, room = :room
        WHERE account_id = :account_id AND place = :old_place
    """)
)

_WRITE = Statement(
    text("""
        INSERT INTO search_words (rowid, title, body, comments, place)
        VALUES (:place, :title, :body, :comments,
            '_ _' || :account_id || ' _' || :account_id || '_' || :project_id)
    """)
)

_REMOVE = Statement(text("DELETE FROM search_words WHERE rowid = :old_place"), across_accounts=True)

_RISE_AND_ADD = Statement(
    text("""
        UPDATE search_words SET rowid = :place, comments = comments ||
            CASE WHEN :comment = '' OR comments = '' THEN '' ELSE ' _ ' END || :comment
        WHERE rowid = :old_place
    """),
    across_accounts=True,
)


def keep(transaction: Transaction, documents: Iterable[Document]) -> None:
    """Replace the words of some tickets, and their places if they have changed."""
    fitting = [_keep(transaction, document) for document in documents]
    if not all(fitting):
        put_in_order(transaction)


def append(transaction: Transaction, documents: Iterable[Document]) -> None:
    """Add the words of new tickets; ``put_in_order`` must follow once all are there."""
    for document in documents:
        _keep(transaction, document)


def remove_lost(transaction: Transaction) -> None:
    """Remove words whose place belongs to no ticket."""
    transaction.run(_REMOVE_LOST)


def out_of_order(transaction: Transaction) -> Row | None:
    """Return the first ticket of the account that is not above its predecessors in the list, if any."""
    return transaction.one(_OUT_OF_ORDER)


def readings(transaction: Transaction, project_ids: Sequence[int], node: Node) -> dict[str, list[Any]]:
    """Return the places of the tickets with given words, reading the index in both directions."""
    text, values = sqlite.Texts(transaction, project_ids).match(node)
    asked = f"SELECT w.rowid FROM search_words w WHERE w.search_words MATCH {text} ORDER BY w.rowid"  # noqa: S608 - our own words
    found = {
        name: [row[0] for row in transaction.sql(f"{asked} {direction}", values)]
        for name, direction in (("the index upwards", "ASC"), ("the index downwards", "DESC"))
    }
    found["the index downwards"].reverse()
    return found


def put_in_order(transaction: Transaction) -> None:
    """Move the tickets of the account up, beginning with the first that is not above its predecessors."""
    first = out_of_order(transaction)
    if first is None:
        return
    updated_at, project_id, number = first
    start = transaction.value(_TOP) + LEFT_FREE
    moving = transaction.all(_FROM, updated_at=updated_at, project_id=project_id, number=number)
    for place, (old_place,) in enumerate(moving, start):
        for move in _MOVES:
            transaction.run(move, place=place, old_place=old_place)


def _keep(transaction: Transaction, document: Document) -> bool:
    """Replace the words of a ticket; return whether its place is in the order of the list."""
    key = {"project_id": document.project_id, "number": document.number, "updated_at": document.updated_at}
    texts = {
        "title": " ".join(document.title),
        "body": " ".join(document.body),
        "comments": " _ ".join(" ".join(words) for words in document.comments),
    }
    found = _find(transaction, key)
    place = _place(transaction, found, document.updated_at)
    if found.place is None:
        transaction.run(_ENTER, place=place, room=document.room, **key)
    else:
        _rise(transaction, found, place, document.updated_at, document.room)
        transaction.run(_REMOVE, old_place=found.place)
    transaction.run(_WRITE, place=place, project_id=document.project_id, **texts)
    return place < found.later


def add(transaction: Transaction, key: tuple[int, int], comment: str) -> bool:
    """Add the words of a comment, which may be empty, to a ticket that changes now.

    Returns whether that was possible, which requires that the remaining room is known.
    """
    now = transaction.now
    found = _find(transaction, {"project_id": key[0], "number": key[1], "updated_at": now})
    if found.room is None:
        return False
    place = _place(transaction, found, now)
    (more,), room = words.kept([comment], found.room)
    _rise(transaction, found, place, now, room)
    transaction.run(_RISE_AND_ADD, place=place, old_place=found.place, comment=" ".join(more))
    if place > found.later:
        put_in_order(transaction)
    return True


def _rise(transaction: Transaction, found: _Found, place: int, updated_at: int, room: int) -> None:
    transaction.run(_RISE, place=place, updated_at=updated_at, room=room, old_place=found.place)


def _find(transaction: Transaction, key: Mapping[str, int]) -> _Found:
    row: Any = transaction.one(_FIND, **key)
    return _Found(*row)


def _place(transaction: Transaction, found: _Found, updated_at: int) -> int:
    """Return the place that a ticket keeps or gets: the free one in the list's order, or else the next."""
    if found.place is not None and found.updated_at == updated_at:
        return found.place
    return found.free if found.free < found.later else int(transaction.value(_TOP))
