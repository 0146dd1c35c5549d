"""Browsers in which people have signed in, so that a new one is told by mail."""

from skerry.database.new_tables import create_table, number, text

revision = "0052"
down_revision = "0051"


def upgrade() -> None:
    """Create the table."""
    create_table(
        "login_browsers", number("user_id"), text("hash"), number("used_at"), key=("user_id", "hash")
    )
