"""Accounts can demand that their members sign in with a provider."""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"


def upgrade() -> None:
    """Add the flag, which is not set for the accounts of before."""
    demanded = sa.Column("single_sign_on", sa.SmallInteger(), nullable=False, server_default="0")
    op.add_column("accounts", demanded)
