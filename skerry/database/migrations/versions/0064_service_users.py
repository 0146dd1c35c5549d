"""Programs are users without a login."""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"


def upgrade() -> None:
    """Add the column."""
    op.add_column("users", sa.Column("service", sa.SmallInteger(), nullable=False, server_default="0"))
