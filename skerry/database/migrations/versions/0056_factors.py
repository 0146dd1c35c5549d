"""People have second factors."""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    """Create the tables, and distribute them if the others are."""
    op.add_column("account_logins", sa.Column("factor_at", sa.BigInteger(), nullable=True))
    _create(
        "time_codes",
        ("user_id",),
        _number("user_id"),
        _text("secret"),
        _number("created_at"),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        _number("last_step"),
        _number("failures"),
        sa.Column("failed_at", sa.BigInteger(), nullable=True),
    )
    _create("recovery_codes", ("user_id", "hash"), _number("user_id"), _text("hash"))
    _create(
        "sign_in_steps",
        ("hash", "purpose"),
        _text("hash"),
        _text("purpose"),
        _number("user_id"),
        _text("proof"),
        _text("credential"),
        _number("expires_at"),
    )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _create(table: str, key: tuple[str, ...], *columns: sa.Column[int] | sa.Column[str]) -> None:
    primary = sa.PrimaryKeyConstraint("account_id", *key, name=f"pk_{table}")
    op.create_table(table, _number("account_id"), *columns, primary)
    if op.get_bind().dialect.name != "sqlite" and _are_projects_distributed():
        op.execute(f"SELECT create_distributed_table('{table}', 'account_id', colocate_with => 'projects')")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
