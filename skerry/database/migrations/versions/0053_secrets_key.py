"""Accounts name the key that encrypts their secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"


def upgrade() -> None:
    """Add the column; the server encrypts existing secrets when it starts."""
    op.add_column("accounts", sa.Column("secrets_key", sa.Text(), nullable=True))
