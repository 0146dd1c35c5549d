"""Links between tickets."""

from collections.abc import Mapping
from typing import Annotated

from skerry.wire.record import Record, longest, required, writable

KINDS: Mapping[str, str] = {
    "blocks": "blocked-by",
    "blocked-by": "blocks",
    "duplicates": "duplicated-by",
    "duplicated-by": "duplicates",
    "relates-to": "relates-to",
    "parent": "child",
    "child": "parent",
}
"""The kinds of links, each with the kind that the other ticket shows."""

STORED = ("blocks", "duplicates", "relates-to", "parent")
"""The kinds of links as they are stored; the others are their counterparts."""

LABELS: Mapping[str, str] = {kind: kind.replace("-", " ").capitalize() for kind in KINDS}
"""The names of the kinds on pages and in mails."""

MAX_LINKS = 100
"""How many links a ticket may have."""


class TicketLink(Record, frozen=True):
    """A link of a ticket to another one, which the other fields describe.

    A ``parent`` is the parent of the ticket that shows the link.
    """

    singular, plural = "link", "links"

    closed: bool = False
    id: int | None = None
    kind: Annotated[str, writable, required, longest(20)] = ""
    number: int | None = None
    project_id: int | None = None
    state: str | None = None
    ticket: Annotated[str, writable, required, longest(300)] = ""
    title: str = ""
    url: str | None = None


class LinkChange(Record, frozen=True):
    """A link that a version of a ticket added or removed."""

    singular, plural = "link_change", "link_changes"

    added: bool = False
    kind: str = ""
    number: int | None = None
    project_id: int | None = None
    ticket: str = ""
    title: str = ""
