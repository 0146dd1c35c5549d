"""Of a comment that was deleted, its version says who did it."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"


def upgrade() -> None:
    """Add the column."""
    op.add_column("versions", sa.Column("body_deleted_by", sa.BigInteger(), nullable=True))
