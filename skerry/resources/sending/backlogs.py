"""Backlogs of events and mail."""

from datetime import datetime
from typing import ClassVar

from skerry.wire.record import Record


class Backlog(Record, frozen=True):
    """Work that is waiting, and the reason.

    ``kind`` is ``reader`` for a part of Skerry that reads events, ``hook``, or ``mail``. ``state`` is
    ``ready`` if it continues at once, ``paused`` until an administrator resumes sending, ``failing`` until
    ``next_try_at``, ``off`` for a hook that is turned off, or ``refused`` for mails and events that are not
    retried. ``count`` is the number of waiting events or mails, ``since`` the time since which they have been
    waiting, and ``problem`` the last error.
    """

    singular: ClassVar[str] = "backlog"
    plural: ClassVar[str] = "backlogs"

    count: int = 0
    hook_id: int | None = None
    kind: str = ""
    name: str = ""
    next_try_at: datetime | None = None
    problem: str = ""
    project_id: int | None = None
    since: datetime | None = None
    state: str = ""
