"""Bulk edits remember that they changed private tickets that are not in their place any more."""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"

_PRIVATE = sa.text("private = 1")


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("bulk_edits", sa.Column("private", sa.SmallInteger(), nullable=False, server_default="0"))
    op.create_index(
        "ix_bulk_edits_private",
        "bulk_edits",
        ["account_id", "private", "project_id"],
        sqlite_where=_PRIVATE,
        postgresql_where=_PRIVATE,
    )
