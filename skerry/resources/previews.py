"""Previews of texts."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, writable


class Preview(Record, frozen=True):
    """A text with its HTML; nothing is stored."""

    singular: ClassVar[str] = "preview"
    plural: ClassVar[str] = "previews"
    texts: ClassVar[tuple[str, ...]] = ("body",)
    omittable: ClassVar[tuple[str, ...]] = ("body_html",)

    body: Annotated[str, writable] = ""
    body_html: str = ""
