"""The tables: their columns, keys and the indexes that lists are read from.

Every key, unique constraint and foreign key of an account's rows begins with ``account_id``, so that the
tables can be distributed by account. Times are whole microseconds since 1970 in UTC, and flags are 0 or 1, so
that both databases store and return the same values.
"""

from skerry.store.engine.tables.account import (
    account_logins,
    account_members,
    accounts,
    counters,
    feeds,
    guest_bytes,
    invitations,
    leases,
    login_networks,
    logins,
    removals,
    repeats,
    sessions,
    tokens,
    users,
)
from skerry.store.engine.tables.columns import metadata
from skerry.store.engine.tables.incoming_mail import incoming_mails
from skerry.store.engine.tables.mail import (
    mail_changes,
    mail_outages,
    mail_preferences,
    mailed_links,
    mails,
)
from skerry.store.engine.tables.project import (
    attachments,
    bins,
    bulk_edit_tickets,
    bulk_edits,
    changesets,
    default_bins,
    deliveries,
    events,
    hooks,
    messages,
    milestones,
    notification_levels,
    project_counters,
    project_members,
    projects,
    state_counts,
    tag_counts,
)
from skerry.store.engine.tables.ticket import (
    mutes,
    notifications,
    taggings,
    tickets,
    versions,
    watchers,
)

BOOKS = "alembic_version"
"""The table with the applied migrations."""

__all__ = [
    "BOOKS",
    "account_logins",
    "account_members",
    "accounts",
    "attachments",
    "bins",
    "bulk_edit_tickets",
    "bulk_edits",
    "changesets",
    "counters",
    "default_bins",
    "deliveries",
    "events",
    "feeds",
    "guest_bytes",
    "hooks",
    "incoming_mails",
    "invitations",
    "leases",
    "login_networks",
    "logins",
    "mail_changes",
    "mail_outages",
    "mail_preferences",
    "mailed_links",
    "mails",
    "messages",
    "metadata",
    "milestones",
    "mutes",
    "notification_levels",
    "notifications",
    "project_counters",
    "project_members",
    "projects",
    "removals",
    "repeats",
    "sessions",
    "state_counts",
    "tag_counts",
    "taggings",
    "tickets",
    "tokens",
    "users",
    "versions",
    "watchers",
]
