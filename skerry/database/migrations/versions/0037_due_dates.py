"""Tickets have a due date and an index of those that do, and accounts a time zone."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

_DUE = sa.text("due_on IS NOT NULL")


def upgrade() -> None:
    """Add the columns, which are empty, and the index."""
    for table in ("tickets", "versions"):
        op.add_column(table, sa.Column("due_on", sa.Text(), nullable=True))
    op.add_column("accounts", sa.Column("time_zone", sa.Text(), nullable=True))
    op.create_index(
        "ix_tickets_due",
        "tickets",
        ["account_id", "due_on", "project_id", "number", "closed"],
        sqlite_where=_DUE,
        postgresql_where=_DUE,
    )
