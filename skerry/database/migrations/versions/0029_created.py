"""Indexes of tickets by the time they were opened, and of those with files."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

_WITH_FILES = sa.text("attachments_count > 0")


def upgrade() -> None:
    """Create the indexes."""
    op.create_index(
        op.f("ix_tickets_account_id_created_at_project_id_number"),
        "tickets",
        ["account_id", "created_at", "project_id", "number"],
        if_not_exists=True,
    )
    op.create_index(
        "ix_tickets_with_files",
        "tickets",
        ["account_id", "project_id", "number"],
        if_not_exists=True,
        sqlite_where=_WITH_FILES,
        postgresql_where=_WITH_FILES,
    )
