"""Texts of newcomers wait until a member releases them, if the account wants that."""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"

_PROJECT = ("account_id", "project_id")
_KEY = ("projects.account_id", "projects.id")
_FOREIGN = "fk_held_texts_account_id_project_id"


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    op.add_column(
        "accounts", sa.Column("newcomers", sa.Text(), nullable=False, server_default=sa.text("'show'"))
    )
    op.add_column("sign_ups", sa.Column("trusted_at", sa.BigInteger(), nullable=True))
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(_PROJECT, _KEY, name=_FOREIGN, ondelete="CASCADE")
    op.create_table(
        "held_texts",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("title", "body")),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_held_texts"),
        *([belongs] if is_sqlite else []),
    )
    for column in ("project_id", "user_id"):
        op.create_index(f"ix_held_texts_account_id_{column}", "held_texts", ["account_id", column])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'held_texts', 0 FROM accounts")
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute("SELECT create_distributed_table('held_texts', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(
        _FOREIGN, "held_texts", "projects", [*_PROJECT], ["account_id", "id"], ondelete="CASCADE"
    )


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
