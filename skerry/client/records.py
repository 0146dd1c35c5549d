"""What the server sends, as typed records."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, TypeVar

import msgspec

__all__ = ["Bin", "BulkEdit", "ClientError", "Event", "Milestone", "Profile", "Project", "Record", "Ticket"]


class ClientError(Exception):
    """A request that failed, with the sentences of the server.

    The ``status`` is 0 if there was no answer, and None if the client itself refuses.
    """

    def __init__(self, sentences: Sequence[str], status: int | None = None) -> None:
        super().__init__("; ".join(sentences))
        self.sentences, self.status = tuple(sentences), status


class Record(msgspec.Struct, kw_only=True):
    """One resource: ``raw`` is all that was sent, ``etag`` its state for ``if_match`` if it was read alone.

    Declare further kinds like these: ``kind`` is the name around one on the wire, ``path`` the address of
    their list, in a project unless it begins with a slash; ``pages`` says whether that list has pages.
    """

    kind: ClassVar[str] = ""
    path: ClassVar[str] = ""
    pages: ClassVar[bool] = True

    raw: dict[str, Any] = {}
    etag: str = ""
    id: int | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    url: str = ""

    @classmethod
    def is_global(cls) -> bool:
        """Return whether it belongs to no project."""
        return cls.path.startswith("/")


R = TypeVar("R", bound=Record)
Values = Mapping[str, object]
"""What fields of a resource are to be."""


class Profile(Record):
    """The owner of the token."""

    kind, path = "user", "/profile"

    name: str = ""


class Project(Record):
    """A body of work with its own tickets."""

    kind, path, pages = "project", "/projects", False

    name: str = ""
    permalink: str = ""
    archived: bool = False
    open_tickets_count: int = 0


class Version(Record):
    """A ticket after a change; ``body`` is the comment, ``diffable_attributes`` has the values before."""

    version: int = 0
    body: str = ""
    user_name: str = ""
    diffable_attributes: dict[str, Any] = {}


class Ticket(Record):
    """A unit of work; lists have no ``versions``."""

    kind, path = "ticket", "tickets"

    number: int = 0
    title: str = ""
    state: str = ""
    closed: bool = False
    body: str = ""
    tag: str = ""
    importance: int = 0
    due_on: str | None = None
    project_id: int | None = None
    milestone_id: int | None = None
    milestone_title: str = ""
    assigned_user_id: int | None = None
    assigned_user_name: str = ""
    creator_name: str = ""
    versions: list[Version] = []


class Milestone(Record):
    """A goal for tickets."""

    kind, path = "milestone", "milestones"

    title: str = ""
    goals: str = ""
    due_on: datetime | None = None
    tickets_count: int = 0
    open_tickets_count: int = 0


class Bin(Record):
    """A saved query."""

    kind, path, pages = "ticket_bin", "bins", False

    name: str = ""
    query: str = ""
    tickets_count: int = 0


class BulkEdit(Record):
    """A change of many tickets at once; a dry run has no ``id``."""

    kind, path = "bulk_edit", "bulk_edit"

    count: int = 0
    numbers: list[int] = []


class Event(Record):
    """Something that happened; ``cursor`` is the position after it."""

    kind, path = "event", "events"

    cursor: str = ""
    type: str = ""
    happened_at: datetime | None = None
    subject_kind: str = ""
    subject_id: int | None = None
    user_name: str = ""
    changes: dict[str, Any] = {}


def decoded(content: bytes | str) -> Any:
    """Return what stands in JSON, without the names of kinds around resources; raises ClientError."""
    try:
        return _unwrapped(msgspec.json.decode(content)) if content.strip() else {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ClientError([f"The server did not answer in JSON: {error}"]) from error


def as_kind(value: Any, kind: type[R], **more: object) -> R:
    """Return a decoded value as a record of a kind; raises ClientError."""
    if isinstance(value, dict):
        # The record's own empty value stands for null.
        value = {**_without_nulls(value), "raw": value, **more}
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ClientError([f"The server sent something else than a {kind.__name__}: {error}"]) from error


def _unwrapped(value: Any) -> Any:
    """Return ``{"ticket": {…}}`` and ``{"tickets": [{"ticket": {…}}]}`` without the names."""
    if isinstance(value, list):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and isinstance(only := next(iter(value.values())), dict | list):
        return _unwrapped(only)
    return {name: _unwrapped(part) if isinstance(part, list) else part for name, part in value.items()}


def _without_nulls(record: dict[str, Any]) -> dict[str, Any]:
    return {name: _filled(value) for name, value in record.items() if value is not None}


def _filled(value: Any) -> Any:
    """Return a list of records with the raw values in each, and anything else as it is."""
    is_plain = not isinstance(value, list) or not all(isinstance(part, dict) for part in value)
    return value if is_plain else [{**_without_nulls(part), "raw": part} for part in value]
