"""Tables of tickets, and of rows that are deleted with their ticket."""

from sqlalchemy import BigInteger, Column, Index, Integer, UniqueConstraint, literal_column

from skerry.store.engine.tables.columns import (
    belongs,
    event_number,
    flag,
    key,
    number,
    of_account,
    text,
    timestamp,
)

tickets = of_account(
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
    timestamp("created_at"),
    timestamp("updated_at"),
    text("body"),
    text("body_html"),
    text("original_body", null=True),
    # Every statement that changes the row of a ticket increments it.
    Column(
        "revision", BigInteger, nullable=False, server_default="0", onupdate=literal_column("revision + 1")
    ),
    key("account_id", "project_id", "number"),
    # The list's own index includes what searches filter by most often, and what identifies a cached ticket,
    # so that they need not read the rows.
    Index(
        "ix_tickets_list",
        *("account_id", "project_id", "updated_at", "number"),
        *("closed", "state", "assigned_user_id", "milestone_id", "importance"),
        *("creator_id", "user_id", "revision"),
    ),
    Index(None, "account_id", "updated_at", "project_id", "number"),
    Index(None, "account_id", "project_id", "milestone_id"),
    Index(None, "account_id", "creator_id", "project_id", "number"),
    belongs("projects", project_id="id"),
)

versions = of_account(
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
    # NULL means unknown: in versions that are older than the column, or from servers that do not know it.
    text("watchers_ids", null=True),
    text("diffable_attributes"),
    timestamp("created_at"),
    timestamp("updated_at"),
    text("body"),
    text("body_html"),
    number("body_deleted_by", null=True),
    key("account_id", "project_id", "number", "version"),
    Index(None, "account_id", "project_id", "milestone_id"),
    Index(None, "account_id", "user_id", "project_id", "number"),
    belongs("tickets", project_id="project_id", number="number"),
)

watchers = of_account(
    "watchers",
    number("project_id"),
    number("number"),
    number("user_id"),
    key("account_id", "project_id", "number", "user_id"),
    Index(None, "account_id", "user_id", "project_id", "number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# Each tag repeats what searches combine with it: whether its ticket is closed, and its assignee, or 0.
taggings = of_account(
    "taggings",
    number("project_id"),
    text("tag"),
    number("number"),
    flag("closed"),
    number("assigned_user_id"),
    key("account_id", "project_id", "tag", "number"),
    Index(None, "account_id", "project_id", "number"),
    Index("ix_taggings_found", "account_id", "project_id", "tag", "closed", "assigned_user_id", "number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# One notification for each person and ticket, however often it is renewed. The id is the time of its
# creation, so that it reveals nothing about notifications of others.
notifications = of_account(
    "notifications",
    number("project_id"),
    number("number"),
    number("user_id"),
    number("id"),
    number("reason"),
    event_number("event_number"),
    flag("unread"),
    timestamp("created_at"),
    timestamp("updated_at"),
    key("account_id", "project_id", "number", "user_id"),
    UniqueConstraint("account_id", "user_id", "id"),
    Index(None, "account_id", "user_id", "unread", "event_number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# People who have muted a ticket.
mutes = of_account(
    "mutes",
    number("project_id"),
    number("number"),
    number("user_id"),
    key("account_id", "project_id", "number", "user_id"),
    belongs("tickets", project_id="project_id", number="number"),
)
