"""Counts of tickets by state and tag, and an index of the newest changesets."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_FILL = (
    """
    INSERT INTO state_counts (account_id, project_id, state, closed, tickets_count)
    SELECT account_id, project_id, state, closed, count(*)
    FROM tickets GROUP BY account_id, project_id, state, closed
    """,
    """
    INSERT INTO tag_counts (account_id, project_id, tag, tickets_count)
    SELECT account_id, project_id, tag, count(*)
    FROM taggings GROUP BY account_id, project_id, tag
    """,
)


_KEY, _PROJECTS = ["account_id", "project_id"], ["account_id", "id"]


def upgrade() -> None:
    """Create the tables, fill them, and create the index."""
    _make("state_counts", sa.Column("state", sa.Text(), nullable=False), _number("closed", sa.SmallInteger()))
    _make("tag_counts", sa.Column("tag", sa.Text(), nullable=False))
    for statement in _FILL:
        op.execute(statement)
    op.create_index(
        op.f("ix_changesets_account_id_changed_at_project_id_revision"),
        "changesets",
        ["account_id", "changed_at", "project_id", "revision"],
    )


def _number(name: str, kind: sa.types.TypeEngine[int] | None = None) -> sa.Column[int]:
    return sa.Column(name, kind or sa.BigInteger(), nullable=False)


def _make(table: str, *counted: sa.Column[str] | sa.Column[int]) -> None:
    """Create a table of counts in projects, and distribute it if the others are."""
    columns = (_number("account_id"), _number("project_id"), *counted, _number("tickets_count"))
    key = sa.PrimaryKeyConstraint(*(column.name for column in columns[:-1]), name=op.f(f"pk_{table}"))
    foreign = op.f(f"fk_{table}_account_id_project_id")
    if op.get_bind().dialect.name == "sqlite":
        # SQLite cannot add a foreign key to an existing table.
        belongs = sa.ForeignKeyConstraint(
            _KEY, [f"projects.{name}" for name in _PROJECTS], name=foreign, ondelete="CASCADE"
        )
        op.create_table(table, *columns, key, belongs)
        return
    op.create_table(table, *columns, key)
    if _are_projects_spread():
        op.execute(f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(foreign, table, "projects", _KEY, _PROJECTS, ondelete="CASCADE")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
