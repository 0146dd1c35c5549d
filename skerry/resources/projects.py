"""Projects."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class Project(Record, frozen=True):
    """A body of work with its own tickets, people and states."""

    singular: ClassVar[str] = "project"
    plural: ClassVar[str] = "projects"
    texts: ClassVar[tuple[str, ...]] = ("description",)
    omittable: ClassVar[tuple[str, ...]] = ("description_html",)

    archived: Annotated[bool, writable] = False
    closed_states: str | None = None
    created_at: datetime | None = None
    default_assigned_user_id: int | None = None
    default_milestone_id: int | None = None
    description: str | None = None
    description_html: str | None = None
    id: int | None = None
    license: str | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    open_states: str | None = None
    open_tickets_count: int = 0
    permalink: str | None = None
    public: Annotated[bool, writable] = False
    updated_at: datetime | None = None
    open_states_list: str | None = None
    closed_states_list: str | None = None
