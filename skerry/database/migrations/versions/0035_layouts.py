"""Saved views and people say how lists of tickets are shown."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

_LAYOUT = ("columns", "grouping", "sort")


def upgrade() -> None:
    """Add the columns, create the table, and distribute it if the others are."""
    for name in _LAYOUT:
        op.add_column("bins", _text(name))
    op.create_table(
        "list_settings",
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("account_id", "project_id", "user_id")
        ),
        *map(_text, _LAYOUT),
        sa.PrimaryKeyConstraint("account_id", "project_id", "user_id", name="pk_list_settings"),
    )
    if _are_projects_distributed():
        op.execute(
            "SELECT create_distributed_table('list_settings', 'account_id', colocate_with => 'projects')"
        )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False, server_default=sa.text("''"))


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return False
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
