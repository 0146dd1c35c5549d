"""The log of security events keeps what was hashed of the last entry that was removed because of its age."""

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"


def upgrade() -> None:
    """Add the column; of what was removed before, nothing is known."""
    op.add_column("audit_chains", sa.Column("removed_entry", sa.Text(), nullable=False, server_default=""))
    op.execute("UPDATE audit_chains SET removed_entry = 'unknown' WHERE removed_number > 0")
