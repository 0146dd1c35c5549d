"""Keys of accounts, which encrypt the cursors of outsiders."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_ACCOUNTS = sa.table("accounts", sa.column("id", sa.BigInteger), sa.column("key", sa.Text))


def upgrade() -> None:
    """Add the column, and set a key for each account; servers of the previous version set none."""
    op.add_column("accounts", sa.Column("key", sa.Text(), nullable=True))
    connection = op.get_bind()
    for (account_id,) in connection.execute(sa.select(_ACCOUNTS.c.id)).all():
        given = _ACCOUNTS.update().where(_ACCOUNTS.c.id == account_id).values(key=secrets.token_hex(32))
        connection.execute(given)
