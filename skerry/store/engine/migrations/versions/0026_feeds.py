"""Feeds: lists at secret URLs."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Create the table, distribute it if the others are, and create the counter of each account."""
    op.create_table(
        "feeds",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=True),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_feeds"),
        sa.UniqueConstraint("account_id", "hash", name="uq_feeds_account_id_hash"),
    )
    op.create_index("ix_feeds_account_id_user_id", "feeds", ["account_id", "user_id"])
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        op.execute("SELECT create_distributed_table('feeds', 'account_id', colocate_with => 'projects')")
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'feeds', 0 FROM accounts")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
