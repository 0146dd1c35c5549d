"""People sign in with OpenID Connect providers."""

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import count_ids, create_index, create_table, number, text

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    """Add the columns, and create the table, its index and the counter of each account."""
    op.add_column("sessions", sa.Column("provider", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("id_token", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("proved_at", sa.BigInteger(), nullable=True))
    create_table(
        "identities",
        *map(number, ("id", "user_id")),
        *map(text, ("provider", "subject", "email")),
        *map(number, ("created_at", "used_at")),
        key=("id",),
        unique=("provider", "subject"),
    )
    create_index("identities", "user_id")
    count_ids("identities")
