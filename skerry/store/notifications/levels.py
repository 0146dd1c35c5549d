"""Notification settings: a level for each project, and muted tickets."""

from collections.abc import Iterable

from sqlalchemy import bindparam, delete, select, text

from skerry.database import rows
from skerry.database.statements import OneOf, Statement, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import mutes, notification_levels, tickets, versions

_LEVELS = Statement(
    select(notification_levels.c.user_id, notification_levels.c.level).where(in_project(notification_levels))
)
_LEVEL = Statement(
    select(notification_levels.c.level).where(
        in_project(notification_levels), notification_levels.c.user_id == bindparam("user_id")
    )
)
_SET_LEVEL = Statement(
    text("""
        INSERT INTO notification_levels (account_id, project_id, user_id, level)
        VALUES (:account_id, :project_id, :user_id, :level)
        ON CONFLICT (account_id, project_id, user_id) DO UPDATE SET level = excluded.level
    """)
)

_THIS_MUTE = (
    in_project(mutes),
    mutes.c.number == bindparam("number"),
    mutes.c.user_id == bindparam("user_id"),
)
_MUTES = Statement(
    select(mutes.c.user_id, mutes.c.number).where(in_project(mutes), OneOf(mutes.c.number, "numbers"))
)
_MUTED = Statement(select(mutes.c.number).where(*_THIS_MUTE))
_MUTE = Statement(
    text("""
        INSERT INTO mutes (account_id, project_id, number, user_id)
        VALUES (:account_id, :project_id, :number, :user_id) ON CONFLICT DO NOTHING
    """)
)
_UNMUTE = Statement(delete(mutes).where(*_THIS_MUTE))

_WATCHED = Statement(
    select(tickets.c.number, tickets.c.watchers_ids).where(
        in_project(tickets), OneOf(tickets.c.number, "numbers")
    )
)
_PRIVATE = Statement(
    select(tickets.c.number, tickets.c.creator_id, tickets.c.assigned_user_id).where(
        in_project(tickets), OneOf(tickets.c.number, "numbers"), tickets.c.private == 1
    )
)
_CONCERNED = Statement(
    select(versions.c.number, versions.c.version, versions.c.assigned_user_id, versions.c.watchers_ids).where(
        in_project(versions), OneOf(versions.c.number, "numbers"), OneOf(versions.c.version, "versions")
    )
)


def levels(transaction: Transaction, project_id: int) -> dict[int, str]:
    """Return the levels that people have chosen in a project, by user id."""
    return dict(transaction.all(_LEVELS, project_id=project_id))


def level(transaction: Transaction, project_id: int, user_id: int) -> str | None:
    """Return the level that a person chose in a project, or None."""
    row = transaction.one(_LEVEL, project_id=project_id, user_id=user_id)
    return str(row[0]) if row else None


def set_level(transaction: Transaction, project_id: int, user_id: int, level: str) -> None:
    """Set the level of a person in a project."""
    transaction.run(_SET_LEVEL, project_id=project_id, user_id=user_id, level=level)


def muted(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> set[tuple[int, int]]:
    """Return who muted which of the tickets, as pairs of person and number."""
    pairs = transaction.all(_MUTES, project_id=project_id, numbers=sorted(numbers))
    return {(user_id, number) for user_id, number in pairs}


def is_muted(transaction: Transaction, project_id: int, number: int, user_id: int) -> bool:
    """Return whether a person has muted a ticket."""
    return transaction.one(_MUTED, project_id=project_id, number=number, user_id=user_id) is not None


def mute(transaction: Transaction, project_id: int, number: int, user_id: int, *, muted: bool) -> None:
    """Mute or unmute a ticket for a person."""
    statement = _MUTE if muted else _UNMUTE
    transaction.run(statement, project_id=project_id, number=number, user_id=user_id)


def watching(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> dict[int, list[int]]:
    """Return the watchers of tickets by number; deleted tickets are left out."""
    watchers = transaction.all(_WATCHED, project_id=project_id, numbers=sorted(numbers))
    return {number: rows.numbers(written) for number, written in watchers}


def private(
    transaction: Transaction, project_id: int, numbers: Iterable[int]
) -> dict[int, tuple[int | None, ...]]:
    """Return those of some tickets that are private, with the people who see them without being members."""
    hidden = transaction.all(_PRIVATE, project_id=project_id, numbers=sorted(numbers))
    return {number: tuple(people) for number, *people in hidden}


def concerned(
    transaction: Transaction, project_id: int, keys: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], tuple[int | None, list[int]]]:
    """Return the assignee and the watchers of versions, by number and version.

    The result may contain other versions as well.
    """
    numbers, wanted = ({key[place] for key in keys} for place in (0, 1))
    rows_of_versions = transaction.all(
        _CONCERNED, project_id=project_id, numbers=sorted(numbers), versions=sorted(wanted)
    )
    return {
        (number, version): (assigned, rows.numbers(written))
        for number, version, assigned, written in rows_of_versions
    }
