"""People have second factors."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import create_table, number, text

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    """Add the column, and create the tables."""
    op.add_column("account_logins", sa.Column("factor_at", sa.BigInteger(), nullable=True))
    create_table(
        "time_codes",
        number("user_id"),
        text("secret"),
        number("created_at"),
        number("confirmed_at", null=True),
        number("used_at", null=True),
        *map(number, ("last_step", "failures")),
        number("failed_at", null=True),
        key=("user_id",),
    )
    create_table("recovery_codes", number("user_id"), text("hash"), key=("user_id", "hash"))
    create_table(
        "sign_in_steps",
        *map(text, ("hash", "purpose")),
        number("user_id"),
        *map(text, ("proof", "credential")),
        number("expires_at"),
        key=("hash", "purpose"),
    )
