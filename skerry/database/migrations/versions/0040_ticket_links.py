"""Links between tickets."""

from alembic import op

from skerry.database.new_tables import belongs, count_ids, create_index, create_table, number, text

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    """Create the table, its indexes, and the counter of each account."""
    create_table(
        "ticket_links",
        number("id"),
        text("kind"),
        *(
            number(f"{end}{name}", null=name == "removed_in")
            for end in ("", "other_")
            for name in ("project_id", "number", "added_in", "removed_in")
        ),
        key=("id",),
        owners=[
            belongs("tickets", project_id="project_id", number="number"),
            belongs("tickets", other_project_id="project_id", other_number="number"),
        ],
    )
    create_index("ticket_links", "project_id", "number")
    op.create_index(
        "ix_ticket_links_other", "ticket_links", ["account_id", "other_project_id", "other_number"]
    )
    count_ids("ticket_links")
