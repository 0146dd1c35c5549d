"""Tables of projects, and of rows that are deleted with their project."""

from sqlalchemy import Column, Index, SmallInteger, UniqueConstraint
from sqlalchemy import text as text_clause

from skerry.store.tables.columns import (
    belongs,
    earlier_text,
    edits,
    flag,
    key,
    layout,
    number,
    of_account,
    text,
    timestamp,
)

_PRIVATE = text_clause("private = 1")

projects = of_account(
    "projects",
    number("id"),
    text("name"),
    text("permalink"),
    flag("archived"),
    flag("public"),
    # Whether anybody may open tickets by mail.
    Column("mail_from_anyone", SmallInteger, nullable=False, server_default="0"),
    text("description", null=True),
    text("description_html", null=True),
    text("license", null=True),
    text("importance_levels", null=True),
    text("open_states"),
    text("closed_states"),
    text("open_states_list"),
    text("closed_states_list"),
    number("default_assigned_user_id", null=True),
    number("default_milestone_id", null=True),
    timestamp("created_at"),
    timestamp("updated_at"),
    key("account_id", "id"),
)

# Apart from the projects themselves: this narrow row changes with every new ticket.
project_counters = of_account(
    "project_counters",
    number("project_id"),
    number("last_number"),
    number("tickets_count"),
    number("open_tickets_count"),
    key("account_id", "project_id"),
    belongs("projects", project_id="id"),
)

# Counts shown beside lists, stored so that no tickets are counted for them. A name that no ticket has any
# more keeps its row.
state_counts = of_account(
    "state_counts",
    number("project_id"),
    text("state"),
    flag("closed"),
    number("tickets_count"),
    key("account_id", "project_id", "state", "closed"),
    belongs("projects", project_id="id"),
)

tag_counts = of_account(
    "tag_counts",
    number("project_id"),
    text("tag"),
    number("tickets_count"),
    key("account_id", "project_id", "tag"),
    belongs("projects", project_id="id"),
)

project_members = of_account(
    "project_members",
    number("project_id"),
    number("user_id"),
    number("id"),
    timestamp("created_at"),
    key("account_id", "project_id", "user_id"),
    UniqueConstraint("account_id", "id"),
    Index(None, "account_id", "user_id", "project_id"),
    belongs("projects", project_id="id"),
)

# The imported memberships of placeholders, for those to whom they are given.
placeholder_members = of_account(
    "placeholder_members",
    number("project_id"),
    number("user_id"),
    number("id"),
    timestamp("created_at"),
    key("account_id", "project_id", "user_id"),
    UniqueConstraint("account_id", "id"),
    belongs("projects", project_id="id"),
)

# Imported projects until all that were to come with them are here and what leads from one to another is
# restored; ``ids`` are the ids here of the projects of their archive, also of those that are still to come.
unfinished_imports = of_account(
    "unfinished_imports",
    number("project_id"),
    text("ids"),
    key("account_id", "project_id"),
    belongs("projects", project_id="id"),
)

# The notification levels that people chose in a project; without a row the default applies.
notification_levels = of_account(
    "notification_levels",
    number("project_id"),
    number("user_id"),
    text("level"),
    key("account_id", "project_id", "user_id"),
    belongs("projects", project_id="id"),
)

milestones = of_account(
    "milestones",
    number("id"),
    number("project_id"),
    text("title"),
    text("permalink"),
    text("goals"),
    text("goals_html"),
    timestamp("due_on", null=True),
    text("start_on", null=True),
    timestamp("completed_at", null=True),
    number("tickets_count"),
    number("open_tickets_count"),
    number("user_id"),
    timestamp("created_at"),
    timestamp("updated_at"),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    belongs("projects", project_id="id"),
)

# Saved views of the account itself have no project.
bins = of_account(
    "bins",
    number("id"),
    number("project_id", null=True),
    number("user_id"),
    text("name"),
    text("query"),
    flag("shared"),
    number("position"),
    timestamp("created_at"),
    timestamp("updated_at"),
    *layout(),
    key("account_id", "id"),
    Index(None, "account_id", "project_id", "position"),
    belongs("projects", project_id="id"),
)

# The project is 0 for views of the account itself.
default_bins = of_account(
    "default_bins",
    number("project_id"),
    number("user_id"),
    number("bin_id"),
    key("account_id", "project_id", "user_id"),
    belongs("bins", bin_id="id"),
)

# Values with which new tickets can begin.
ticket_templates = of_account(
    "ticket_templates",
    number("id"),
    number("project_id"),
    text("name"),
    text("title"),
    text("body"),
    text("tag"),
    number("assigned_user_id", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    belongs("projects", project_id="id"),
)

bulk_edits = of_account(
    "bulk_edits",
    number("id"),
    number("project_id"),
    number("user_id"),
    text("query"),
    text("command"),
    number("moved_to", null=True),
    number("undoes", null=True),
    number("part_of", null=True),
    # Set when a private ticket that it changed is deleted or moves on, and can no longer say so itself.
    flag("private", default=0),
    timestamp("created_at"),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    Index(
        "ix_bulk_edits_private",
        *("account_id", "private", "project_id"),
        sqlite_where=_PRIVATE,
        postgresql_where=_PRIVATE,
    ),
    Index(None, "account_id", "undoes"),
    Index(None, "account_id", "part_of"),
    belongs("projects", project_id="id"),
)

# The numbers at the time of the edit, whatever has happened to the tickets since.
bulk_edit_tickets = of_account(
    "bulk_edit_tickets",
    number("bulk_edit_id"),
    number("number"),
    number("version"),
    number("new_number", null=True),
    key("account_id", "bulk_edit_id", "number"),
    belongs("bulk_edits", bulk_edit_id="id"),
)

messages = of_account(
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
    timestamp("created_at"),
    timestamp("updated_at"),
    *edits(),
    key("account_id", "id"),
    Index(None, "account_id", "project_id", "parent_id", "updated_at", "id"),
    Index(None, "account_id", "parent_id", "id"),
    belongs("projects", project_id="id"),
)

# The texts of a message before its edits; the id is the number of the edit.
message_texts = of_account(
    "message_texts",
    number("project_id"),
    number("message_id"),
    *earlier_text(),
    key("account_id", "message_id", "id"),
    belongs("messages", message_id="id"),
)

changesets = of_account(
    "changesets",
    number("project_id"),
    text("revision"),
    number("user_id"),
    text("title"),
    text("body"),
    text("body_html"),
    text("changes"),
    timestamp("changed_at"),
    timestamp("created_at"),
    number("committer_id", null=True),
    text("committer_name", default=""),
    key("account_id", "project_id", "revision"),
    Index(None, "account_id", "project_id", "changed_at"),
    Index(None, "account_id", "changed_at", "project_id", "revision"),
    belongs("projects", project_id="id"),
)

# What newcomers sent, which waits until a member releases it; ``number`` is what it comments on.
held_texts = of_account(
    "held_texts",
    number("id"),
    number("project_id"),
    number("user_id"),
    text("kind"),
    number("number", null=True),
    text("title"),
    text("body"),
    text("tag", null=True),
    flag("private", default=0),
    text("via"),
    timestamp("created_at"),
    # Of a text that everybody sees, with a mark: its version, or the id of the comment on a message. Then its
    # words are in their own table, and not here.
    number("shown_as", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    Index(None, "account_id", "user_id"),
    belongs("projects", project_id="id"),
)

attachments = of_account(
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
    timestamp("created_at"),
    key("account_id", "id"),
    UniqueConstraint("account_id", "code"),
    Index(None, "account_id", "project_id", "number"),
    Index(None, "account_id", "message_id"),
    belongs("projects", project_id="id"),
)
