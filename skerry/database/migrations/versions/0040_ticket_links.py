"""Links between tickets."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"

_TICKET = ("account_id", "project_id", "number")
_OTHER = ("account_id", "other_project_id", "other_number")
_FOREIGN = {
    "fk_ticket_links_account_id_project_id_number": _TICKET,
    "fk_ticket_links_account_id_other_project_id_other_number": _OTHER,
}


def upgrade() -> None:
    """Create the table and the counter of each account, and distribute the table if the others are."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = [
        sa.ForeignKeyConstraint(names, [f"tickets.{each}" for each in _TICKET], name=name, ondelete="CASCADE")
        for name, names in _FOREIGN.items()
    ]
    op.create_table(
        "ticket_links",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        *(
            sa.Column(f"{end}{name}", sa.BigInteger(), nullable=name == "removed_in")
            for end in ("", "other_")
            for name in ("project_id", "number", "added_in", "removed_in")
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name="pk_ticket_links"),
        *(belongs if is_sqlite else []),
    )
    op.create_index("ix_ticket_links_account_id_project_id_number", "ticket_links", [*_TICKET])
    op.create_index("ix_ticket_links_other", "ticket_links", [*_OTHER])
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'ticket_links', 0 FROM accounts")
    if is_sqlite:
        return
    if _are_projects_spread():
        op.execute(
            "SELECT create_distributed_table('ticket_links', 'account_id', colocate_with => 'projects')"
        )
    for name, names in _FOREIGN.items():
        op.create_foreign_key(name, "ticket_links", "tickets", [*names], [*_TICKET], ondelete="CASCADE")


def _are_projects_spread() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    spread = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(spread)))
