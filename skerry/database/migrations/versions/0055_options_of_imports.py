"""Imports on a page know the markup and the address of Redmine, and the addresses of people."""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"


def upgrade() -> None:
    """Add the columns, which are empty for the imports of before."""
    for name in ("markup", "address", "people"):
        op.add_column("imports", sa.Column(name, sa.Text(), nullable=False, server_default=""))
