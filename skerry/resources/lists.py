"""How people want to see lists of tickets."""

from typing import Annotated

from skerry.wire.record import Record, words, writable


class ListSettings(Record, frozen=True):
    """How a person sees the list of a project, or of all projects if ``project_id`` is null.

    They apply where no saved view does.
    """

    singular, plural = "list_settings", "list_settings"

    columns: Annotated[str, writable, words] = ""
    group: Annotated[str, writable] = ""
    project_id: int | None = None
    sort: Annotated[str, writable] = ""
