"""Settings of projects."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class ProjectSettings(Record, frozen=True):
    """The settings of a project: its description, its visibility, its states and its defaults."""

    singular: ClassVar[str] = "settings"
    plural: ClassVar[str] = "settings"

    archived: Annotated[bool, writable] = False
    closed_states: Annotated[str, writable, required] = ""
    default_assigned_user_id: Annotated[int | None, writable] = None
    default_milestone_id: Annotated[int | None, writable] = None
    description: Annotated[str, writable] = ""
    license: Annotated[str, writable, longest(255)] = ""
    mail_address: str = ""
    mail_from_anyone: Annotated[bool, writable] = False
    name: Annotated[str, writable, required, longest(255)] = ""
    open_states: Annotated[str, writable, required] = ""
    project_id: int | None = None
    public: Annotated[bool, writable] = False
    updated_at: datetime | None = None
