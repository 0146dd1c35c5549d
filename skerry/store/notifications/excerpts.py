"""The texts that notifications are about."""

from sqlalchemy import Integer, bindparam, func, select

from skerry.database.statements import OneOf, Statement, in_account, matching
from skerry.database.transactions import Transaction
from skerry.store.tables import events, notifications, versions

_WITH_VERSIONS = notifications.join(events, matching(events, notifications, number="event_number")).join(
    versions,
    matching(versions, notifications, "project_id", "number") & (versions.c.version == events.c.version),
)
_BEGINNINGS = Statement(
    select(notifications.c.id, func.substr(versions.c.body_html, 1, bindparam("most", type_=Integer)))
    .select_from(_WITH_VERSIONS)
    .where(
        in_account(notifications),
        notifications.c.user_id == bindparam("user_id"),
        OneOf(notifications.c.id, "ids"),
    ),
    across_projects="person",
)


def beginnings(transaction: Transaction, user_id: int, ids: list[int], most: int) -> dict[int, str]:
    """Return the beginnings of rendered texts, up to ``most`` characters, by a person's notifications."""
    rows = transaction.all(_BEGINNINGS, user_id=user_id, ids=ids, most=most) if ids else []
    return {row[0]: row[1] for row in rows}
