"""Imported projects are marked until their links are restored."""

from skerry.database.new_tables import belongs, create_table, number, text

revision = "0067"
down_revision = "0066"


def upgrade() -> None:
    """Create the table."""
    create_table(
        "unfinished_imports",
        number("project_id"),
        text("ids"),
        key=("project_id",),
        owners=[belongs("projects", project_id="id")],
    )
