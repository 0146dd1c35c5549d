"""Webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Hook(Record, frozen=True):
    """A URL to which events of one project, or of the whole account, are sent.

    ``events`` are types of events, or ``*`` for all. With a ``query``, events of tickets are sent only if the
    ticket matches. ``failing_since`` says since when no delivery has succeeded, ``next_try_at`` when the next
    attempt is due, ``problem`` the last error. Only the response to its creation, or to its replacement,
    contains the ``secret``.
    """

    singular: ClassVar[str] = "hook"
    plural: ClassVar[str] = "hooks"

    active: Annotated[bool, writable] = True
    created_at: datetime | None = None
    events: Annotated[list[str], writable] = []
    failing_since: datetime | None = None
    format: Annotated[str, writable] = "skerry"
    id: int | None = None
    next_try_at: datetime | None = None
    note: Annotated[str, writable, longest(255)] = ""
    problem: str = ""
    project_id: int | None = None
    query: Annotated[str, writable, longest(2000)] = ""
    updated_at: datetime | None = None
    url: Annotated[str, writable, required, longest(2000)] = ""
    user_id: int | None = None
    secret: str | UnsetType = UNSET


class Delivery(Record, frozen=True):
    """A delivery of an event to a hook, or an attempt at one; ``event`` is its number, null for a test.

    ``state`` is ``delivered``, ``waiting`` for another attempt, or ``failed``. ``status`` is that of the
    receiver's response, null if there was none. ``request`` and ``answer`` are the first 4 KiB of each.
    """

    singular: ClassVar[str] = "delivery"
    plural: ClassVar[str] = "deliveries"

    answer: str = ""
    created_at: datetime | None = None
    delivered_at: datetime | None = None
    event: int | None = None
    event_type: str = ""
    hook_id: int | None = None
    id: int | None = None
    message_id: str = ""
    milliseconds: int | None = None
    next_try_at: datetime | None = None
    request: str = ""
    state: str = "waiting"
    status: int | None = None
    tries: int = 0


class Redelivery(Record, frozen=True):
    """A request to repeat the failed deliveries since a time; ``count`` is the number of deliveries."""

    singular: ClassVar[str] = "redelivery"
    plural: ClassVar[str] = "redeliveries"
    bare: ClassVar[bool] = True

    count: int = 0
    since: Annotated[datetime | None, writable] = None
