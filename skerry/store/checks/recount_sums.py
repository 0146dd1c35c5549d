"""Comparison of all stored counts with the counts of the rows."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import text

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.store import states, tags
from skerry.store.counts.counters import StoredCounts


class Sum(NamedTuple):
    """Counts stored with one kind of row.

    The statement returns the rows in which one of the ``names`` is wrong: first the values with which
    ``place`` names the row, then for each name the stored and the correct count. A missing row counts as -1,
    or as 0 if no row is required.
    """

    title: str
    place: str
    names: tuple[str, ...]
    statement: Statement


def _sum(title: str, place: str, rows: str, key: str, **correct: str) -> Sum:
    """Compare counts of ``rows``, which are called ``r`` in the expressions for the correct counts."""
    pairs = ", ".join(f"r.{name} AS {name}_kept, {counted} AS {name}" for name, counted in correct.items())
    wrong = " OR ".join(f"{name}_kept <> {name}" for name in correct)
    compared = f"SELECT {key}, {pairs} FROM {rows} r"  # noqa: S608 - our own words
    statement = text(f"SELECT * FROM ({compared}) AS compared WHERE {wrong}")  # noqa: S608 - our own words
    return Sum(title, place, tuple(correct), Statement(statement, across_accounts=True))


def _count(table: str, where: str, what: str = "count(*)") -> str:
    """Return a number of rows of the account for which a condition holds; they are called ``x``."""
    return f"(SELECT {what} FROM {table} x WHERE x.account_id = r.account_id AND {where})"  # noqa: S608 - our own


def _largest(name: str, table: str, of: str, where: str) -> str:
    """Return a stored number, or the largest one that a row has if that is larger."""
    largest = _count(table, where, f"coalesce(max(x.{of}), 0)")
    return f"CASE WHEN r.{name} >= {largest} THEN r.{name} ELSE {largest} END"


def _stored(title: str, place: str, counts: StoredCounts) -> Sum:
    """Compare stored counts of which no row is required."""
    key, stored, counted = ", ".join(counts.key), counts.stored.name, counts.counted.name
    rows = f"""(
        SELECT {key}, CAST(sum(kept) AS BIGINT) AS tickets_count, CAST(sum(counted) AS BIGINT) AS counted
        FROM (
            SELECT {key}, tickets_count AS kept, 0 AS counted FROM {stored}
            UNION ALL SELECT {key}, 0, count(*) FROM {counted} GROUP BY {key}
        ) AS counts GROUP BY {key}
    )"""  # noqa: S608 - our own words
    return _sum(title, place, rows, key, tickets_count="r.counted")


_OPEN = "coalesce(sum(1 - x.closed), 0)"
_IN_PROJECT = "x.project_id = r.project_id"
_OF_TICKET = f"{_IN_PROJECT} AND x.number = r.number"
_PROJECTS = """(
    SELECT p.account_id, p.id AS project_id, coalesce(c.tickets_count, -1) AS tickets_count,
        coalesce(c.open_tickets_count, -1) AS open_tickets_count, coalesce(c.last_number, -1) AS last_number
    FROM projects p LEFT JOIN project_counters c ON c.account_id = p.account_id AND c.project_id = p.id
)"""
# Grouped, because the tickets of a project would be read again for each of its milestones.
_MILESTONES = """(
    SELECT m.account_id, m.id, m.tickets_count, m.open_tickets_count, coalesce(t.tickets, 0) AS tickets,
        coalesce(t.open_tickets, 0) AS open_tickets
    FROM milestones m LEFT JOIN (
        SELECT account_id, project_id, milestone_id, count(*) AS tickets, sum(1 - closed) AS open_tickets
        FROM tickets WHERE milestone_id IS NOT NULL GROUP BY account_id, project_id, milestone_id
    ) t ON t.account_id = m.account_id AND t.project_id = m.project_id AND t.milestone_id = m.id
)"""

SUMS = (
    _sum(
        "counts of projects",
        "project {1} of account {0}",
        _PROJECTS,
        "account_id, project_id",
        tickets_count=_count("tickets", _IN_PROJECT),
        open_tickets_count=_count("tickets", _IN_PROJECT, _OPEN),
        last_number=_largest("last_number", "tickets", "number", _IN_PROJECT),
    ),
    _stored("counts of states", "the state {2} (closed: {3}) in project {1} of account {0}", states.COUNTS),
    _stored("counts of tags", "the tag {2} in project {1} of account {0}", tags.COUNTS),
    _sum(
        "counts of milestones",
        "milestone {1} of account {0}",
        _MILESTONES,
        "account_id, id",
        tickets_count="r.tickets",
        open_tickets_count="r.open_tickets",
    ),
    _sum(
        "counts of tickets",
        "ticket {2} of project {1} of account {0}",
        "tickets",
        "account_id, project_id, number",
        version=_count("versions", _OF_TICKET, "coalesce(max(x.version), 0)"),
        last_version=_largest("last_version", "versions", "version", _OF_TICKET),
        attachments_count=_count("attachments", _OF_TICKET),
    ),
    # The count of a version does not include its own files.
    _sum(
        "counts of versions",
        "version {3} of ticket {2} of project {1} of account {0}",
        "versions",
        "account_id, project_id, number, version",
        attachments_count=_count("attachments", f"{_OF_TICKET} AND x.version < r.version"),
    ),
    _sum(
        "counts of messages",
        "message {1} of account {0}",
        "messages",
        "account_id, id",
        comments_count=_count("messages", "x.parent_id = r.id"),
        attachments_count=_count("attachments", "x.message_id = r.id"),
    ),
)


def differences(transaction: Transaction, kept: Sum) -> Iterator[str]:
    """Yield a message for each wrong number."""
    for row in transaction.all(kept.statement):
        place, pairs = kept.place.format(*row), row[-2 * len(kept.names) :]
        for name, is_kept, counted in zip(kept.names, pairs[::2], pairs[1::2], strict=True):
            if is_kept != counted:
                yield f"The {name} of {place} is {is_kept} and should be {counted}"
