"""Hooks count refusals and choose versions; deliveries keep their attempts and their ticket."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Add the columns."""
    _add("hooks", "refusals", sa.BigInteger(), "0")
    _add("hooks", "versions_sent", sa.Text(), "all")
    _add("deliveries", "attempts", sa.Text(), "[]")
    op.add_column("deliveries", sa.Column("project_id", sa.BigInteger(), nullable=True))
    op.add_column("deliveries", sa.Column("ticket", sa.BigInteger(), nullable=True))


def _add(table: str, name: str, kind: sa.BigInteger | sa.Text, default: str) -> None:
    op.add_column(table, sa.Column(name, kind, nullable=False, server_default=default))
