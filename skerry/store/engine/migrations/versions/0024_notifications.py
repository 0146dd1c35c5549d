"""Notifications of tickets, their levels and mutes."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_TICKET = ("project_id", "number")


def upgrade() -> None:
    """Create the tables, and distribute them if the others are."""
    _table(
        "notifications",
        *(_number(name) for name in (*_TICKET, "user_id", "id", "reason", "event_number")),
        sa.Column("unread", sa.SmallInteger(), nullable=False),
        _number("created_at"),
        _number("updated_at"),
        sa.PrimaryKeyConstraint("account_id", *_TICKET, "user_id", name=op.f("pk_notifications")),
        sa.UniqueConstraint(
            "account_id", "user_id", "id", name=op.f("uq_notifications_account_id_user_id_id")
        ),
        parent="tickets",
        key=_TICKET,
    )
    op.create_index(
        op.f("ix_notifications_account_id_user_id_unread_event_number"),
        "notifications",
        ["account_id", "user_id", "unread", "event_number"],
    )
    _table(
        "mutes",
        *(_number(name) for name in (*_TICKET, "user_id")),
        sa.PrimaryKeyConstraint("account_id", *_TICKET, "user_id", name=op.f("pk_mutes")),
        parent="tickets",
        key=_TICKET,
    )
    _table(
        "notification_levels",
        _number("project_id"),
        _number("user_id"),
        sa.Column("level", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "project_id", "user_id", name=op.f("pk_notification_levels")),
        parent="projects",
        key=("id",),
    )
    # Nobody is notified of events from before this migration.
    op.execute(
        "INSERT INTO counters (account_id, name, value) "
        "SELECT account_id, 'events read by notifications', value FROM counters WHERE name = 'events' "
        "ON CONFLICT DO NOTHING"
    )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _table(
    name: str, *parts: sa.Column[int] | sa.Column[str] | sa.Constraint, parent: str, key: tuple[str, ...]
) -> None:
    """Create a table whose rows are deleted with those of a parent."""
    own = ["account_id", *(column if column != "id" else "project_id" for column in key)]
    others = ["account_id", *key]
    foreign = op.f(f"fk_{name}_{'_'.join(own)}")
    if op.get_bind().dialect.name == "sqlite":
        # SQLite cannot add a foreign key to an existing table.
        belongs = sa.ForeignKeyConstraint(
            own, [f"{parent}.{column}" for column in others], name=foreign, ondelete="CASCADE"
        )
        op.create_table(name, _number("account_id"), *parts, belongs)
        return
    op.create_table(name, _number("account_id"), *parts)
    if _are_projects_spread():
        op.execute(f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(foreign, name, parent, own, others, ondelete="CASCADE")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
