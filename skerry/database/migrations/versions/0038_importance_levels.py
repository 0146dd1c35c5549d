"""Projects name their levels of importance; those from before have none."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Add the column."""
    op.add_column("projects", sa.Column("importance_levels", sa.Text(), nullable=True))
