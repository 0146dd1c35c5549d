"""Projects have templates of tickets."""

from skerry.database.new_tables import belongs, count_ids, create_index, create_table, number, text

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Create the table, its index, and the counter of each account."""
    create_table(
        "ticket_templates",
        *map(number, ("id", "project_id")),
        *map(text, ("name", "title", "body", "tag")),
        number("assigned_user_id", null=True),
        key=("id",),
        owners=[belongs("projects", project_id="id")],
    )
    create_index("ticket_templates", "project_id")
    count_ids("ticket_templates")
