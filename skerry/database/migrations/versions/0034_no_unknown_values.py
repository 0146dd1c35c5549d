"""Values that rows did not get when their columns were added: accounts' secrets and versions' watchers."""

from secrets import token_hex

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

_SECRETS = ("key", "mail_secret")

_WATCHERS = """
    UPDATE versions SET watchers_ids = t.watchers_ids
    FROM tickets AS t
    WHERE t.account_id = versions.account_id AND t.project_id = versions.project_id
        AND t.number = versions.number AND versions.watchers_ids IS NULL
"""


def upgrade() -> None:
    """Fill them in; a version gets the present watchers of its ticket."""
    accounts = sa.table("accounts", sa.column("id"), *map(sa.column, _SECRETS))
    connection = op.get_bind()
    for name in _SECRETS:
        lacking = sa.select(accounts.c.id).where(accounts.c[name].is_(None))
        for account_id in connection.scalars(lacking).all():
            this = accounts.update().where(accounts.c.id == account_id)
            connection.execute(this.values({name: token_hex(32)}))
    # SQLite recreates the table, which is small.
    with op.batch_alter_table("accounts") as table:
        for name in _SECRETS:
            table.alter_column(name, existing_type=sa.Text(), nullable=False)
    op.execute(_WATCHERS)
