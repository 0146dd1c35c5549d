"""Revisions, which identify cached tickets, in the list's index with the people in the ticket."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_LIST = (
    *("account_id", "project_id", "updated_at", "number"),
    *("closed", "state", "assigned_user_id", "milestone_id", "importance"),
    *("creator_id", "user_id", "revision"),
)


def upgrade() -> None:
    """Add the column, and recreate the index."""
    op.add_column("tickets", sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0"))
    op.drop_index(op.f("ix_tickets_list"), "tickets", if_exists=True)
    op.create_index(op.f("ix_tickets_list"), "tickets", list(_LIST))
