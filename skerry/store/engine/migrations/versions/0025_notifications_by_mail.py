"""Notifications by mail, with their frequency."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

_NUMBERS = (
    "account_id",
    "user_id",
    "project_id",
    "number",
    "reason",
    "first_version",
    "last_version",
    "due_at",
)


def upgrade() -> None:
    """Create the tables, and distribute them if the others are."""
    op.create_table(
        "mail_changes",
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in _NUMBERS),
        sa.PrimaryKeyConstraint(*_NUMBERS[:4], name="pk_mail_changes"),
    )
    op.create_index("ix_mail_changes_account_id_due_at", "mail_changes", ["account_id", "due_at"])
    op.create_table(
        "mail_preferences",
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in _NUMBERS[:2]),
        sa.Column("frequency", sa.Text(), nullable=False),
        sa.Column("digest_due_at", sa.BigInteger(), nullable=True),
        sa.Column("unsubscribe_code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(*_NUMBERS[:2], name="pk_mail_preferences"),
        sa.UniqueConstraint(
            "account_id", "unsubscribe_code", name="uq_mail_preferences_account_id_unsubscribe_code"
        ),
    )
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        for name in ("mail_changes", "mail_preferences"):
            op.execute(
                f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')"
            )


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
