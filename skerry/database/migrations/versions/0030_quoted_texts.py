"""Versions keep what was left out of a text that came by mail."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add the column."""
    op.add_column("versions", sa.Column("quoted_body", sa.Text(), nullable=True))
