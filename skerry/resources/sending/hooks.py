"""Webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Hook(Record, frozen=True):
    """An address to which events are sent, of one project or of the whole account.

    ``events`` are types of events, or ``*`` for all. With a ``query``, events of tickets are sent only if the
    ticket matches. ``failing_since`` says since when nothing has arrived, ``next_try_at`` when the next try
    is due, ``problem`` what went wrong last. ``secret`` stands only in the answer that makes it.
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
    """An event that was sent to a hook, or was tried to be; ``event`` is its number, null for a test.

    ``state`` is ``delivered``, ``waiting`` for another try, or ``failed``. ``status`` is that of the
    receiver's answer, null where there was none. ``request`` and ``answer`` are the first 4 KiB of each.
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
    """The order to send again what failed since a moment; ``count`` says how many are sent."""

    singular: ClassVar[str] = "redelivery"
    plural: ClassVar[str] = "redeliveries"
    bare: ClassVar[bool] = True

    count: int = 0
    since: Annotated[datetime | None, writable] = None
