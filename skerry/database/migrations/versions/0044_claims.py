"""Who works on a ticket, and until when."""

from skerry.database.new_tables import belongs, create_table, number, text

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Create the table."""
    create_table(
        "claims",
        *map(number, ("project_id", "number", "user_id", "token_id")),
        text("worker"),
        *map(number, ("minutes", "expires_at")),
        key=("project_id", "number"),
        owners=[belongs("tickets", project_id="project_id", number="number")],
    )
