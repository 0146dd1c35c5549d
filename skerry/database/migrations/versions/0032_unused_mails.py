"""Mail that came in and was not used is listed for administrators."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Add the columns."""
    for name in ("result", "reason", "email", "subject"):
        op.add_column("incoming_mails", sa.Column(name, sa.Text(), nullable=True))
