"""Tokens can be limited to scopes, and show where they were last used."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    """Add both columns, which are empty for the tokens of before."""
    for name in ("scopes", "address"):
        op.add_column("tokens", sa.Column(name, sa.Text(), nullable=False, server_default=""))
