"""Strangers sign up where the account allows it."""

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    op.add_column(
        "accounts", sa.Column("sign_up", sa.Text(), nullable=False, server_default=sa.text("'off'"))
    )
    op.create_table(
        "sign_ups",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("hash", "email", "name")),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("created_at", "expires_at")),
        *(
            sa.Column(name, sa.BigInteger(), nullable=True)
            for name in ("proved_at", "told_at", "decided_at", "decided_by")
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_sign_ups"),
        sa.UniqueConstraint("account_id", "hash", name="uq_sign_ups_account_id_hash"),
    )
    for column in ("email", "user_id"):
        op.create_index(f"ix_sign_ups_account_id_{column}", "sign_ups", ["account_id", column])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'sign_ups', 0 FROM accounts")
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        op.execute("SELECT create_distributed_table('sign_ups', 'account_id', colocate_with => 'projects')")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
