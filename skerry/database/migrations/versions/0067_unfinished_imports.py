"""Imported projects are marked until their links are restored."""

import sqlalchemy as sa
from alembic import op

revision = "0067"
down_revision = "0066"

_TABLE = "unfinished_imports"
_PROJECT = ("account_id", "project_id")
_KEY = ("projects.account_id", "projects.id")
_FOREIGN = "fk_unfinished_imports_account_id_project_id"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    belongs = sa.ForeignKeyConstraint(_PROJECT, _KEY, name=_FOREIGN, ondelete="CASCADE")
    op.create_table(
        _TABLE,
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in _PROJECT),
        sa.Column("ids", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(*_PROJECT, name="pk_unfinished_imports"),
        # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
        *([belongs] if is_sqlite else []),
    )
    if not is_sqlite:
        if _are_projects_distributed():
            op.execute(
                f"SELECT create_distributed_table('{_TABLE}', 'account_id', colocate_with => 'projects')"
            )
        op.create_foreign_key(
            _FOREIGN, _TABLE, "projects", [*_PROJECT], ["account_id", "id"], ondelete="CASCADE"
        )


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
