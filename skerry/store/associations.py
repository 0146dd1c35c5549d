"""Rows of tags and watchers, by which tickets are found."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, insert, text, update

from skerry.database.statements import Statement, in_ticket
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Ticket
from skerry.store.tables import taggings, watchers

_UNTAG = Statement(delete(taggings).where(in_ticket(taggings)))
_UNWATCH_ALL = Statement(delete(watchers).where(in_ticket(watchers)))
_UNWATCH = Statement(
    delete(watchers).where(in_ticket(watchers), watchers.c.user_id.in_(bindparam("user_ids", expanding=True)))
)

_TAG = Statement(insert(taggings))
_FOLLOW = Statement(
    update(taggings)
    .where(in_ticket(taggings))
    .values(closed=bindparam("now_closed"), assigned_user_id=bindparam("now_assigned_user_id"))
)
_WATCH = Statement(
    text("""
        INSERT INTO watchers (account_id, project_id, number, user_id)
        VALUES (:account_id, :project_id, :number, :user_id) ON CONFLICT DO NOTHING
    """)
)


@dataclass(frozen=True)
class Tagged:
    """A ticket with the values that each of its tag rows repeats."""

    number: int
    closed: bool
    assigned_user_id: int | None

    def rows(self, tags: Iterable[str]) -> list[dict[str, Any]]:
        """Return the row of each tag, without the project."""
        assigned = self.assigned_user_id or 0
        return [
            {"number": self.number, "tag": tag, "closed": int(self.closed), "assigned_user_id": assigned}
            for tag in tags
        ]


def add_tags(transaction: Transaction, project_id: int, tags: Mapping[Tagged, Iterable[str]]) -> None:
    """Add rows for more tags of tickets."""
    rows = [row for ticket, several in tags.items() for row in ticket.rows(several)]
    transaction.run_many(_TAG, [{"project_id": project_id, **row} for row in rows])


def set_tags(transaction: Transaction, project_id: int, tags: Mapping[Tagged, Iterable[str]]) -> None:
    """Replace the rows of the tags of tickets."""
    transaction.run_many(_UNTAG, [{"project_id": project_id, "number": ticket.number} for ticket in tags])
    add_tags(transaction, project_id, tags)


def follow(transaction: Transaction, project_id: int, tickets: Iterable[Tagged]) -> None:
    """Update the values that tag rows repeat from their tickets."""
    transaction.run_many(
        _FOLLOW,
        [
            {
                "project_id": project_id,
                "number": ticket.number,
                "now_closed": int(ticket.closed),
                "now_assigned_user_id": ticket.assigned_user_id or 0,
            }
            for ticket in tickets
        ],
    )


def add_watchers(
    transaction: Transaction, project_id: int, watchers_ids: Mapping[int, Iterable[int]]
) -> None:
    """Add watchers to the index of watched tickets, if they are missing there.

    As with all functions on watchers here, the caller updates the lists in the tickets' own rows.
    """
    pairs = [(number, user_id) for number, several in watchers_ids.items() for user_id in several]
    transaction.run_many(
        _WATCH,
        [{"project_id": project_id, "number": number, "user_id": user_id} for number, user_id in pairs],
    )


def set_watchers(
    transaction: Transaction, project_id: int, watchers_ids: Mapping[int, Iterable[int]]
) -> None:
    """Replace the rows of the watchers of tickets, by number."""
    transaction.run_many(
        _UNWATCH_ALL, [{"project_id": project_id, "number": number} for number in watchers_ids]
    )
    add_watchers(transaction, project_id, watchers_ids)


def change_watchers(transaction: Transaction, ticket: Ticket, user_ids: Iterable[int]) -> None:
    """Replace the rows of the watchers of one ticket; rows that stay are not written."""
    project_id, number = ticket.project_id or 0, ticket.number or 0
    before, after = set(ticket.watchers_ids), set(user_ids)
    if gone := sorted(before - after):
        transaction.run(_UNWATCH, project_id=project_id, number=number, user_ids=gone)
    add_watchers(transaction, project_id, {number: sorted(after - before)})
