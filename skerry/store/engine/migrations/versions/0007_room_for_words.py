"""The remaining room for a ticket's words, so that a comment is indexed without reading all other words."""

from alembic import op

revision = "0007"
down_revision = "0006"

_TABLES = {"sqlite": "search_places", "postgresql": "search_documents"}


def upgrade() -> None:
    """Add the column; an unknown value is filled in at the next change of the ticket."""
    op.execute(f"ALTER TABLE {_TABLES[op.get_bind().dialect.name]} ADD COLUMN room INTEGER")
