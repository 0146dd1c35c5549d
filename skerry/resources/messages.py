"""Messages and the comments on them."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Items, Record, UnsetType, longest, required, writable


class Comment(Record, frozen=True):
    """The fields of a comment that a client may write; a stored comment is a message with a parent."""

    singular, plural = "comment", "comments"
    aliases = ("message",)

    body: Annotated[str, writable, required] = ""


class Message(Record, frozen=True):
    """A text addressed to the whole project, or a comment on one, which has that message as its parent."""

    singular, plural = "message", "messages"
    aliases = ("comment",)
    texts = ("body",)
    omittable = ("body_html",)

    attachments_count: int = 0
    body: Annotated[str, writable] = ""
    body_html: str = ""
    comments_count: int = 0
    created_at: datetime | None = None
    id: int | None = None
    parent_id: int | None = None
    permalink: str | None = None
    project_id: int | None = None
    title: Annotated[str, writable, required, longest(255)] = ""
    updated_at: datetime | None = None
    user_id: int | None = None
    body_edited_at: datetime | None = None
    body_edited_by: int | None = None
    body_edited_by_name: str | None = None
    user_name: str | None = None
    url: str | None = None
    comments: Annotated[list["Message"] | UnsetType, Items("comment", "Message")] = UNSET
    # True while a comment is marked as that of a newcomer, and left out otherwise.
    newcomer: bool | UnsetType = UNSET
