"""Forges report commits, whose committers changesets name."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"

_PROJECT = ("account_id", "project_id")
_KEY = ("projects.account_id", "projects.id")
_FOREIGN = "fk_forges_account_id_project_id"


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    op.add_column("changesets", sa.Column("committer_id", sa.BigInteger(), nullable=True))
    op.add_column(
        "changesets", sa.Column("committer_name", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(_PROJECT, _KEY, name=_FOREIGN, ondelete="CASCADE")
    op.create_table(
        "forges",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "note", "secret")),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("pushed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_forges"),
        *([belongs] if is_sqlite else []),
    )
    op.create_index("ix_forges_account_id_project_id", "forges", [*_PROJECT])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'forges', 0 FROM accounts")
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute("SELECT create_distributed_table('forges', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(
        _FOREIGN, "forges", "projects", [*_PROJECT], ["account_id", "id"], ondelete="CASCADE"
    )


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
