"""Removals of people, which can be undone for a while."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_KEY = ("account_id", "project_id", "user_id")


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    op.create_table(
        "removals",
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _KEY),
        *(sa.Column(name, sa.BigInteger(), nullable=True) for name in ("membership_id", "successor_id")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("creator_id", "created_at")),
        sa.Column("kept", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(*_KEY, name=op.f("pk_removals")),
    )
    if op.get_bind().dialect.name == "postgresql" and _are_tables_spread():
        op.execute("SELECT create_distributed_table('removals', 'account_id', colocate_with => 'projects')")


def _are_tables_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
