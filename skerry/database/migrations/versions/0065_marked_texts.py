"""Texts of newcomers can be shown with a mark."""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    """Add the column."""
    op.add_column("held_texts", sa.Column("shown_as", sa.BigInteger(), nullable=True))
