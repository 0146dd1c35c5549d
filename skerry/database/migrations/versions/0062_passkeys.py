"""People sign in with passkeys."""

import sqlalchemy as sa

from skerry.database.new_tables import count_ids, create_index, create_table, number, text

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    """Create the tables, the index, and the counter of each account."""
    create_table(
        "passkeys",
        *map(number, ("id", "user_id")),
        *map(text, ("credential", "public_key")),
        number("counter"),
        *map(text, ("name", "transports")),
        sa.Column("backed_up", sa.SmallInteger(), nullable=False),
        number("created_at"),
        number("used_at", null=True),
        text("address"),
        key=("id",),
        unique=("credential",),
    )
    create_index("passkeys", "user_id")
    count_ids("passkeys")
    create_table("answered_challenges", text("hash"), number("expires_at"), key=("hash",))
