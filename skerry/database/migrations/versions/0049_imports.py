"""Administrators upload archives, which are imported in the background."""

from skerry.database.new_tables import count_ids, create_table, number, text

revision = "0049"
down_revision = "0048"

_TEXTS = ("filename", "kind", "name", "columns", "code", "state", "report", "error", "stage", "project_ids")
_NUMBERS = ("size", "done", "total", "created_at", "updated_at")


def upgrade() -> None:
    """Create the table, and the counter of each account."""
    create_table(
        "imports",
        *map(number, ("id", "user_id")),
        *map(text, _TEXTS),
        *map(number, _NUMBERS),
        number("stage_began_at", null=True),
        key=("id",),
    )
    count_ids("imports")
