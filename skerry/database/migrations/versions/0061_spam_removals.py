"""Spammers are removed with everything that they wrote, which can be undone."""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    """Create the tables and the counter of each account, and distribute the tables if the others are."""
    op.create_table(
        "spam_removals",
        *(_number(name) for name in ("account_id", "user_id", "creator_id", "created_at")),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("was_disabled", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name="pk_spam_removals"),
    )
    op.create_table(
        "removed_things",
        *(_number(name) for name in ("account_id", "id", "user_id")),
        sa.Column("kind", sa.Text(), nullable=False),
        *(_number(name) for name in ("project_id", "number", "version")),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_removed_things"),
    )
    op.create_index(
        "ix_removed_things_account_id_user_id_id", "removed_things", ["account_id", "user_id", "id"]
    )
    op.create_table(
        "removed_files",
        *(_number(name) for name in ("account_id", "user_id", "storage")),
        sa.Column("code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "code", name="pk_removed_files"),
    )
    op.create_index("ix_removed_files_account_id_user_id", "removed_files", ["account_id", "user_id"])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'removed_things', 0 FROM accounts")
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        for table in ("spam_removals", "removed_things", "removed_files"):
            op.execute(
                f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')"
            )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
