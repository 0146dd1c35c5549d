"""Saved views can belong to the account itself."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Make the project of a view optional; SQLite recreates the table, which is small."""
    with op.batch_alter_table("bins") as table:
        table.alter_column("project_id", existing_type=sa.BigInteger(), nullable=True)
