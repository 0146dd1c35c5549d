"""Security events are recorded in a log, whose entries are chained by their hashes."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import create_index, create_table, number, text

revision = "0051"
down_revision = "0050"

_WAITS = sa.text("number IS NULL")


def upgrade() -> None:
    """Create the tables, which are empty, and their indexes."""
    create_table(
        "audit_entries",
        number("entry"),
        number("number", null=True),
        text("hash", null=True),
        number("happened_at"),
        text("kind"),
        text("subject_id", null=True),
        number("project_id", null=True),
        number("user_id", null=True),
        *map(text, ("credential", "details")),
        text("personal", null=True),
        text("personal_hash"),
        key=("entry",),
        unique=("number",),
    )
    create_index("audit_entries", "user_id")
    op.create_index(
        "ix_audit_entries_waiting",
        "audit_entries",
        ["account_id", "happened_at", "entry"],
        sqlite_where=_WAITS,
        postgresql_where=_WAITS,
    )
    create_table(
        "audit_chains",
        number("number"),
        text("hash"),
        number("removed_number"),
        text("removed_hash"),
        key=(),
    )
