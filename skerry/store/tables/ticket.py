"""Tables of tickets, and of rows that are deleted with their ticket."""

from sqlalchemy import BigInteger, Column, Index, Integer, UniqueConstraint, literal_column
from sqlalchemy import text as text_clause

from skerry.store.tables.columns import (
    belongs,
    earlier_text,
    edits,
    event_number,
    flag,
    key,
    number,
    of_account,
    text,
    timestamp,
)

_WITH_FILES = text_clause("attachments_count > 0")
_DUE = text_clause("due_on IS NOT NULL")
_PRIVATE = text_clause("private = 1")

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
    text("due_on", null=True),
    flag("private", default=0),
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
    timestamp("body_edited_at", null=True),
    number("body_edited_by", null=True),
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
    Index(None, "account_id", "created_at", "project_id", "number"),
    Index(
        "ix_tickets_with_files",
        *("account_id", "project_id", "number"),
        sqlite_where=_WITH_FILES,
        postgresql_where=_WITH_FILES,
    ),
    Index(
        "ix_tickets_due",
        *("account_id", "due_on", "project_id", "number", "closed"),
        sqlite_where=_DUE,
        postgresql_where=_DUE,
    ),
    # With all that decides who sees them, and by which they are counted. SQLite prefers an index of which it
    # compares more columns, so the flag is one of them.
    Index(
        "ix_tickets_private",
        *("account_id", "private", "project_id", "number"),
        *("creator_id", "assigned_user_id", "closed", "state", "milestone_id"),
        sqlite_where=_PRIVATE,
        postgresql_where=_PRIVATE,
    ),
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
    text("due_on", null=True),
    flag("private", default=0),
    number("assigned_user_id", null=True),
    number("milestone_id", null=True),
    number("attachments_count"),
    # Never NULL, but SQLite would rewrite this large table to declare that.
    text("watchers_ids", null=True),
    text("diffable_attributes"),
    timestamp("created_at"),
    timestamp("updated_at"),
    text("body"),
    text("body_html"),
    number("body_deleted_by", null=True),
    *edits(),
    # What was left out of a text that came by mail.
    text("quoted_body", null=True),
    key("account_id", "project_id", "number", "version"),
    Index(None, "account_id", "project_id", "milestone_id"),
    Index(None, "account_id", "user_id", "project_id", "number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# The texts of a version before its edits; the id is the number of the edit.
version_texts = of_account(
    "version_texts",
    number("project_id"),
    number("number"),
    number("version"),
    *earlier_text(),
    key("account_id", "project_id", "number", "version", "id"),
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
    # An unread one is hidden until then.
    timestamp("snoozed_until", null=True),
    key("account_id", "project_id", "number", "user_id"),
    UniqueConstraint("account_id", "user_id", "id"),
    Index(None, "account_id", "user_id", "unread", "event_number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# Who works on a ticket: a person, with a token or without (0), and the name of one of several workers. It
# counts until it expires; rows that have expired are replaced by the next claim.
claims = of_account(
    "claims",
    number("project_id"),
    number("number"),
    number("user_id"),
    number("token_id"),
    text("worker"),
    number("minutes"),
    timestamp("expires_at"),
    key("account_id", "project_id", "number"),
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

# The former addresses of moved tickets, each with the present one. The first ``step`` is the ticket's origin.
# They outlive their former project, since replies to old mails still reach the ticket.
moved_tickets = of_account(
    "moved_tickets",
    number("project_id"),
    number("number"),
    number("new_project_id"),
    number("new_number"),
    number("step"),
    key("account_id", "project_id", "number"),
    Index("ix_moved_tickets_present", "account_id", "new_project_id", "new_number"),
    belongs("tickets", new_project_id="project_id", new_number="number"),
)

# The tickets that the texts of a ticket name.
backlinks = of_account(
    "backlinks",
    number("project_id"),
    number("number"),
    number("to_project_id"),
    number("to_number"),
    key("account_id", "project_id", "number", "to_project_id", "to_number"),
    Index("ix_backlinks_to", "account_id", "to_project_id", "to_number"),
    belongs("tickets", project_id="project_id", number="number"),
)

# One row for each link, seen from both tickets. The number of the version that added it, and of the one that
# removed it, is kept for each of them, so that versions can tell what they changed.
ticket_links = of_account(
    "ticket_links",
    number("id"),
    text("kind"),
    number("project_id"),
    number("number"),
    number("added_in"),
    number("removed_in", null=True),
    number("other_project_id"),
    number("other_number"),
    number("other_added_in"),
    number("other_removed_in", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "project_id", "number"),
    Index("ix_ticket_links_other", "account_id", "other_project_id", "other_number"),
    belongs("tickets", project_id="project_id", number="number"),
    belongs("tickets", other_project_id="project_id", other_number="number"),
)
