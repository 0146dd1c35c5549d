"""Imported people without a login are placeholders, in no membership."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"

_PROJECT = ("account_id", "project_id")
_KEY = ("projects.account_id", "projects.id")
_FOREIGN = "fk_placeholder_members_account_id_project_id"

_LOGIN = re.compile(r"user-([0-9]{1,18})@(.+)\.account-([0-9]{1,18})\.invalid")

# Not those who got a password, a link to set one, a token, or a membership in another account.
_UNUSED = """
    SELECT email, user_id FROM logins
    WHERE email LIKE 'user-%.invalid' AND password_hash = '!'
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = logins.user_id)
    AND NOT EXISTS (SELECT 1 FROM invitations WHERE invitations.user_id = logins.user_id)
    AND NOT EXISTS (SELECT 1 FROM account_logins WHERE account_logins.user_id = logins.user_id)
"""
_ELSEWHERE = """
    SELECT user_id FROM account_members WHERE user_id = :user_id AND account_id <> :account_id
    UNION ALL SELECT user_id FROM project_members WHERE user_id = :user_id AND account_id <> :account_id
"""
_ADD = "INSERT INTO placeholders (account_id, user_id, source) VALUES (:account_id, :user_id, :source)"
_KEEP_MEMBERSHIPS = """
    INSERT INTO placeholder_members (account_id, project_id, user_id, id, created_at)
    SELECT account_id, project_id, user_id, id, created_at FROM project_members
    WHERE account_id = :account_id AND user_id = :user_id
"""
_LEFT = ("project_members", "account_members", "notifications", "mail_changes", "mail_preferences")


def upgrade() -> None:
    """Create the tables, distribute them if the others are, and move former logins of imports there."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    belongs = sa.ForeignKeyConstraint(_PROJECT, _KEY, name=_FOREIGN, ondelete="CASCADE")
    op.create_table(
        "placeholders",
        *(_number(name) for name in ("account_id", "user_id")),
        sa.Column("source", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=True) for name in ("given_to", "given_at")),
        sa.PrimaryKeyConstraint("account_id", "user_id", name="pk_placeholders"),
        sa.UniqueConstraint("account_id", "source", name="uq_placeholders_account_id_source"),
    )
    op.create_table(
        "placeholder_members",
        *(_number(name) for name in (*_PROJECT, "user_id", "id", "created_at")),
        sa.PrimaryKeyConstraint(*_PROJECT, "user_id", name="pk_placeholder_members"),
        sa.UniqueConstraint("account_id", "id", name="uq_placeholder_members_account_id_id"),
        # SQLite cannot add a foreign key to an existing table, and Citus needs it distributed first.
        *([belongs] if is_sqlite else []),
    )
    if not is_sqlite:
        if _are_projects_distributed():
            for name in ("placeholders", "placeholder_members"):
                op.execute(
                    f"SELECT create_distributed_table('{name}', 'account_id', colocate_with => 'projects')"
                )
        op.create_foreign_key(
            _FOREIGN, "placeholder_members", "projects", [*_PROJECT], ["account_id", "id"], ondelete="CASCADE"
        )
    _convert()


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)


def _convert() -> None:
    connection = op.get_bind()
    accounts = {row[0] for row in connection.execute(sa.text("SELECT id FROM accounts"))}
    for email, user_id in connection.execute(sa.text(_UNUSED)).all():
        match = _LOGIN.fullmatch(email)
        if match is None or int(match[3]) not in accounts:
            continue
        key = {"account_id": int(match[3]), "user_id": user_id}
        if connection.execute(sa.text(_ELSEWHERE), key).first():
            continue
        connection.execute(sa.text(_ADD), {**key, "source": f"{match[2]}/{match[1]}"})
        connection.execute(sa.text(_KEEP_MEMBERSHIPS), key)
        for name in _LEFT:
            statement = f"DELETE FROM {name} WHERE account_id = :account_id AND user_id = :user_id"  # noqa: S608 - our own names
            connection.execute(sa.text(statement), key)
        connection.execute(sa.text("DELETE FROM logins WHERE user_id = :user_id"), {"user_id": user_id})


def _are_projects_distributed() -> bool:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT to_regclass('pg_dist_partition')")) is None:
        return False
    distributed = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'projects'::regclass"
    return bool(connection.scalar(sa.text(distributed)))
