"""Incoming mail, and the setting of projects for mail from anyone."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Create the table, distribute it if the others are, and add the setting."""
    op.create_table(
        "incoming_mails",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("answered", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "key", name="pk_incoming_mails"),
    )
    for columns in (["account_id", "sender", "created_at"], ["account_id", "created_at"]):
        op.create_index(f"ix_incoming_mails_{'_'.join(columns)}", "incoming_mails", columns)
    op.add_column(
        "projects", sa.Column("mail_from_anyone", sa.SmallInteger(), nullable=False, server_default="0")
    )
    if op.get_bind().dialect.name == "postgresql" and _are_projects_spread():
        op.execute(
            "SELECT create_distributed_table('incoming_mails', 'account_id', colocate_with => 'projects')"
        )


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
