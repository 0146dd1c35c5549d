"""Imported people without a login are placeholders, in no membership."""

import re

import sqlalchemy as sa
from alembic import op

from skerry.database.new_tables import belongs, create_table, number, text

revision = "0046"
down_revision = "0045"

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
    """Create the tables, and move former logins of imports there."""
    create_table(
        "placeholders",
        number("user_id"),
        text("source"),
        *(number(name, null=True) for name in ("given_to", "given_at")),
        key=("user_id",),
        unique=("source",),
    )
    create_table(
        "placeholder_members",
        *map(number, ("project_id", "user_id", "id", "created_at")),
        key=("project_id", "user_id"),
        unique=("id",),
        owners=[belongs("projects", project_id="id")],
    )
    _convert()


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
