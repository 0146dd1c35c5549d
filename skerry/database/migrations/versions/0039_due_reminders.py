"""People are reminded of due dates unless they do not want to be."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Add the columns."""
    wanted = sa.Column("due_reminders", sa.SmallInteger(), nullable=False, server_default="1")
    for column in (wanted, sa.Column("reminded_on", sa.Text(), nullable=True)):
        op.add_column("mail_preferences", column)
