"""People sign in with OpenID Connect providers."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    op.add_column("sessions", sa.Column("provider", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("id_token", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("proved_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "identities",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("provider", "subject", "email")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("created_at", "used_at")),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_identities"),
        sa.UniqueConstraint(
            "account_id", "provider", "subject", name="uq_identities_account_id_provider_subject"
        ),
    )
    op.create_index("ix_identities_account_id_user_id", "identities", ["account_id", "user_id"])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'identities', 0 FROM accounts")
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        op.execute("SELECT create_distributed_table('identities', 'account_id', colocate_with => 'projects')")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
