"""Bulk edits may be parts of one over several projects."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("bulk_edits", sa.Column("part_of", sa.BigInteger(), nullable=True))
    op.create_index("ix_bulk_edits_account_id_part_of", "bulk_edits", ["account_id", "part_of"])
