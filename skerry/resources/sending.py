"""The declarations of hooks, feeds and what waits to be sent."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Items, Record, UnsetType, longest, required, writable


class Hook(Record, frozen=True):
    """A URL to which events of one project, or of the whole account, are sent.

    ``events`` are types of events, or ``*`` for all. With a ``query``, events of tickets are sent only if the
    ticket may have matched before or after. ``versions`` is ``all``, or ``newest`` for payloads with a
    ticket's newest version only. ``failing_since`` says since when no delivery has succeeded, ``next_try_at``
    when the next attempt is due, ``problem`` the last error. Only the response to its creation, or to its
    replacement, contains the ``secret``. The ``url`` is whole only in the response to a request that sets it;
    others show its host and its last four characters.
    """

    singular, plural = "hook", "hooks"
    # What happens is sent to its address.
    decides_access = True

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
    versions: Annotated[str, writable] = "all"
    secret: str | UnsetType = UNSET


class Attempt(Record, frozen=True):
    """An attempt to make a delivery: when, and its result; the ``problem`` is empty if it succeeded."""

    singular, plural = "attempt", "attempts"

    at: datetime | None = None
    milliseconds: int | None = None
    problem: str = ""
    status: int | None = None


class Delivery(Record, frozen=True):
    """A delivery of an event to a hook; ``event`` is its number, null for a test.

    ``ticket`` is the number of the ticket that the event is about, ``attempts`` the first fifty attempts.

    ``state`` is ``delivered``, ``waiting`` for another attempt, or ``failed``. ``status`` is that of the
    receiver's response, null if there was none. ``request`` and ``answer`` are the first 4 KiB of each.
    """

    singular, plural = "delivery", "deliveries"
    texts = ("request", "answer")

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
    project_id: int | None = None
    request: str = ""
    state: str = "waiting"
    status: int | None = None
    ticket: int | None = None
    tries: int = 0
    attempts: Annotated[list[Attempt] | UnsetType, Items("attempt", "Delivery::Attempt")] = UNSET


class Redelivery(Record, frozen=True):
    """A request to repeat the failed deliveries since a time; ``count`` is the number of deliveries."""

    singular, plural = "redelivery", "redeliveries"
    bare = True

    count: int = 0
    since: Annotated[datetime | None, writable] = None


class Feed(Record, frozen=True):
    """The secret URL of a list for programs that cannot sign in, such as feed readers and calendars.

    ``kind`` is ``tickets``, ``activity`` or ``messages`` for an Atom feed, ``milestones`` or ``due_dates`` of
    tickets for a calendar. The list is that of the project, or without one that of all projects its owner can
    see; ``query`` selects tickets. Anyone who has the ``url`` reads the list as its owner does; it is only
    shown when the feed is created.
    """

    singular, plural = "feed", "feeds"
    decides_access = True

    created_at: datetime | None = None
    id: int | None = None
    kind: Annotated[str, writable, required] = ""
    note: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    query: Annotated[str, writable, longest(2000)] = ""
    user_id: int | None = None
    url: str | UnsetType = UNSET


class Backlog(Record, frozen=True):
    """Work that is waiting, and the reason.

    ``kind`` is ``reader`` for a part of Skerry that reads events, ``hook``, or ``mail``. ``state`` is
    ``ready`` if it continues at once, ``paused`` until an administrator resumes sending, ``failing`` until
    ``next_try_at``, ``off`` for a hook that is turned off, or ``refused`` for mails and events that are not
    retried. ``count`` is the number of waiting events or mails, ``since`` the time since which they have been
    waiting, and ``problem`` the last error.
    """

    singular, plural = "backlog", "backlogs"

    count: int = 0
    hook_id: int | None = None
    kind: str = ""
    name: str = ""
    next_try_at: datetime | None = None
    problem: str = ""
    project_id: int | None = None
    since: datetime | None = None
    state: str = ""


class Sending(Record, frozen=True):
    """Whether hooks and mail of the account are sent, or held until an administrator resumes sending.

    It is ``paused`` after a restore, since ``paused_at``.
    """

    singular, plural = "sending", "sending"

    paused: Annotated[bool, writable] = False
    paused_at: datetime | None = None
