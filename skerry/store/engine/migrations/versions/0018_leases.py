"""Leases for the background work of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    op.create_table(
        "leases",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("paused_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", name="pk_leases"),
    )
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        op.execute("SELECT create_distributed_table('leases', 'account_id', colocate_with => 'projects')")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
