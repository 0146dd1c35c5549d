"""Earlier texts of edited tickets, comments and messages."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import belongs, create_table, number, text

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Add the columns, and create the tables."""
    for table in ("tickets", "versions", "messages"):
        op.add_column(table, sa.Column("body_edited_at", sa.BigInteger(), nullable=True))
        op.add_column(table, sa.Column("body_edited_by", sa.BigInteger(), nullable=True))
    for table in ("versions", "messages"):
        op.add_column(table, sa.Column("body_edits", sa.BigInteger(), nullable=False, server_default="0"))
    create_table(
        "version_texts",
        *map(number, ("project_id", "number", "version")),
        *_earlier_text(),
        key=("project_id", "number", "version", "id"),
        owners=[belongs("tickets", project_id="project_id", number="number")],
    )
    create_table(
        "message_texts",
        *map(number, ("project_id", "message_id")),
        *_earlier_text(),
        key=("message_id", "id"),
        owners=[belongs("messages", message_id="id")],
    )


def _earlier_text() -> tuple[sa.Column[Any], ...]:
    return number("id"), text("body"), number("user_id"), number("created_at")
