"""Which tickets the texts of a ticket name; a reader of events fills the table."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"

_TICKET = ("account_id", "project_id", "number")
_TO = ("to_project_id", "to_number")
_FOREIGN = "fk_backlinks_account_id_project_id_number"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(
        _TICKET, [f"tickets.{each}" for each in _TICKET], name=_FOREIGN, ondelete="CASCADE"
    )
    op.create_table(
        "backlinks",
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in (*_TICKET, *_TO)),
        sa.PrimaryKeyConstraint(*_TICKET, *_TO, name="pk_backlinks"),
        *([belongs] if is_sqlite else []),
    )
    op.create_index("ix_backlinks_to", "backlinks", ["account_id", *_TO])
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute("SELECT create_distributed_table('backlinks', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(_FOREIGN, "backlinks", "tickets", [*_TICKET], [*_TICKET], ondelete="CASCADE")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
