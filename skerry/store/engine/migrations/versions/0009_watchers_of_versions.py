"""The watchers of each version; for existing versions they are unknown, so no row is changed."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column."""
    op.add_column("versions", sa.Column("watchers_ids", sa.Text(), nullable=True))
