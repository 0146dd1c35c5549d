"""Tables of accounts, of people, and of how they come in."""

from sqlalchemy import BigInteger, Column, ForeignKeyConstraint, Index, Table, Text, UniqueConstraint

from skerry.store.engine.tables.columns import flag, key, metadata, number, of_account, text, timestamp

accounts = Table(
    "accounts",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    text("name"),
    Column("host", Text, nullable=True, unique=True),
    timestamp("created_at"),
    # In front of the addresses in mails; without one the setting of the server holds.
    text("base_url", null=True),
    text("key", null=True),
    # What the addresses in mails are signed with, and what they were signed with before that.
    text("mail_secret", null=True),
    text("mail_secret_before", null=True),
)

users = Table(
    "users",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    text("name"),
    text("job"),
    text("website"),
    timestamp("created_at"),
    text("avatar_code", null=True),
    text("avatar_type", null=True),
    number("avatar_size", null=True),
    # Since when they cannot sign in anywhere on this server.
    timestamp("disabled_at", null=True),
    # What mails are written in; NULL until it is chosen or a browser tells.
    text("language", null=True),
    text("time_zone", null=True),
)

logins = Table(
    "logins",
    metadata,
    Column("email", Text, primary_key=True),
    Column("user_id", BigInteger, nullable=False, unique=True),
    text("password_hash"),
    timestamp("changed_at"),
    # Since when it is known that mails to the address reach whoever has the login.
    timestamp("verified_at", null=True),
    ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
)

counters = of_account("counters", text("name"), number("value"), key("account_id", "name"))

account_members = of_account(
    "account_members",
    number("user_id"),
    number("id"),
    text("role"),
    timestamp("created_at"),
    key("account_id", "user_id"),
    UniqueConstraint("account_id", "id"),
)

# What an account keeps of a login beside the memberships: since when it is disabled there, and when
# whoever has it was last removed.
account_logins = of_account(
    "account_logins",
    number("user_id"),
    timestamp("disabled_at", null=True),
    timestamp("removed_at", null=True),
    key("account_id", "user_id"),
)

# The networks from which a login has lately succeeded.
login_networks = of_account(
    "login_networks",
    number("user_id"),
    text("network"),
    timestamp("used_at"),
    key("account_id", "user_id", "network"),
)

# How many bytes people who are no members sent on a day, for each of them and for each project.
guest_bytes = of_account(
    "guest_bytes",
    number("day"),
    text("kind"),
    number("owner_id"),
    number("size"),
    key("account_id", "day", "kind", "owner_id"),
)

# Which process does the background work of the account, until when, and since when none is to be done.
leases = of_account(
    "leases",
    text("owner"),
    timestamp("expires_at"),
    timestamp("paused_at", null=True),
    key("account_id"),
)

# Who was taken out of a project, or out of the account where the project is 0, and what brings them back.
removals = of_account(
    "removals",
    number("project_id"),
    number("user_id"),
    number("membership_id", null=True),
    number("successor_id", null=True),
    number("creator_id"),
    timestamp("created_at"),
    text("kept"),
    key("account_id", "project_id", "user_id"),
)

tokens = of_account(
    "tokens",
    number("id"),
    number("user_id"),
    number("project_id", null=True),
    flag("read_only"),
    text("note"),
    text("hash"),
    timestamp("created_at"),
    timestamp("revoked_at", null=True),
    timestamp("expires_at", null=True),
    timestamp("used_at", null=True),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

# An address of a list that holds a secret, for programs that cannot sign in.
feeds = of_account(
    "feeds",
    number("id"),
    number("user_id"),
    text("kind"),
    number("project_id", null=True),
    text("query"),
    text("note"),
    text("hash"),
    timestamp("created_at"),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
    Index(None, "account_id", "user_id"),
)

sessions = of_account(
    "sessions",
    number("id"),
    number("user_id"),
    text("hash"),
    text("agent"),
    text("address"),
    timestamp("created_at"),
    timestamp("used_at"),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
    Index(None, "account_id", "user_id"),
)

# A link that lets somebody in who has no password yet, or has lost it.
invitations = of_account(
    "invitations",
    number("id"),
    text("hash"),
    # Of the same link as it was mailed, which proves whose the address is.
    text("mailed_hash", null=True),
    text("email"),
    text("name"),
    text("role", null=True),
    number("project_id", null=True),
    number("user_id", null=True),
    number("creator_id"),
    timestamp("created_at"),
    timestamp("expires_at"),
    timestamp("used_at", null=True),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

repeats = of_account(
    "repeats",
    number("user_id"),
    text("key"),
    text("fingerprint"),
    text("status"),
    text("content_type"),
    text("location", null=True),
    text("body"),
    timestamp("created_at"),
    key("account_id", "user_id", "key"),
    Index(None, "account_id", "created_at"),
)
