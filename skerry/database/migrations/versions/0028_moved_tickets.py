"""Former addresses of moved tickets."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

_NAMES = ("account_id", "project_id", "number", "new_project_id", "new_number", "step")
_OWN, _TICKET = ("account_id", "new_project_id", "new_number"), ("account_id", "project_id", "number")
_FOREIGN = "fk_moved_tickets_account_id_new_project_id_new_number"


def upgrade() -> None:
    """Create the table, and distribute it if the others are."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(
        _OWN, [f"tickets.{name}" for name in _TICKET], name=_FOREIGN, ondelete="CASCADE"
    )
    op.create_table(
        "moved_tickets",
        *(sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False) for name in _NAMES),
        sa.PrimaryKeyConstraint(*_TICKET, name="pk_moved_tickets"),
        *([belongs] if is_sqlite else []),
    )
    op.create_index("ix_moved_tickets_present", "moved_tickets", [*_OWN])
    if is_sqlite:
        return
    if _are_projects_spread():
        op.execute(
            "SELECT create_distributed_table('moved_tickets', 'account_id', colocate_with => 'projects')"
        )
    op.create_foreign_key(_FOREIGN, "moved_tickets", "tickets", [*_OWN], [*_TICKET], ondelete="CASCADE")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
