"""Templates of tickets."""

from typing import Annotated

from skerry.wire.record import Record, longest, required, writable

MAX_TEMPLATES = 50
"""How many templates a project may have."""


MAX_NAME_LENGTH = 100


class TicketTemplate(Record, frozen=True):
    """Values with which a new ticket of a project can begin.

    The texts of all templates of a project fit into one response.
    """

    singular, plural = "template", "templates"
    texts = ("body",)

    assigned_user_id: Annotated[int | None, writable] = None
    body: Annotated[str, writable, longest(20_000)] = ""
    id: int | None = None
    name: Annotated[str, writable, required, longest(MAX_NAME_LENGTH)] = ""
    project_id: int | None = None
    tag: Annotated[str, writable, longest(1_000)] = ""
    title: Annotated[str, writable, longest(255)] = ""
