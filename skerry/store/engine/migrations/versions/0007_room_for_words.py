"""How much room a ticket's words leave, so that those of a comment are kept without reading all others."""

from alembic import op

revision = "0007"
down_revision = "0006"

_TABLES = {"sqlite": "search_places", "postgresql": "search_documents"}


def upgrade() -> None:
    """Add the column; where it is not known, the next change of the ticket finds it out."""
    op.execute(f"ALTER TABLE {_TABLES[op.get_bind().dialect.name]} ADD COLUMN room INTEGER")
