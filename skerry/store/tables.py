"""The tables: their columns, keys and the indexes that lists come off.

Every key, unique rule and foreign key of what belongs to an account begins with ``account_id``,
so that the tables can be distributed by account. Moments are whole microseconds since 1970 in
UTC, and flags are 0 or 1, so that both databases store and give back the same values.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def number(name: str, *, null: bool = False, default: int | None = None) -> Column[int]:
    """A whole number of 64 bits: an id, a count or a size."""
    return Column(name, BigInteger, nullable=null, server_default=None if default is None else str(default))


def text(name: str, *, null: bool = False) -> Column[str]:
    """A text of any length; the limits are the product's, not the database's."""
    return Column(name, Text, nullable=null)


def flag(name: str) -> Column[int]:
    """0 or 1."""
    return Column(name, SmallInteger, nullable=False)


def moment(name: str, *, null: bool = False) -> Column[int]:
    """Microseconds since 1970 in UTC."""
    return Column(name, BigInteger, nullable=null)


def _key(*names: str) -> PrimaryKeyConstraint:
    return PrimaryKeyConstraint(*names)


def _belongs(table: str, **columns: str) -> ForeignKeyConstraint:
    """A row goes when the row that it belongs to goes; ``columns`` maps own names to the other's."""
    return ForeignKeyConstraint(
        ["account_id", *columns],
        [f"{table}.account_id", *(f"{table}.{other}" for other in columns.values())],
        ondelete="CASCADE",
    )


def _of_account(name: str, *parts: Any) -> Table:
    """A table of what belongs to one account."""
    return Table(name, metadata, number("account_id"), *parts)


accounts = Table(
    "accounts",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    text("name"),
    Column("host", Text, nullable=True, unique=True),
    moment("created_at"),
)

users = Table(
    "users",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    text("name"),
    text("job"),
    text("website"),
    moment("created_at"),
    text("avatar_code", null=True),
    text("avatar_type", null=True),
    number("avatar_size", null=True),
)

logins = Table(
    "logins",
    metadata,
    Column("email", Text, primary_key=True),
    Column("user_id", BigInteger, nullable=False, unique=True),
    text("password_hash"),
    moment("changed_at"),
    ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
)

counters = _of_account("counters", text("name"), number("value"), _key("account_id", "name"))

account_members = _of_account(
    "account_members",
    number("user_id"),
    number("id"),
    text("role"),
    moment("created_at"),
    _key("account_id", "user_id"),
    UniqueConstraint("account_id", "id"),
)

tokens = _of_account(
    "tokens",
    number("id"),
    number("user_id"),
    number("project_id", null=True),
    flag("read_only"),
    text("note"),
    text("hash"),
    moment("created_at"),
    moment("revoked_at", null=True),
    moment("expires_at", null=True),
    moment("used_at", null=True),
    _key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

sessions = _of_account(
    "sessions",
    number("id"),
    number("user_id"),
    text("hash"),
    text("agent"),
    text("address"),
    moment("created_at"),
    moment("used_at"),
    _key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
    Index(None, "account_id", "user_id"),
)

# A link that lets somebody in who has no password yet, or has lost it.
invitations = _of_account(
    "invitations",
    number("id"),
    text("hash"),
    text("email"),
    text("name"),
    text("role", null=True),
    number("project_id", null=True),
    number("user_id", null=True),
    number("creator_id"),
    moment("created_at"),
    moment("expires_at"),
    moment("used_at", null=True),
    _key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

repeats = _of_account(
    "repeats",
    number("user_id"),
    text("key"),
    text("fingerprint"),
    text("status"),
    text("content_type"),
    text("location", null=True),
    text("body"),
    moment("created_at"),
    _key("account_id", "user_id", "key"),
    Index(None, "account_id", "created_at"),
)

projects = _of_account(
    "projects",
    number("id"),
    text("name"),
    text("permalink"),
    flag("archived"),
    flag("public"),
    text("description", null=True),
    text("description_html", null=True),
    text("license", null=True),
    text("open_states"),
    text("closed_states"),
    text("open_states_list"),
    text("closed_states_list"),
    number("default_assigned_user_id", null=True),
    number("default_milestone_id", null=True),
    moment("created_at"),
    moment("updated_at"),
    _key("account_id", "id"),
)

# Apart from the projects themselves: this narrow row changes with every new ticket.
project_counters = _of_account(
    "project_counters",
    number("project_id"),
    number("last_number"),
    number("tickets_count"),
    number("open_tickets_count"),
    _key("account_id", "project_id"),
    _belongs("projects", project_id="id"),
)

project_members = _of_account(
    "project_members",
    number("project_id"),
    number("user_id"),
    number("id"),
    moment("created_at"),
    _key("account_id", "project_id", "user_id"),
    UniqueConstraint("account_id", "id"),
    Index(None, "account_id", "user_id", "project_id"),
    _belongs("projects", project_id="id"),
)

milestones = _of_account(
    "milestones",
    number("id"),
    number("project_id"),
    text("title"),
    text("permalink"),
    text("goals"),
    text("goals_html"),
    moment("due_on", null=True),
    moment("completed_at", null=True),
    number("tickets_count"),
    number("open_tickets_count"),
    number("user_id"),
    moment("created_at"),
    moment("updated_at"),
    _key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    _belongs("projects", project_id="id"),
)

tickets = _of_account(
    "tickets",
    number("project_id"),
    number("number"),
    text("title"),
    text("permalink"),
    text("state"),
    flag("closed"),
    text("tag", null=True),
    Column("importance", Integer, nullable=False),
    number("assigned_user_id", null=True),
    number("milestone_id", null=True),
    number("creator_id"),
    number("user_id"),
    number("version"),
    number("last_version"),
    number("attachments_count"),
    text("watchers_ids"),
    moment("created_at"),
    moment("updated_at"),
    text("body"),
    text("body_html"),
    text("original_body", null=True),
    _key("account_id", "project_id", "number"),
    # The list's own index holds what searches ask for most often, so that they need not read the rows.
    Index(
        "ix_tickets_list",
        *("account_id", "project_id", "updated_at", "number"),
        *("closed", "state", "assigned_user_id", "milestone_id", "importance"),
    ),
    Index(None, "account_id", "updated_at", "project_id", "number"),
    Index(None, "account_id", "project_id", "milestone_id"),
    Index(None, "account_id", "creator_id", "project_id", "number"),
    _belongs("projects", project_id="id"),
)

versions = _of_account(
    "versions",
    number("project_id"),
    number("number"),
    number("version"),
    number("user_id"),
    text("title"),
    text("state"),
    flag("closed"),
    text("tag", null=True),
    Column("importance", Integer, nullable=False),
    number("assigned_user_id", null=True),
    number("milestone_id", null=True),
    number("attachments_count"),
    text("diffable_attributes"),
    moment("created_at"),
    moment("updated_at"),
    text("body"),
    text("body_html"),
    _key("account_id", "project_id", "number", "version"),
    Index(None, "account_id", "project_id", "milestone_id"),
    Index(None, "account_id", "user_id", "project_id", "number"),
    _belongs("tickets", project_id="project_id", number="number"),
)

watchers = _of_account(
    "watchers",
    number("project_id"),
    number("number"),
    number("user_id"),
    _key("account_id", "project_id", "number", "user_id"),
    Index(None, "account_id", "user_id", "project_id", "number"),
    _belongs("tickets", project_id="project_id", number="number"),
)

# Beside a tag stands what is asked together with it: whether its ticket is closed, and whose it is, or 0.
taggings = _of_account(
    "taggings",
    number("project_id"),
    text("tag"),
    number("number"),
    flag("closed"),
    number("assigned_user_id"),
    _key("account_id", "project_id", "tag", "number"),
    Index(None, "account_id", "project_id", "number"),
    Index("ix_taggings_found", "account_id", "project_id", "tag", "closed", "assigned_user_id", "number"),
    _belongs("tickets", project_id="project_id", number="number"),
)

bins = _of_account(
    "bins",
    number("id"),
    number("project_id"),
    number("user_id"),
    text("name"),
    text("query"),
    flag("shared"),
    number("position"),
    moment("created_at"),
    moment("updated_at"),
    _key("account_id", "id"),
    Index(None, "account_id", "project_id", "position"),
    _belongs("projects", project_id="id"),
)

default_bins = _of_account(
    "default_bins",
    number("project_id"),
    number("user_id"),
    number("bin_id"),
    _key("account_id", "project_id", "user_id"),
    _belongs("bins", bin_id="id"),
)

bulk_edits = _of_account(
    "bulk_edits",
    number("id"),
    number("project_id"),
    number("user_id"),
    text("query"),
    text("command"),
    number("moved_to", null=True),
    number("undoes", null=True),
    moment("created_at"),
    _key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    Index(None, "account_id", "undoes"),
    _belongs("projects", project_id="id"),
)

# The numbers as they were, whatever became of the tickets since.
bulk_edit_tickets = _of_account(
    "bulk_edit_tickets",
    number("bulk_edit_id"),
    number("number"),
    number("version"),
    number("new_number", null=True),
    _key("account_id", "bulk_edit_id", "number"),
    _belongs("bulk_edits", bulk_edit_id="id"),
)

messages = _of_account(
    "messages",
    number("id"),
    number("project_id"),
    number("parent_id", null=True),
    number("user_id"),
    text("title"),
    text("permalink"),
    text("body"),
    text("body_html"),
    number("attachments_count"),
    number("comments_count"),
    moment("created_at"),
    moment("updated_at"),
    _key("account_id", "id"),
    Index(None, "account_id", "project_id", "parent_id", "updated_at", "id"),
    Index(None, "account_id", "parent_id", "id"),
    _belongs("projects", project_id="id"),
)

changesets = _of_account(
    "changesets",
    number("project_id"),
    text("revision"),
    number("user_id"),
    text("title"),
    text("body"),
    text("body_html"),
    text("changes"),
    moment("changed_at"),
    moment("created_at"),
    _key("account_id", "project_id", "revision"),
    Index(None, "account_id", "project_id", "changed_at"),
    _belongs("projects", project_id="id"),
)

attachments = _of_account(
    "attachments",
    number("id"),
    number("project_id"),
    number("number", null=True),
    number("version", null=True),
    number("message_id", null=True),
    number("uploader_id"),
    text("code"),
    text("filename"),
    text("content_type"),
    number("size"),
    number("width", null=True),
    number("height", null=True),
    moment("created_at"),
    _key("account_id", "id"),
    UniqueConstraint("account_id", "code"),
    Index(None, "account_id", "project_id", "number"),
    Index(None, "account_id", "message_id"),
    _belongs("projects", project_id="id"),
)
