"""Secrets of accounts, which sign mail addresses."""

from secrets import token_hex

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the columns, and set a secret for each account."""
    for name in ("mail_secret", "mail_secret_before"):
        op.add_column("accounts", sa.Column(name, sa.Text(), nullable=True))
    connection = op.get_bind()
    for account_id in connection.scalars(sa.text("SELECT id FROM accounts")).all():
        secret = {"secret": token_hex(32), "id": account_id}
        connection.execute(sa.text("UPDATE accounts SET mail_secret = :secret WHERE id = :id"), secret)
