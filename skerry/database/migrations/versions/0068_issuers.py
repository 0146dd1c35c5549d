"""Links to providers say which issuer gave the name in them."""

import sqlalchemy as sa
from alembic import op

revision = "0068"
down_revision = "0067"

_OLD = "uq_identities_account_id_provider_subject"
_NEW = "uq_identities_account_id_provider_issuer_subject"


def upgrade() -> None:
    """Add the column; the issuers are in the settings, so the server fills it in when it starts."""
    op.add_column("identities", sa.Column("issuer", sa.Text(), nullable=False, server_default=""))
    # SQLite recreates the table, which has a row for each person at most providers.
    with op.batch_alter_table("identities") as table:
        table.drop_constraint(op.f(_OLD), type_="unique")
        table.create_unique_constraint(op.f(_NEW), ["account_id", "provider", "issuer", "subject"])
