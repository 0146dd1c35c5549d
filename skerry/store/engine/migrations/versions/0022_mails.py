"""The mail queue, and mailed links that verify addresses."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Create the tables, distribute them if the others are, and create the counters of each account."""
    op.add_column("invitations", sa.Column("mailed_hash", sa.Text(), nullable=True))
    _make(
        "mails",
        _number("id"),
        _text("kind"),
        _number("user_id", null=True),
        _text("email", null=True),
        _text("content"),
        _number("created_at"),
        _number("tries"),
        _number("due_at"),
        _text("failure", null=True),
        _number("set_aside_at", null=True),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_mails"),
    )
    op.create_index("ix_mails_account_id_set_aside_at_id", "mails", ["account_id", "set_aside_at", "id"])
    _make(
        "mail_outages",
        _number("tries"),
        _number("since"),
        _number("due_at"),
        _text("failure"),
        sa.PrimaryKeyConstraint("account_id", name="pk_mail_outages"),
    )
    _make(
        "mailed_links",
        _text("hash"),
        _text("kind"),
        _number("user_id"),
        _text("email"),
        _number("created_at"),
        _number("expires_at"),
        sa.PrimaryKeyConstraint("account_id", "hash", name="pk_mailed_links"),
    )
    op.create_index("ix_mailed_links_account_id_user_id", "mailed_links", ["account_id", "user_id"])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'mails', 0 FROM accounts")


def _make(name: str, *parts: sa.Column[int] | sa.Column[str] | sa.PrimaryKeyConstraint) -> None:
    op.create_table(
        name, sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False), *parts
    )
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        op.execute(f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')")


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=null)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null)


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
