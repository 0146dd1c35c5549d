"""Accounts can demand second factors."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"


def upgrade() -> None:
    """Add the day from which they are demanded."""
    op.add_column("accounts", sa.Column("factors_from", sa.Text(), nullable=True))
