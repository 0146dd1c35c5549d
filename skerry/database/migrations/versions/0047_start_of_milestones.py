"""Milestones have a start date."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    """Add the column."""
    op.add_column("milestones", sa.Column("start_on", sa.Text(), nullable=True))
