"""Security events are recorded in a log, whose entries are chained by their hashes."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"

_WAITS = sa.text("number IS NULL")


def upgrade() -> None:
    """Create the tables, which are empty, and distribute them if the others are."""
    op.create_table(
        "audit_entries",
        _id("account_id"),
        _id("entry"),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("hash", sa.Text(), nullable=True),
        sa.Column("happened_at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=True),
        sa.Column("project_id", sa.BigInteger(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("credential", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("personal", sa.Text(), nullable=True),
        sa.Column("personal_hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "entry", name="pk_audit_entries"),
        sa.UniqueConstraint("account_id", "number", name="uq_audit_entries_account_id_number"),
    )
    op.create_index("ix_audit_entries_account_id_user_id", "audit_entries", ["account_id", "user_id"])
    op.create_index(
        "ix_audit_entries_waiting",
        "audit_entries",
        ["account_id", "happened_at", "entry"],
        sqlite_where=_WAITS,
        postgresql_where=_WAITS,
    )
    op.create_table(
        "audit_chains",
        _id("account_id"),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("removed_number", sa.BigInteger(), nullable=False),
        sa.Column("removed_hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_audit_chains"),
    )
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        for table in ("audit_entries", "audit_chains"):
            op.execute(
                f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')"
            )


def _id(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
