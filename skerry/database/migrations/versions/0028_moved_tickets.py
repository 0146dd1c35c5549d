"""Former addresses of moved tickets."""

from alembic import op

from skerry.database.new_tables import belongs, create_table, number

revision = "0028"
down_revision = "0027"

_NEW = ("new_project_id", "new_number")


def upgrade() -> None:
    """Create the table and its index."""
    create_table(
        "moved_tickets",
        *map(number, ("project_id", "number", *_NEW, "step")),
        key=("project_id", "number"),
        owners=[belongs("tickets", new_project_id="project_id", new_number="number")],
    )
    op.create_index("ix_moved_tickets_present", "moved_tickets", ["account_id", *_NEW])
