"""How many bytes the picture of somebody has, so that what is lost of it is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column beside the code and the type."""
    op.add_column("users", sa.Column("avatar_size", sa.BigInteger, nullable=True))
