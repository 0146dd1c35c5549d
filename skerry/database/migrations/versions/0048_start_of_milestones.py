"""Milestones have a start date."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    """Add the column."""
    op.add_column("milestones", sa.Column("start_on", sa.Text(), nullable=True))
