"""Disabled logins, the networks of logins, and the bytes sent by guests."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0014"


def upgrade() -> None:
    """Add the column, and create the three tables."""
    op.add_column("users", sa.Column("disabled_at", sa.BigInteger, nullable=True))
    _make(
        "account_logins",
        [_number("account_id"), _number("user_id")],
        [_number("disabled_at", null=True), _number("removed_at", null=True)],
    )
    _make(
        "login_networks",
        [_number("account_id"), _number("user_id"), sa.Column("network", sa.Text, nullable=False)],
        [_number("used_at")],
    )
    _make(
        "guest_bytes",
        [
            _number("account_id"),
            _number("day"),
            sa.Column("kind", sa.Text, nullable=False),
            _number("owner_id"),
        ],
        [_number("size")],
    )


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null)


def _make(table: str, keys: list[sa.Column[int] | sa.Column[str]], rest: list[sa.Column[int]]) -> None:
    """Create a table, and distribute it if the others are."""
    key = sa.PrimaryKeyConstraint(*(column.name for column in keys), name=op.f(f"pk_{table}"))
    op.create_table(table, *keys, *rest, key)
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        op.execute(f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
