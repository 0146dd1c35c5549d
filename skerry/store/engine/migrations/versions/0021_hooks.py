"""Webhooks and their deliveries."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Create the tables, distribute them if the others are, and create the counters of each account."""
    hooks = (
        *_numbers("account_id", "id"),
        sa.Column("project_id", sa.BigInteger(), nullable=True),
        *_numbers("user_id"),
        *_texts("url", "event_types", "query", "format"),
        sa.Column("active", sa.SmallInteger(), nullable=False),
        *_texts("note", "secret"),
        sa.Column("old_secret", sa.Text(), nullable=True),
        *_numbers("old_secret_until", null=True),
        *_numbers("cursor", "tries"),
        *_numbers("tried_since", "delivery_id", "next_try_at", "failing_since", null=True),
        *_texts("problem"),
        *_numbers("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_hooks"),
    )
    _make("hooks", hooks, "fk_hooks_account_id_project_id", "project_id", "projects")
    op.create_index("ix_hooks_account_id_project_id", "hooks", ["account_id", "project_id"])
    deliveries = (
        *_numbers("account_id", "id", "hook_id"),
        *_numbers("event", null=True),
        *_texts("event_type", "message_id", "state"),
        sa.Column("asked", sa.SmallInteger(), nullable=False),
        *_numbers("status", null=True),
        *_numbers("tries"),
        *_numbers("milliseconds", null=True),
        *_texts("request", "answer"),
        *_numbers("created_at"),
        *_numbers("tried_at", "delivered_at", "next_try_at", null=True),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_deliveries"),
    )
    _make("deliveries", deliveries, "fk_deliveries_account_id_hook_id", "hook_id", "hooks")
    op.create_index("ix_deliveries_account_id_hook_id_id", "deliveries", ["account_id", "hook_id", "id"])
    op.create_index(
        "ix_deliveries_account_id_asked_hook_id_id", "deliveries", ["account_id", "asked", "hook_id", "id"]
    )
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'hooks', 0 FROM accounts")
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'deliveries', 0 FROM accounts")


def _make(table: str, columns: tuple[object, ...], foreign_key: str, column: str, to: str) -> None:
    """Create a table whose rows are deleted with the row that they belong to."""
    here, there = ["account_id", column], ["account_id", "id"]
    if op.get_bind().dialect.name == "sqlite":
        # SQLite cannot add a foreign key to an existing table.
        belongs = sa.ForeignKeyConstraint(
            here, [f"{to}.{name}" for name in there], name=foreign_key, ondelete="CASCADE"
        )
        op.create_table(table, *columns, belongs)  # type: ignore[arg-type] # all are columns or constraints
        return
    op.create_table(table, *columns)  # type: ignore[arg-type] # as above
    if _are_projects_spread():
        op.execute(f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(foreign_key, table, to, here, there, ondelete="CASCADE")


def _numbers(*names: str, null: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=null) for name in names]


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
