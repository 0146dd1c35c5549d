"""Tickets may be private, also those that wait for release, and those that are have an index."""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"

_PRIVATE = sa.text("private = 1")


def upgrade() -> None:
    """Add the columns and the index; no ticket is private yet."""
    for table in ("tickets", "versions", "held_texts"):
        op.add_column(table, sa.Column("private", sa.SmallInteger(), nullable=False, server_default="0"))
    op.create_index(
        "ix_tickets_private",
        "tickets",
        [
            *("account_id", "private", "project_id", "number"),
            *("creator_id", "assigned_user_id", "closed", "state", "milestone_id"),
        ],
        sqlite_where=_PRIVATE,
        postgresql_where=_PRIVATE,
    )
