"""Which tickets the texts of a ticket name; a reader of events fills the table."""

from alembic import op

from skerry.database.new_tables import belongs, create_table, number

revision = "0043"
down_revision = "0042"

_TICKET, _TO = ("project_id", "number"), ("to_project_id", "to_number")


def upgrade() -> None:
    """Create the table and its index."""
    create_table(
        "backlinks",
        *map(number, (*_TICKET, *_TO)),
        key=(*_TICKET, *_TO),
        owners=[belongs("tickets", project_id="project_id", number="number")],
    )
    op.create_index("ix_backlinks_to", "backlinks", ["account_id", *_TO])
