"""Administrators upload archives, which are imported in the background."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"

_TEXTS = ("filename", "kind", "name", "columns", "code", "state", "report", "error", "stage", "project_ids")
_NUMBERS = ("size", "done", "total", "created_at", "updated_at")


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    op.create_table(
        "imports",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in _TEXTS),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _NUMBERS),
        sa.Column("stage_began_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_imports"),
    )
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'imports', 0 FROM accounts")
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        op.execute("SELECT create_distributed_table('imports', 'account_id', colocate_with => 'projects')")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
