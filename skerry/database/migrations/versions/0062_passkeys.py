"""People sign in with passkeys."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    """Create the tables and the counter of each account, and distribute the tables if the others are."""
    op.create_table(
        "passkeys",
        *(_number(name) for name in ("account_id", "id", "user_id")),
        *(_text(name) for name in ("credential", "public_key")),
        _number("counter"),
        *(_text(name) for name in ("name", "transports")),
        sa.Column("backed_up", sa.SmallInteger(), nullable=False),
        _number("created_at"),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        _text("address"),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_passkeys"),
        sa.UniqueConstraint("account_id", "credential", name="uq_passkeys_account_id_credential"),
    )
    op.create_index("ix_passkeys_account_id_user_id", "passkeys", ["account_id", "user_id"])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'passkeys', 0 FROM accounts")
    op.create_table(
        "answered_challenges",
        _number("account_id"),
        _text("hash"),
        _number("expires_at"),
        sa.PrimaryKeyConstraint("account_id", "hash", name="pk_answered_challenges"),
    )
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        for table in ("passkeys", "answered_challenges"):
            op.execute(
                f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')"
            )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
