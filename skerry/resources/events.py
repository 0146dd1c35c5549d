"""Events: everything that happened, in order."""

from datetime import datetime
from typing import Any

from skerry.wire.record import Record


class Event(Record, frozen=True):
    """A change: what happened to what, who did it, and where it came from.

    ``changes`` holds the old and the new value of each field, or null for a field whose values are not kept,
    such as a text. ``subject_id`` is the number or id of the subject; a changeset has a ``revision`` instead.
    Only members see a ``number``. Events of one request share a ``batch_id``.
    """

    singular, plural = "event", "events"

    batch_id: int | None = None
    changes: dict[str, Any] = {}
    happened_at: datetime | None = None
    number: int | None = None
    project_id: int | None = None
    revision: str | None = None
    subject_id: int | None = None
    subject_kind: str = ""
    type: str = ""
    url: str | None = None
    user_id: int | None = None
    user_name: str | None = None
    version: int | None = None
    via: str = ""
