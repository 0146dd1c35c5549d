"""The declarations of projects, and of their settings, states and tags."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, longest, required, writable


class Project(Record, frozen=True):
    """A body of work with its own tickets, people and states."""

    singular, plural = "project", "projects"
    texts = ("description",)
    omittable = ("description_html",)

    archived: Annotated[bool, writable] = False
    closed_states: str | None = None
    created_at: datetime | None = None
    default_assigned_user_id: int | None = None
    default_milestone_id: int | None = None
    description: str | None = None
    description_html: str | None = None
    id: int | None = None
    importance_levels: str | None = None
    license: str | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    open_states: str | None = None
    open_tickets_count: int = 0
    permalink: str | None = None
    public: Annotated[bool, writable] = False
    updated_at: datetime | None = None
    open_states_list: str | None = None
    closed_states_list: str | None = None


class State(Record, frozen=True):
    """A state that tickets of a project may have, with its colour and the number of tickets in it.

    ``color`` is six hexadecimal digits.
    """

    singular, plural = "state", "states"

    closed: bool = False
    color: str = ""
    name: str = ""
    tickets_count: int = 0


class Tag(Record, frozen=True):
    """A tag with the number of tickets of a project that have it, open or closed."""

    singular, plural = "tag", "tags"

    name: str = ""
    tickets_count: int = 0


class ProjectSettings(Record, frozen=True):
    """The settings of a project: its description, its visibility, its states, its levels and its defaults."""

    singular, plural = "settings", "settings"

    archived: Annotated[bool, writable] = False
    closed_states: Annotated[str, writable, required] = ""
    default_assigned_user_id: Annotated[int | None, writable] = None
    default_milestone_id: Annotated[int | None, writable] = None
    description: Annotated[str, writable] = ""
    importance_levels: Annotated[str, writable] = ""
    license: Annotated[str, writable, longest(255)] = ""
    mail_address: str = ""
    mail_from_anyone: Annotated[bool, writable] = False
    name: Annotated[str, writable, required, longest(255)] = ""
    open_states: Annotated[str, writable, required] = ""
    project_id: int | None = None
    public: Annotated[bool, writable] = False
    updated_at: datetime | None = None
