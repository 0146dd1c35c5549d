"""Events, which record every change."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0012"

_KEY, _PROJECTS = ["account_id", "project_id"], ["account_id", "id"]
_FOREIGN = "fk_events_account_id_project_id"


def upgrade() -> None:
    """Create the table, distribute it if the others are, and create the counter of each account."""
    columns = (
        _number("account_id"),
        _number("number"),
        _text("type"),
        _number("project_id", null=True),
        _text("subject_kind"),
        _text("subject_id"),
        _number("user_id", null=True),
        _number("version", null=True),
        _text("changes"),
        _number("batch_id", null=True),
        _number("happened_at"),
        _text("via"),
        _number("token_id", null=True),
        sa.PrimaryKeyConstraint("account_id", "number", name=op.f("pk_events")),
    )
    if op.get_bind().dialect.name == "sqlite":
        # SQLite cannot add a foreign key to an existing table.
        belongs = sa.ForeignKeyConstraint(
            _KEY, [f"projects.{name}" for name in _PROJECTS], name=op.f(_FOREIGN), ondelete="CASCADE"
        )
        op.create_table("events", *columns, belongs)
    else:
        op.create_table("events", *columns)
        if _are_projects_spread():
            op.execute("SELECT create_distributed_table('events', 'account_id', colocate_with => 'projects')")
        op.create_foreign_key(op.f(_FOREIGN), "events", "projects", _KEY, _PROJECTS, ondelete="CASCADE")
    op.create_index(
        op.f("ix_events_account_id_project_id_number"), "events", ["account_id", "project_id", "number"]
    )
    op.execute(
        "INSERT INTO counters (account_id, name, value) SELECT id, 'events', 0 FROM accounts WHERE TRUE "
        "ON CONFLICT DO NOTHING"
    )


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=null)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
