"""Entries of the log of security events."""

from datetime import datetime
from typing import Any

from skerry.wire.record import Record


class AuditEntry(Record, frozen=True):
    """A security event: who did what, when, from where and by which credential.

    ``details`` holds the old and the new value of each field, or null for a field whose values are not kept.
    ``address`` and ``user_name`` are null after they were erased. ``hash`` binds the entry to the one before
    it.
    """

    singular, plural = "audit_entry", "audit_entries"

    address: str | None = None
    credential: str = ""
    details: dict[str, Any] = {}
    happened_at: datetime | None = None
    hash: str = ""
    kind: str = ""
    number: int | None = None
    project_id: int | None = None
    subject_id: str | None = None
    user_id: int | None = None
    user_name: str | None = None
