"""The person who deleted a comment, in its version."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"


def upgrade() -> None:
    """Add the column."""
    op.add_column("versions", sa.Column("body_deleted_by", sa.BigInteger(), nullable=True))
