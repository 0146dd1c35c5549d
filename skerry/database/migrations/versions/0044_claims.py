"""Who works on a ticket, and until when."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"

_TICKET = ("account_id", "project_id", "number")
_FOREIGN = "fk_claims_account_id_project_id_number"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(
        _TICKET, [f"tickets.{each}" for each in _TICKET], name=_FOREIGN, ondelete="CASCADE"
    )
    op.create_table(
        "claims",
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in _TICKET),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("token_id", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("minutes", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*_TICKET, name="pk_claims"),
        *([belongs] if is_sqlite else []),
    )
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute("SELECT create_distributed_table('claims', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(_FOREIGN, "claims", "tickets", [*_TICKET], [*_TICKET], ondelete="CASCADE")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
