"""Strangers sign up where the account allows it."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import count_ids, create_index, create_table, number, text

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    """Add the column, and create the table, its indexes and the counter of each account."""
    op.add_column(
        "accounts", sa.Column("sign_up", sa.Text(), nullable=False, server_default=sa.text("'off'"))
    )
    create_table(
        "sign_ups",
        number("id"),
        *map(text, ("hash", "email", "name")),
        text("password_hash", null=True),
        number("user_id", null=True),
        *map(number, ("created_at", "expires_at")),
        *(number(name, null=True) for name in ("proved_at", "told_at", "decided_at", "decided_by")),
        key=("id",),
        unique=("hash",),
    )
    create_index("sign_ups", "email")
    create_index("sign_ups", "user_id")
    count_ids("sign_ups")
