"""Comparison of all stored counts with the counts of the rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import text

from skerry.store.engine.statements import Statement
from skerry.store.engine.transactions import Transaction


@dataclass(frozen=True)
class Sum:
    """Counts stored with one kind of row.

    The statement returns the rows in which one of the ``names`` is wrong: first the values with which
    ``place`` names the row, then for each name the stored and the correct count. A missing row counts as -1,
    or as 0 if no row is required.
    """

    title: str
    place: str
    names: tuple[str, ...]
    statement: Statement


def _sum(title: str, place: str, names: tuple[str, ...], compared: str) -> Sum:
    """Compare the columns ``NAME_kept`` and ``NAME`` of a query."""
    wrong = " OR ".join(f"{name}_kept <> {name}" for name in names)
    statement = text(f"SELECT * FROM ({compared}) AS compared WHERE {wrong}")  # noqa: S608 - our own words
    return Sum(title, place, names, Statement(statement, across_accounts=True))


SUMS = (
    _sum(
        "counts of projects",
        "project {1} of account {0}",
        ("tickets_count", "open_tickets_count", "last_number"),
        """
        SELECT p.account_id, p.id,
            coalesce(c.tickets_count, -1) AS tickets_count_kept,
            coalesce(t.tickets, 0) AS tickets_count,
            coalesce(c.open_tickets_count, -1) AS open_tickets_count_kept,
            coalesce(t.open_tickets, 0) AS open_tickets_count,
            coalesce(c.last_number, -1) AS last_number_kept,
            CASE WHEN c.last_number >= coalesce(t.last_number, 0) THEN c.last_number
                ELSE coalesce(t.last_number, 0) END AS last_number
        FROM projects p
        LEFT JOIN project_counters c ON c.account_id = p.account_id AND c.project_id = p.id
        LEFT JOIN (
            SELECT account_id, project_id, count(*) AS tickets, sum(1 - closed) AS open_tickets,
                max(number) AS last_number
            FROM tickets GROUP BY account_id, project_id
        ) t ON t.account_id = p.account_id AND t.project_id = p.id
        """,
    ),
    _sum(
        "counts of states",
        "the state {2} (closed: {3}) in project {1} of account {0}",
        ("tickets_count",),
        """
        SELECT account_id, project_id, state, closed, CAST(sum(kept) AS BIGINT) AS tickets_count_kept,
            CAST(sum(counted) AS BIGINT) AS tickets_count
        FROM (
            SELECT account_id, project_id, state, closed, tickets_count AS kept, 0 AS counted
            FROM state_counts
            UNION ALL
            SELECT account_id, project_id, state, closed, 0, count(*)
            FROM tickets GROUP BY account_id, project_id, state, closed
        ) AS counts
        GROUP BY account_id, project_id, state, closed
        """,
    ),
    _sum(
        "counts of tags",
        "the tag {2} in project {1} of account {0}",
        ("tickets_count",),
        """
        SELECT account_id, project_id, tag,
            CAST(sum(kept) AS BIGINT) AS tickets_count_kept, CAST(sum(counted) AS BIGINT) AS tickets_count
        FROM (
            SELECT account_id, project_id, tag, tickets_count AS kept, 0 AS counted FROM tag_counts
            UNION ALL
            SELECT account_id, project_id, tag, 0, count(*)
            FROM taggings GROUP BY account_id, project_id, tag
        ) AS counts
        GROUP BY account_id, project_id, tag
        """,
    ),
    _sum(
        "counts of milestones",
        "milestone {1} of account {0}",
        ("tickets_count", "open_tickets_count"),
        """
        SELECT m.account_id, m.id,
            m.tickets_count AS tickets_count_kept,
            coalesce(t.tickets, 0) AS tickets_count,
            m.open_tickets_count AS open_tickets_count_kept,
            coalesce(t.open_tickets, 0) AS open_tickets_count
        FROM milestones m LEFT JOIN (
            SELECT account_id, project_id, milestone_id, count(*) AS tickets,
                sum(1 - closed) AS open_tickets
            FROM tickets WHERE milestone_id IS NOT NULL GROUP BY account_id, project_id, milestone_id
        ) t ON t.account_id = m.account_id AND t.project_id = m.project_id AND t.milestone_id = m.id
        """,
    ),
    _sum(
        "counts of tickets",
        "ticket {2} of project {1} of account {0}",
        ("version", "last_version", "attachments_count"),
        """
        SELECT t.account_id, t.project_id, t.number,
            t.version AS version_kept,
            coalesce(v.newest, 0) AS version,
            t.last_version AS last_version_kept,
            CASE WHEN t.last_version >= coalesce(v.newest, 0) THEN t.last_version
                ELSE v.newest END AS last_version,
            t.attachments_count AS attachments_count_kept,
            coalesce(a.files, 0) AS attachments_count
        FROM tickets t
        LEFT JOIN (
            SELECT account_id, project_id, number, max(version) AS newest
            FROM versions GROUP BY account_id, project_id, number
        ) v ON v.account_id = t.account_id AND v.project_id = t.project_id AND v.number = t.number
        LEFT JOIN (
            SELECT account_id, project_id, number, count(*) AS files
            FROM attachments WHERE number IS NOT NULL GROUP BY account_id, project_id, number
        ) a ON a.account_id = t.account_id AND a.project_id = t.project_id AND a.number = t.number
        """,
    ),
    # The count of a version does not include its own files.
    _sum(
        "counts of versions",
        "version {3} of ticket {2} of project {1} of account {0}",
        ("attachments_count",),
        """
        SELECT v.account_id, v.project_id, v.number, v.version,
            v.attachments_count AS attachments_count_kept,
            (
                SELECT count(*) FROM attachments a
                WHERE a.account_id = v.account_id AND a.project_id = v.project_id
                    AND a.number = v.number AND a.version < v.version
            ) AS attachments_count
        FROM versions v
        """,
    ),
    _sum(
        "counts of messages",
        "message {1} of account {0}",
        ("comments_count", "attachments_count"),
        """
        SELECT m.account_id, m.id,
            m.comments_count AS comments_count_kept,
            coalesce(c.comments, 0) AS comments_count,
            m.attachments_count AS attachments_count_kept,
            coalesce(a.files, 0) AS attachments_count
        FROM messages m
        LEFT JOIN (
            SELECT account_id, parent_id, count(*) AS comments
            FROM messages WHERE parent_id IS NOT NULL GROUP BY account_id, parent_id
        ) c ON c.account_id = m.account_id AND c.parent_id = m.id
        LEFT JOIN (
            SELECT account_id, message_id, count(*) AS files
            FROM attachments WHERE message_id IS NOT NULL GROUP BY account_id, message_id
        ) a ON a.account_id = m.account_id AND a.message_id = m.id
        """,
    ),
)


def differences(transaction: Transaction, kept: Sum) -> Iterator[str]:
    """Yield a message for each wrong number."""
    for row in transaction.all(kept.statement):
        place, pairs = kept.place.format(*row), row[-2 * len(kept.names) :]
        for name, is_kept, counted in zip(kept.names, pairs[::2], pairs[1::2], strict=True):
            if is_kept != counted:
                yield f"The {name} of {place} is {is_kept} and should be {counted}"
