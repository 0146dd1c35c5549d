"""Health."""

from datetime import datetime

from skerry.wire.record import Record


class Health(Record, frozen=True):
    """The state of the service: its version and database, how much it holds, and how much room is left.

    Tickets and attachments are those of the account, everything else describes the whole server. Sizes are in
    bytes. ``copied_at`` is the time of the newest copy of the database that was made before a migration.
    """

    singular, plural = "health", "health"

    program_version: str = ""
    python_version: str = ""
    schema_revision: str = ""
    database: str = ""
    database_version: str = ""
    database_size: int = 0
    tickets_count: int = 0
    attachments_count: int = 0
    attachments_size: int = 0
    free_size: int | None = None
    copied_at: datetime | None = None
    measured_at: datetime | None = None
