"""Notifications can be hidden until a time."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Add the column."""
    op.add_column("notifications", sa.Column("snoozed_until", sa.BigInteger(), nullable=True))
