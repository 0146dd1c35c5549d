"""Spammers are removed with everything that they wrote, which can be undone."""

import sqlalchemy as sa

from skerry.database.new_tables import count_ids, create_index, create_table, number, text

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    """Create the tables, their indexes, and the counter of each account."""
    create_table(
        "spam_removals",
        *map(number, ("user_id", "creator_id", "created_at")),
        text("state"),
        sa.Column("was_disabled", sa.SmallInteger(), nullable=False),
        key=("user_id",),
    )
    create_table(
        "removed_things",
        *map(number, ("id", "user_id")),
        text("kind"),
        *map(number, ("project_id", "number", "version")),
        text("content"),
        key=("id",),
    )
    create_index("removed_things", "user_id", "id")
    create_table("removed_files", *map(number, ("user_id", "storage")), text("code"), key=("code",))
    create_index("removed_files", "user_id")
    count_ids("removed_things")
