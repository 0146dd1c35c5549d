"""Forges report commits, whose committers changesets name."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import belongs, count_ids, create_index, create_table, number, text

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    """Add the columns, and create the table, its index and the counter of each account."""
    op.add_column("changesets", sa.Column("committer_id", sa.BigInteger(), nullable=True))
    op.add_column(
        "changesets", sa.Column("committer_name", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    create_table(
        "forges",
        *map(number, ("id", "project_id", "user_id")),
        *map(text, ("kind", "note", "secret")),
        number("created_at"),
        number("pushed_at", null=True),
        key=("id",),
        owners=[belongs("projects", project_id="id")],
    )
    create_index("forges", "project_id")
    count_ids("forges")
