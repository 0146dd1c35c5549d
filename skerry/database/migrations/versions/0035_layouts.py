"""Saved views and people say how lists of tickets are shown."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import create_table, number

revision = "0035"
down_revision = "0034"

_LAYOUT = ("columns", "grouping", "sort")


def upgrade() -> None:
    """Add the columns, and create the table."""
    for name in _LAYOUT:
        op.add_column("bins", _text(name))
    create_table(
        "list_settings",
        *map(number, ("project_id", "user_id")),
        *map(_text, _LAYOUT),
        key=("project_id", "user_id"),
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False, server_default=sa.text("''"))
