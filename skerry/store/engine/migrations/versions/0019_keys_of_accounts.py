"""Accounts have a key, with which cursors for strangers are encrypted."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_ACCOUNTS = sa.table("accounts", sa.column("id", sa.BigInteger), sa.column("key", sa.Text))


def upgrade() -> None:
    """Add the column, and give each account a key; servers of the version before give none."""
    op.add_column("accounts", sa.Column("key", sa.Text(), nullable=True))
    connection = op.get_bind()
    for (account_id,) in connection.execute(sa.select(_ACCOUNTS.c.id)).all():
        given = _ACCOUNTS.update().where(_ACCOUNTS.c.id == account_id).values(key=secrets.token_hex(32))
        connection.execute(given)
