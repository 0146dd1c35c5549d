"""Imports of projects that somebody uploads."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, http_url, longest, writable


class Import(Record, frozen=True):
    """An uploaded archive, or the export of another tracker, that is imported in the background.

    ``kind`` is ``archive`` or the name of a tracker. ``state`` is ``checking``, ``checked``, ``running``,
    ``done`` or ``failed``; ``error`` says why it failed. ``columns`` says what the columns of a table mean,
    one ``column = field`` a line; ``people`` is a list with the addresses of people. ``markup`` and
    ``address`` are those of a Redmine, which are guessed if they are empty. ``report`` says what is kept,
    changed and lost. ``stage`` is what is being done, of which ``done`` parts of ``total`` are done since
    ``stage_began_at``. ``project_ids`` are the imported projects.
    """

    singular, plural = "import", "imports"
    # Its list of people makes them members of what is imported.
    decides_access = True

    address: Annotated[str, writable, http_url, longest(2000)] = ""
    columns: Annotated[str, writable, longest(100_000)] = ""
    created_at: datetime | None = None
    done: int = 0
    error: str = ""
    filename: str = ""
    id: int | None = None
    kind: Annotated[str, writable, longest(16)] = "archive"
    markup: Annotated[str, writable, longest(16)] = ""
    name: Annotated[str, writable, longest(255)] = ""
    people: Annotated[str, writable, longest(100_000)] = ""
    project_ids: list[int] = []
    report: str = ""
    size: int = 0
    stage: str = ""
    stage_began_at: datetime | None = None
    state: str = "checking"
    total: int = 0
    updated_at: datetime | None = None
    user_id: int | None = None
