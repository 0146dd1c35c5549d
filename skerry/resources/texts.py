"""The declarations of rendered and of earlier texts."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, writable


class Preview(Record, frozen=True):
    """A text with its HTML; nothing is stored."""

    singular, plural = "preview", "previews"
    texts = ("body",)
    omittable = ("body_html",)

    body: Annotated[str, writable] = ""
    body_html: str = ""


class EarlierText(Record, frozen=True):
    """A text before it was edited, and who wrote it when."""

    singular, plural = "text", "texts"
    texts = ("body",)

    body: str = ""
    created_at: datetime | None = None
    id: int | None = None
    user_id: int | None = None
    user_name: str | None = None
