"""Earlier texts of edited tickets, comments and messages."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

_TEXT = (("id", sa.BigInteger), ("body", sa.Text), ("user_id", sa.BigInteger), ("created_at", sa.BigInteger))


def upgrade() -> None:
    """Add the columns, create the tables, and distribute these if the others are."""
    for table in ("tickets", "versions", "messages"):
        op.add_column(table, sa.Column("body_edited_at", sa.BigInteger(), nullable=True))
        op.add_column(table, sa.Column("body_edited_by", sa.BigInteger(), nullable=True))
    for table in ("versions", "messages"):
        op.add_column(table, sa.Column("body_edits", sa.BigInteger(), nullable=False, server_default="0"))
    _create(
        "version_texts", ("number", "version"), "tickets", {"project_id": "project_id", "number": "number"}
    )
    _create("message_texts", ("message_id",), "messages", {"message_id": "id"})


def _create(name: str, keys: tuple[str, ...], owner: str, reference: dict[str, str]) -> None:
    primary = ("project_id", *keys) if owner == "tickets" else keys
    own, other = ["account_id", *reference], ["account_id", *reference.values()]
    foreign, is_sqlite = f"fk_{name}_{'_'.join(own)}", op.get_bind().dialect.name == "sqlite"
    # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
    belongs = sa.ForeignKeyConstraint(
        own, [f"{owner}.{column}" for column in other], name=foreign, ondelete="CASCADE"
    )
    op.create_table(
        name,
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        *(sa.Column(key, sa.BigInteger(), nullable=False) for key in ("project_id", *keys)),
        *(sa.Column(column, kind(), nullable=False) for column, kind in _TEXT),
        sa.PrimaryKeyConstraint("account_id", *primary, "id", name=f"pk_{name}"),
        *([belongs] if is_sqlite else []),
    )
    if is_sqlite:
        return
    if _are_projects_distributed():
        op.execute(f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')")
    op.create_foreign_key(foreign, name, owner, own, other, ondelete="CASCADE")


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
