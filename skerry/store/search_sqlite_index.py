"""Keeps the words of tickets on SQLite; ``search_sqlite.py`` says in what form.

The place of a ticket follows from when it was last changed; where that place does not fit between
the ticket's neighbours in the list, which only happens to tickets that change at the same moment,
it gets one that does, or its neighbours make room.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from skerry.store.search_documents import Document
from skerry.store.statements import Statement
from skerry.store.transactions import Transaction
from skerry.text import words

SPACING = 1000
"""Places between two tickets that change a microsecond apart."""

_FIRST, _LAST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Where a ticket stands, if it does, and between which places it should; one of them may be its own.

    ``room`` is how many bytes are left for more words, None if that is not known.
    """

    place: int | None
    updated_at: int | None
    room: int | None
    below: int
    above: int
    wanted: int
    taken: bool


_SURROUNDINGS = Statement(
    text("""
        SELECT
            (SELECT place FROM search_places
                WHERE account_id = :account_id AND project_id = :project_id AND number = :number),
            (SELECT updated_at FROM search_places
                WHERE account_id = :account_id AND project_id = :project_id AND number = :number),
            (SELECT room FROM search_places
                WHERE account_id = :account_id AND project_id = :project_id AND number = :number),
            (SELECT place FROM search_places
                WHERE account_id = :account_id
                    AND (updated_at, project_id, number) < (:updated_at, :project_id, :number)
                ORDER BY updated_at DESC, project_id DESC, number DESC LIMIT 1),
            (SELECT place FROM search_places
                WHERE account_id = :account_id
                    AND (updated_at, project_id, number) > (:updated_at, :project_id, :number)
                ORDER BY updated_at, project_id, number LIMIT 1),
            EXISTS (SELECT 1 FROM search_places WHERE place = :wanted)
    """)
)

_ABOVE = Statement(
    text("""
        SELECT place FROM search_places
        WHERE account_id = :account_id
            AND (updated_at, project_id, number) > (:updated_at, :project_id, :number)
        ORDER BY updated_at, project_id, number LIMIT 1 OFFSET :offset
    """)
)

_TAKEN = Statement(text("SELECT 1 FROM search_places WHERE place = :place"), across_accounts=True)

_MOVES = (
    Statement(
        text("UPDATE search_places SET place = :new WHERE account_id = :account_id AND place = :place")
    ),
    Statement(text("UPDATE search_words SET rowid = :new WHERE rowid = :place"), across_accounts=True),
)

_LEAVE = Statement(text("DELETE FROM search_places WHERE account_id = :account_id AND place = :old_place"))

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

_RISE_AND_REWRITE = Statement(
    text("""
        UPDATE search_words SET rowid = :place, title = :title, body = :body, comments = :comments
        WHERE rowid = :old_place
    """),
    across_accounts=True,
)

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
    for document in documents:
        _keep(transaction, document)


def _keep(transaction: Transaction, document: Document) -> None:
    key = {"project_id": document.project_id, "number": document.number, "updated_at": document.updated_at}
    texts = {
        "title": " ".join(document.title),
        "body": " ".join(document.body),
        "comments": " _ ".join(" ".join(words) for words in document.comments),
    }
    found = _surroundings(transaction, key)
    place = _place(transaction, found, document.updated_at)
    if place is not None and found.place is not None:
        _rise(transaction, found, place, document.updated_at, document.room)
        transaction.run(_RISE_AND_REWRITE, place=place, old_place=found.place, **texts)
        return
    if place is None:
        place = _make_way(transaction, key, found)
    transaction.run(_ENTER, place=place, room=document.room, **key)
    transaction.run(_WRITE, place=place, project_id=document.project_id, **texts)


def add(transaction: Transaction, key: tuple[int, int], comment: str) -> bool:
    """Keep the words of one more comment on a ticket that changes now, which may be empty.

    Says whether that was possible: if it is known how many have room, and there is a place.
    """
    now = transaction.now
    found = _surroundings(transaction, {"project_id": key[0], "number": key[1], "updated_at": now})
    place = _place(transaction, found, now)
    if found.room is None or place is None:
        return False
    (more,), room = words.kept([comment], found.room)
    _rise(transaction, found, place, now, room)
    transaction.run(_RISE_AND_ADD, place=place, old_place=found.place, comment=" ".join(more))
    return True


def _rise(transaction: Transaction, found: _Surroundings, place: int, updated_at: int, room: int) -> None:
    transaction.run(_RISE, place=place, updated_at=updated_at, room=room, old_place=found.place)


def _surroundings(transaction: Transaction, key: Mapping[str, int]) -> _Surroundings:
    wanted = key["updated_at"] * SPACING
    row: Any = transaction.one(_SURROUNDINGS, wanted=wanted, **key)
    place, updated_at, room, below, above, taken = row
    return _Surroundings(
        place,
        updated_at,
        room,
        _FIRST if below is None else below,
        _LAST if above is None else above,
        wanted,
        bool(taken),
    )


def _place(transaction: Transaction, found: _Surroundings, updated_at: int) -> int | None:
    """Give a free place between those of the neighbours in the list, None if there is none."""
    if found.updated_at == updated_at:
        return found.place
    place = between(found.below, found.above, found.wanted)
    if place != found.wanted or found.taken:
        place = _free(transaction, place)
    return place if place < found.above else None


def between(low: int, high: int, wanted: int) -> int:
    """Give the place that is wanted, or else one near it, between two others; ``high`` if there is none."""
    if wanted <= low:
        return low + min(SPACING, (high - low + 1) // 2)
    if wanted >= high:
        return max(high - SPACING, low + (high - low + 1) // 2)
    return wanted


def _free(transaction: Transaction, place: int) -> int:
    """Give the first place from this one on that no other account has."""
    while transaction.one(_TAKEN, place=place):
        place += 1
    return place


def _make_way(transaction: Transaction, key: Mapping[str, int], found: _Surroundings) -> int:
    """Give a free place above the neighbour below; what comes before in the list makes way."""
    if found.place is not None:
        # The ticket must not be in its own way.
        transaction.run(_LEAVE, old_place=found.place)
    place = _free(transaction, found.below + SPACING)
    _make_room(transaction, key, place)
    return place


def _make_room(transaction: Transaction, key: Mapping[str, int], place: int) -> None:
    """Move the tickets that come before this one in the list, as far as they are not beyond its place."""
    offset = 0
    while (above := transaction.value(_ABOVE, offset=offset, **key)) is not None and above <= place:
        place = _free(transaction, place + SPACING)
        for move in _MOVES:
            transaction.run(move, place=above, new=place)
        offset += 1
