"""The values that searches combine with a tag, in the tag's own row instead of triggers."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TRIGGERS = ("search_tags_come", "search_tags_go", "search_tags_move", "search_tags_follow")

_FILL = """
    UPDATE taggings SET closed = t.closed, assigned_user_id = coalesce(t.assigned_user_id, 0)
    FROM tickets AS t
    WHERE t.account_id = taggings.account_id AND t.project_id = taggings.project_id
        AND t.number = taggings.number
"""


def upgrade() -> None:
    """Add the columns and fill them, and remove the previous table and its triggers."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for name in _TRIGGERS:
        op.execute(f"DROP FUNCTION {name}() CASCADE" if is_postgresql else f"DROP TRIGGER {name}")
    op.drop_table("search_tags")
    columns = {"closed": sa.SmallInteger(), "assigned_user_id": sa.BigInteger()}
    for name, kind in columns.items():
        op.add_column("taggings", sa.Column(name, kind, nullable=False, server_default="0"))
    op.execute(_FILL)
    # New rows must set both columns. To drop the defaults, SQLite recreates the table.
    with op.batch_alter_table("taggings") as taggings:
        for name, kind in columns.items():
            taggings.alter_column(name, existing_type=kind, existing_nullable=False, server_default=None)
    op.create_index(
        op.f("ix_taggings_found"),
        "taggings",
        ["account_id", "project_id", "tag", "closed", "assigned_user_id", "number"],
    )
