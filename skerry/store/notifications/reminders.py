"""Tickets that are due in these days, and the people who want to be reminded of them by mail."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import and_, bindparam, exists, func, select, update

from skerry.database import rows
from skerry.database.statements import OneOf, Statement, in_account, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.tables import counters, logins, mail_preferences, tickets, users

MAX_TICKETS = 10_000
"""The maximum number of tickets that are looked at together."""


class DueTicket(NamedTuple):
    """An open ticket with its due date, its assignee and its watchers."""

    project_id: int
    number: int
    due_on: str
    assigned_user_id: int | None
    watchers_ids: list[int]


class Recipient(NamedTuple):
    """A person who wants reminders: the time zone, which may be empty, and the day of the last reminder."""

    user_id: int
    time_zone: str
    reminded_on: str


_OPEN = (tickets.c.closed == 0, tickets.c.due_on.between(bindparam("first"), bindparam("last")))
# Every account has this counter, which is on the machine with its tickets, as its row in ``accounts`` is not.
_here = counters.c.account_id
_ACCOUNTS = Statement(
    select(_here)
    .where(
        counters.c.name == "events", exists().where(tickets.c.account_id == _here, *_OPEN).correlate(counters)
    )
    .order_by(_here),
    across_accounts=True,
    across_projects="upkeep",
)
_DUE = Statement(
    select(*(tickets.c[name] for name in DueTicket._fields))
    .where(in_account(tickets), *_OPEN)
    .order_by(tickets.c.due_on, tickets.c.project_id, tickets.c.number)
    .limit(inline_literal("most")),
    across_projects="upkeep",
)
_READERS = Statement(
    select(
        logins.c.user_id,
        func.coalesce(users.c.time_zone, ""),
        func.coalesce(mail_preferences.c.reminded_on, ""),
    )
    .select_from(
        logins.join(users, users.c.id == logins.c.user_id).outerjoin(
            mail_preferences,
            and_(in_account(mail_preferences), mail_preferences.c.user_id == logins.c.user_id),
        )
    )
    .where(
        OneOf(logins.c.user_id, "user_ids"),
        logins.c.verified_at.is_not(None),
        func.coalesce(mail_preferences.c.frequency, "at_once") != "none",
        func.coalesce(mail_preferences.c.due_reminders, 1) == 1,
    )
    .order_by(logins.c.user_id)
)
_NOTE = Statement(
    update(mail_preferences)
    .where(in_account(mail_preferences), mail_preferences.c.user_id == bindparam("of_user"))
    .values(reminded_on=bindparam("day"))
)


def accounts_due(transaction: Transaction, first: str, last: str) -> list[int]:
    """Return the accounts with open tickets that are due between two days."""
    return [account_id for (account_id,) in transaction.all(_ACCOUNTS, first=first, last=last)]


def due(transaction: Transaction, first: str, last: str) -> list[DueTicket]:
    """Return the first open tickets that are due between two days."""
    tickets_due = transaction.all(_DUE, first=first, last=last, most=MAX_TICKETS)
    return [_ticket(*row) for row in tickets_due]


def _ticket(
    project_id: int, number: int, due_on: str, assigned_user_id: int | None, watchers: str
) -> DueTicket:
    return DueTicket(project_id, number, due_on, assigned_user_id, rows.numbers(watchers))


def readers(transaction: Transaction, user_ids: Iterable[int]) -> list[Recipient]:
    """Return those of some people who have a verified address and want reminders."""
    return [Recipient(*row) for row in transaction.all(_READERS, user_ids=sorted(user_ids))]


def note(transaction: Transaction, user_id: int, day: str) -> None:
    """Store the day of the last reminder of a person who has mail preferences."""
    transaction.run(_NOTE, of_user=user_id, day=day)
