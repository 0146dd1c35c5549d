"""Texts of newcomers wait until a member releases them, if the account wants that."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import belongs, count_ids, create_index, create_table, number, text

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    """Add the columns, and create the table, its indexes and the counter of each account."""
    op.add_column(
        "accounts", sa.Column("newcomers", sa.Text(), nullable=False, server_default=sa.text("'show'"))
    )
    op.add_column("sign_ups", sa.Column("trusted_at", sa.BigInteger(), nullable=True))
    create_table(
        "held_texts",
        *map(number, ("id", "project_id", "user_id")),
        text("kind"),
        number("number", null=True),
        *map(text, ("title", "body")),
        text("tag", null=True),
        text("via"),
        number("created_at"),
        key=("id",),
        owners=[belongs("projects", project_id="id")],
    )
    create_index("held_texts", "project_id")
    create_index("held_texts", "user_id")
    count_ids("held_texts")
