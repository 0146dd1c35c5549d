"""Language, time zone and verified address of people, and the base URL of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the columns."""
    for name in ("language", "time_zone"):
        op.add_column("users", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("logins", sa.Column("verified_at", sa.BigInteger(), nullable=True))
    op.add_column("accounts", sa.Column("base_url", sa.Text(), nullable=True))
