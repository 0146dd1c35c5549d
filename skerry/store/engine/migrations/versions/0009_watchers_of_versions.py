"""Versions know who watched after them; of those until now nobody knows it, so no row is touched."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column."""
    op.add_column("versions", sa.Column("watchers_ids", sa.Text(), nullable=True))
