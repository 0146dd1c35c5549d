"""The sizes of pictures of people, so that damage is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("users", sa.Column("avatar_size", sa.BigInteger, nullable=True))
