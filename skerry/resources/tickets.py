"""Tickets, their versions and their attachments."""

from datetime import datetime
from typing import Annotated, Any

from skerry.resources.links import LinkChange, TicketLink
from skerry.text.levels import MAX_NUMBER
from skerry.wire.record import (
    UNSET,
    CachedRecord,
    Items,
    Members,
    Record,
    UnsetType,
    bulk,
    day,
    fields_of,
    longest,
    recorded,
    required,
    within,
    writable,
)

MAX_IMPORTANCE = MAX_NUMBER


class Attachment(Record, frozen=True):
    """A file attached to a ticket or to one of its comments."""

    singular, plural = "attachment", "attachments"

    code: str = ""
    content_type: str = ""
    created_at: datetime | None = None
    filename: str = ""
    height: int | None = None
    id: int | None = None
    size: int = 0
    uploader_id: int | None = None
    width: int | None = None
    url: str | None = None


def attachment_element(attachment: Attachment) -> str:
    """Return the XML element of an attachment: pictures have a different one."""
    return "attachment-image" if attachment.content_type.startswith("image/") else "attachment"


class Ticket(CachedRecord, frozen=True):
    """A unit of work in a project."""

    singular, plural = "ticket", "tickets"
    # Some clients send all writable fields, and nothing else.
    round_trip_fields = (
        ("number",),
        ("title", "state", "tag", "assigned_user_id", "milestone_id"),
    )
    texts = ("body", "original_body", "latest_body")
    omittable = ("body_html",)

    assigned_user_id: Annotated[int | None, writable, recorded("who is responsible"), bulk("responsible")] = (
        None
    )
    attachments_count: int = 0
    body: Annotated[str, writable] = ""
    body_html: str = ""
    closed: bool = False
    created_at: datetime | None = None
    creator_id: int | None = None
    due_on: Annotated[str | None, writable, day, recorded("the due date"), bulk("due")] = None
    importance: Annotated[
        int, writable, within(0, MAX_IMPORTANCE), recorded("the importance"), bulk("importance")
    ] = 0
    milestone_id: Annotated[int | None, writable, recorded("the milestone"), bulk("milestone")] = None
    number: int | None = None
    permalink: str | None = None
    priority: int = 0
    private: Annotated[bool, writable, recorded("who sees it"), bulk("private")] = False
    project_id: int | None = None
    state: Annotated[str | None, writable, recorded("the state"), bulk("state")] = None
    tag: Annotated[str | None, writable, recorded("the tags"), bulk("tagged", "tags")] = None
    title: Annotated[str, writable, required, longest(255), recorded("the title")] = ""
    updated_at: datetime | None = None
    user_id: int | None = None
    version: int | None = None
    watchers_ids: list[int] = []
    body_edited_at: datetime | None = None
    body_edited_by: int | None = None
    body_edited_by_name: str | None = None
    user_name: str | None = None
    creator_name: str | None = None
    assigned_user_name: str | None = None
    url: str | None = None
    milestone_title: str | None = None
    milestone_due_on: datetime | None = None
    importance_name: str | None = None
    original_body: str | UnsetType = UNSET
    latest_body: str | UnsetType = UNSET
    versions: Annotated[list["Version"] | UnsetType, Items("version", "Ticket::Version")] = UNSET
    attachments: Annotated[
        list[Attachment] | UnsetType, Items(attachment_element, "Attachment", wrapped="attachment")
    ] = UNSET
    links: Annotated[list[TicketLink] | UnsetType, Items("link", "TicketLink")] = UNSET
    # True while the text is marked as that of a newcomer, and left out otherwise.
    newcomer: bool | UnsetType = UNSET


class Version(Record, frozen=True):
    """A ticket as it stood after one change; its body is the comment made with it."""

    singular, plural = "version", "versions"
    aliases = ("ticket",)
    texts = ("body",)
    omittable = ("body_html",)

    assigned_user_id: int | None = None
    attachments_count: int = 0
    body: Annotated[str, writable] = ""
    body_deleted_by: int | None = None
    body_deleted_by_name: str | None = None
    body_html: str = ""
    closed: bool = False
    created_at: datetime | None = None
    creator_id: int | None = None
    diffable_attributes: Annotated[dict[str, Any], Members(lambda: OLD_VALUES)] = {}
    due_on: Annotated[str | None, day] = None
    importance: int = 0
    milestone_id: int | None = None
    number: int | None = None
    permalink: str | None = None
    priority: int = 0
    private: bool = False
    project_id: int | None = None
    state: str | None = None
    tag: str | None = None
    title: str = ""
    updated_at: datetime | None = None
    user_id: int | None = None
    version: int | None = None
    watchers_ids: list[int] = []
    body_edited_at: datetime | None = None
    body_edited_by: int | None = None
    body_edited_by_name: str | None = None
    user_name: str | None = None
    creator_name: str | None = None
    assigned_user_name: str | None = None
    url: str | None = None
    milestone_title: str | None = None
    importance_name: str | None = None
    quoted_body: str | UnsetType = UNSET
    link_changes: Annotated[list[LinkChange] | UnsetType, Items("link-change", "LinkChange")] = UNSET
    newcomer: bool | UnsetType = UNSET


# These have their own controls in forms, and their own places on pages.
_OWN_CONTROL = ("state", "title", "tag", "assigned_user_id", "milestone_id", "importance", "private")

PLAIN = tuple(field for field in fields_of(Ticket) if field.recorded and field.name not in _OWN_CONTROL)
"""The fields that pages show and edit without special treatment: numbers and one-line texts."""

_BY_NAME = {field.name: field for field in fields_of(Ticket)}
_RECORDED = (*(_BY_NAME[name] for name in _OWN_CONTROL), *PLAIN)

RECORDED = {field.name.removesuffix("_id"): field.name for field in _RECORDED}
"""The fields whose old values a version records, by the names that clients use."""

OLD_VALUES = {field.name.removesuffix("_id"): field.kind for field in _RECORDED}
"""The kinds of the recorded values."""

CALLED = {field.name.removesuffix("_id"): field.recorded.words for field in _RECORDED if field.recorded}
"""The names of the recorded fields in a sentence."""

COMMANDED = {
    field.bulk.command: (field.name, field.bulk.words or field.recorded.words)
    for field in _RECORDED
    if field.bulk and field.recorded
}
"""The field that each command sets, and its name in a sentence."""

VALUES = (*RECORDED.values(), "closed")
"""The fields that a version copies from its ticket: the recorded ones, and whether it is closed."""

FLAGS = tuple(name for name in VALUES if _BY_NAME[name].kind is bool)
"""Those of them that are flags, which are stored as 0 and 1."""
