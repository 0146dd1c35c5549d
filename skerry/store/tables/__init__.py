"""The tables: their columns, keys and the indexes that lists are read from.

Every key, unique constraint and foreign key of an account's rows begins with ``account_id``, so that the
tables can be distributed by account. Times are whole microseconds since 1970 in UTC, and flags are 0 or 1, so
that both databases store and return the same values.
"""

from skerry.store.tables.account import (
    account_logins,
    account_members,
    accounts,
    audit_chains,
    audit_entries,
    counters,
    feeds,
    guest_bytes,
    imports,
    leases,
    list_settings,
    logins,
    placeholders,
    removals,
    removed_files,
    removed_things,
    repeats,
    spam_removals,
    users,
)
from skerry.store.tables.auth import (
    answered_challenges,
    identities,
    invitations,
    login_browsers,
    login_networks,
    passkeys,
    recovery_codes,
    sessions,
    sign_in_steps,
    sign_ups,
    time_codes,
    tokens,
)
from skerry.store.tables.columns import metadata
from skerry.store.tables.mail import (
    incoming_mails,
    mail_changes,
    mail_outages,
    mail_preferences,
    mailed_links,
    mails,
)
from skerry.store.tables.project import (
    attachments,
    bins,
    bulk_edit_tickets,
    bulk_edits,
    changesets,
    default_bins,
    held_texts,
    message_texts,
    messages,
    milestones,
    notification_levels,
    placeholder_members,
    project_counters,
    project_members,
    projects,
    state_counts,
    tag_counts,
    ticket_templates,
    unfinished_imports,
)
from skerry.store.tables.search import SEARCH_DOCUMENTS
from skerry.store.tables.sending import deliveries, events, forges, hooks
from skerry.store.tables.ticket import (
    backlinks,
    claims,
    moved_tickets,
    mutes,
    notifications,
    taggings,
    ticket_links,
    tickets,
    version_texts,
    versions,
    watchers,
)

BOOKS = "alembic_version"
"""The table with the applied migrations."""
