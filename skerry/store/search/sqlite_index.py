"""The full-text index of tickets on SQLite; ``sqlite.py`` describes its format.

The place of a ticket is a rank. A ticket that changes gets the next one of the whole database, so that within
an account the places have the order of the list. Tickets dated later than a change, because they come from an
archive or the clock was set back, move above it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import text

from skerry.database.statements import Row, Statement
from skerry.database.transactions import Transaction
from skerry.store.search.documents import Document
from skerry.text import words

LEFT_FREE = 1_000_000
"""How many free places are left below tickets that move up, for later changes."""

SOME = 250
"""How many tickets move in one transaction, for which others wait."""

_KEY = ("updated_at", "project_id", "number")
_BEYOND = (2**63 - 1, 0, 0)


@dataclass(frozen=True, slots=True)
class Moving:
    """Tickets that move up: those of the list from ``first`` on; those from ``done`` on have moved."""

    first: Row
    done: Row
    count: int
    remaining: int


@dataclass(frozen=True, slots=True)
class _IndexPlace:
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
    """),
    across_projects="upkeep",
)

_FROM = """
    FROM search_places WHERE account_id = :account_id
        AND (updated_at, project_id, number) >= (:updated_at, :project_id, :number)
"""

_COUNT = Statement(text(f"SELECT count(*) {_FROM}"))

_LOWEST = Statement(text(f"SELECT place {_FROM} ORDER BY updated_at, project_id, number LIMIT 1"))

_FREE_BELOW = Statement(
    text("SELECT coalesce(max(place), 0) + 1 FROM search_places WHERE place < :place"), across_accounts=True
)

_LAST = Statement(
    text(f"""
        SELECT place, updated_at, project_id, number {_FROM}
            AND (updated_at, project_id, number) < (:before_updated_at, :before_project_id, :before_number)
        ORDER BY updated_at DESC, project_id DESC, number DESC LIMIT :some
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


class Index:
    """Keeps the words and places of tickets."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def keep(self, documents: Iterable[Document]) -> None:
        """Replace the words of some tickets, and their places if they have changed."""
        above = [
            (document.updated_at, document.project_id, document.number)
            for document in documents
            if not self._keep(document)
        ]
        if above:
            self._move_above(min(above))

    def append(self, documents: Iterable[Document]) -> None:
        """Keep the words of tickets; ``move_up`` must follow once all are there."""
        for document in documents:
            self._keep(document)

    def _move_above(self, key: Row) -> None:
        """Move the tickets that follow one in the list above it, because the clock was set back."""
        updated_at, project_id, number = key
        moving = self._moving((updated_at, project_id, number + 1))
        self.move_up(moving, moving.count)

    def _moving(self, first: Row) -> Moving:
        count = int(self._transaction.value(_COUNT, **_named(first)))
        return Moving(first, _BEYOND, count, count)

    def remove_lost(self) -> None:
        """Remove words whose place belongs to no ticket."""
        self._transaction.run(_REMOVE_LOST)

    def out_of_order(self) -> Row | None:
        """Return the first ticket of the account that is not above its predecessors in the list, if any."""
        return self._transaction.one(_OUT_OF_ORDER)

    def move_up(self, moving: Moving | None = None, some: int = 0) -> Moving | None:
        """Move some tickets of the account that are out of order, and return how to go on, None at the end.

        They move above all others, the last of the list first. So those that have moved and those that have
        not are each in the order that they had, and a ticket that changes meanwhile is still above them.
        """
        if moving is None:
            first = self.out_of_order()
            if first is None:
                return None
            moving = self._moving(first)
        reach = {**_named(moving.first), **_named(moving.done, "before_")}
        lowest = self._transaction.all(_LAST, some=some or SOME, **reach)
        end = self._end(moving)
        if not lowest or end - len(lowest) < self._transaction.value(_FREE_BELOW, place=end):
            # All have moved, or a ticket that changed meanwhile has taken the place.
            return self.move_up(None, some)
        for place, (old_place, *_) in enumerate(lowest, 1):
            for move in _MOVES:
                self._transaction.run(move, place=end - place, old_place=old_place)
        return replace(moving, done=lowest[-1][1:], remaining=max(0, moving.remaining - len(lowest)))

    def _end(self, moving: Moving) -> int:
        """Return the place below which the next tickets move: that of the last one that has moved."""
        if moving.done is _BEYOND:
            return int(self._transaction.value(_TOP)) + LEFT_FREE + moving.count
        return int(self._transaction.value(_LOWEST, **_named(moving.done)))

    def _keep(self, document: Document) -> bool:
        """Replace the words of a ticket; return whether its place, if new, is in the order of the list."""
        key = {name: getattr(document, name) for name in _KEY}
        texts = {
            "title": " ".join(document.title),
            "body": " ".join(document.body),
            "comments": " _ ".join(" ".join(words) for words in document.comments),
        }
        indexed = self._find(key)
        place = self._place(indexed, document.updated_at)
        if indexed.place is None:
            self._transaction.run(_ENTER, place=place, room=document.room, **key)
        else:
            self._rise(indexed, place, document.updated_at, document.room)
            self._transaction.run(_REMOVE, old_place=indexed.place)
        self._transaction.run(_WRITE, place=place, project_id=document.project_id, **texts)
        return place < indexed.later or place == indexed.place

    def add(self, key: tuple[int, int], comment: str) -> bool:
        """Add the words of a comment, which may be empty, to a ticket that changes now.

        Returns whether that was possible, which requires that the remaining room is known.
        """
        now = self._transaction.now
        indexed = self._find({"project_id": key[0], "number": key[1], "updated_at": now})
        if indexed.room is None:
            return False
        place = self._place(indexed, now)
        (more,), room = words.kept([comment], indexed.room)
        self._rise(indexed, place, now, room)
        self._transaction.run(_RISE_AND_ADD, place=place, old_place=indexed.place, comment=" ".join(more))
        if place > indexed.later:
            self._move_above((now, *key))
        return True

    def _rise(self, indexed: _IndexPlace, place: int, updated_at: int, room: int) -> None:
        self._transaction.run(_RISE, place=place, updated_at=updated_at, room=room, old_place=indexed.place)

    def _find(self, key: Mapping[str, int]) -> _IndexPlace:
        row: Any = self._transaction.one(_FIND, **key)
        return _IndexPlace(*row)

    def _place(self, indexed: _IndexPlace, updated_at: int) -> int:
        """Return the place that a ticket keeps or gets: the free one in the list's order, or the next."""
        if indexed.place is not None and indexed.updated_at == updated_at:
            return indexed.place
        return indexed.free if indexed.free < indexed.later else int(self._transaction.value(_TOP))


def _named(key: Row, prefix: str = "") -> dict[str, int]:
    return {f"{prefix}{name}": value for name, value in zip(_KEY, key, strict=True)}
