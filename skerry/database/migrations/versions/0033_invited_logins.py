"""Logins and passwords that an invitation made are valid in one account, until their address is proven."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

_KEY = ["email", "account_id"]


def upgrade() -> None:
    """Add the columns, and make the account a part of the key of logins; all present logins are proven."""
    op.add_column("account_logins", sa.Column("password_hash", sa.Text(), nullable=True))
    op.add_column("logins", sa.Column("account_id", sa.BigInteger(), nullable=False, server_default="0"))
    # SQLite recreates the table, which has a row for each person.
    with op.batch_alter_table("logins") as logins:
        logins.drop_constraint(op.f("pk_logins"), type_="primary")
        logins.create_primary_key(op.f("pk_logins"), _KEY)
