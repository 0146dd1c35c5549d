"""Removals of people from projects and from the account."""

from datetime import datetime

from skerry.wire.record import Record


class Removal(Record, frozen=True):
    """The removal of a person, which can be undone until ``expires_at``.

    Without a ``project_id`` they were removed from the account. ``reassigned_count`` is the number of open
    tickets that went to the successor.
    """

    singular, plural = "removal", "removals"

    created_at: datetime | None = None
    creator_id: int | None = None
    creator_name: str | None = None
    expires_at: datetime | None = None
    membership_id: int | None = None
    project_id: int | None = None
    reassigned_count: int = 0
    successor_id: int | None = None
    successor_name: str | None = None
    user_id: int | None = None
    user_name: str | None = None
