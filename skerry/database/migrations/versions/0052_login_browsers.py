"""Browsers in which people have signed in, so that a new one is told by mail."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    op.create_table(
        "login_browsers",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", "hash", name="pk_login_browsers"),
    )
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        op.execute(
            "SELECT create_distributed_table('login_browsers', 'account_id', colocate_with => 'projects')"
        )


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
