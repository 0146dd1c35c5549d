"""Tables for the web site: sessions, invitations, expiry of tokens, and pictures of people."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_COUNTED = ("invitations", "sessions")


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=null)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null)


def upgrade() -> None:
    """Create the tables and columns, and the new counters of each account."""
    op.create_table(
        "sessions",
        *(_number(name) for name in ("account_id", "id", "user_id")),
        *(_text(name) for name in ("hash", "agent", "address")),
        *(_number(name) for name in ("created_at", "used_at")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("account_id", "hash", name=op.f("uq_sessions_account_id_hash")),
    )
    op.create_index(op.f("ix_sessions_account_id_user_id"), "sessions", ["account_id", "user_id"])
    op.create_table(
        "invitations",
        *(_number(name) for name in ("account_id", "id")),
        *(_text(name) for name in ("hash", "email", "name")),
        _text("role", null=True),
        *(_number(name, null=True) for name in ("project_id", "user_id")),
        *(_number(name) for name in ("creator_id", "created_at", "expires_at")),
        _number("used_at", null=True),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("account_id", "hash", name=op.f("uq_invitations_account_id_hash")),
    )
    for name in ("expires_at", "used_at"):
        op.add_column("tokens", _number(name, null=True))
    for name in ("avatar_code", "avatar_type"):
        op.add_column("users", _text(name, null=True))
    for kind in _COUNTED:
        op.execute(
            sa.text(
                "INSERT INTO counters (account_id, name, value)"
                " SELECT id, CAST(:kind AS TEXT), 0 FROM accounts WHERE TRUE ON CONFLICT DO NOTHING"
            ).bindparams(kind=kind)
        )
