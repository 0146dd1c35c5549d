"""Tables of accounts, of people, and of what is stored for both."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy import text as text_clause

from skerry.store.tables.columns import flag, key, layout, metadata, number, of_account, text, timestamp

_WAITS = text_clause("number IS NULL")

accounts = Table(
    "accounts",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    text("name"),
    Column("host", Text, nullable=True, unique=True),
    timestamp("created_at"),
    # The base URL of links in mail; without one the setting of the server is used.
    text("base_url", null=True),
    # The zone of the days of what several people share; UTC if there is none.
    text("time_zone", null=True),
    text("key"),
    # The secret that signs mail addresses, and the previous one.
    text("mail_secret"),
    text("mail_secret_before", null=True),
    # The id of the key that encrypts new secrets; NULL while none is encrypted.
    text("secrets_key", null=True),
    # Whether members sign in with a provider only.
    Column("single_sign_on", SmallInteger, nullable=False, server_default="0"),
    # The day from which everybody who signs in with a password needs a second factor.
    text("factors_from", null=True),
    # Who may sign up: off, approval or open.
    text("sign_up", default="off"),
    # What happens to the texts of newcomers: show, mark or hold.
    text("newcomers", default="show"),
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
    # The time since when the login is disabled on the whole server.
    timestamp("disabled_at", null=True),
    # The language of mail; NULL until it is chosen or a browser sends it.
    text("language", null=True),
    text("time_zone", null=True),
    # Whether it is a program of one account, with tokens and without a login.
    flag("service", default=0),
)

logins = Table(
    "logins",
    metadata,
    Column("email", Text),
    # The only account in which an invited login is valid until its address is proven; 0 means all of them.
    Column("account_id", BigInteger, nullable=False, server_default="0"),
    Column("user_id", BigInteger, nullable=False, unique=True),
    text("password_hash"),
    timestamp("changed_at"),
    # Since when the address is verified to belong to the owner of the login.
    timestamp("verified_at", null=True),
    key("email", "account_id"),
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

# What an account stores about a login in addition to memberships: since when it is disabled there, when its
# owner was last removed, the password that replaces that of the login there, and since when a password is not
# enough to sign in there.
account_logins = of_account(
    "account_logins",
    number("user_id"),
    timestamp("disabled_at", null=True),
    timestamp("removed_at", null=True),
    text("password_hash", null=True),
    timestamp("factor_at", null=True),
    key("account_id", "user_id"),
)

# How many bytes guests sent on a day, by person and by project.
guest_bytes = of_account(
    "guest_bytes",
    number("day"),
    text("kind"),
    number("owner_id"),
    number("size"),
    key("account_id", "day", "kind", "owner_id"),
)

# The process that does the account's background work, until when, and since when sending is paused.
leases = of_account(
    "leases",
    text("owner"),
    timestamp("expires_at"),
    timestamp("paused_at", null=True),
    key("account_id"),
)

# People removed from a project, or from the account if the project is 0, with the data to restore them.
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

# Imported people without a login: ``source`` is the name of their archive with their id in it. One that was
# given to somebody stays, so that a later import finds that person.
placeholders = of_account(
    "placeholders",
    number("user_id"),
    text("source"),
    number("given_to", null=True),
    timestamp("given_at", null=True),
    key("account_id", "user_id"),
    UniqueConstraint("account_id", "source"),
)

# Uploaded archives and exports of other trackers; ``code`` names the file until it is imported.
imports = of_account(
    "imports",
    number("id"),
    number("user_id"),
    text("filename"),
    text("kind"),
    text("name"),
    text("columns"),
    text("markup", default=""),
    text("address", default=""),
    text("people", default=""),
    text("code"),
    number("size"),
    text("state"),
    text("report"),
    text("error"),
    text("stage"),
    timestamp("stage_began_at", null=True),
    number("done"),
    number("total"),
    text("project_ids"),
    timestamp("created_at"),
    timestamp("updated_at"),
    key("account_id", "id"),
)

# A secret URL of a list, for programs that cannot sign in.
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

# How people see the list of a project, or of all projects if it is 0, where no saved view applies.
list_settings = of_account(
    "list_settings",
    number("project_id"),
    number("user_id"),
    *layout(),
    key("account_id", "project_id", "user_id"),
)

# Spammers who were removed with what they wrote, and whether their login was disabled before.
spam_removals = of_account(
    "spam_removals",
    number("user_id"),
    number("creator_id"),
    timestamp("created_at"),
    text("state"),
    flag("was_disabled"),
    key("account_id", "user_id"),
)

# What they wrote, as JSON of its rows; 0 if it has no project, number or version.
removed_things = of_account(
    "removed_things",
    number("id"),
    number("user_id"),
    text("kind"),
    number("project_id"),
    number("number"),
    number("version"),
    text("content"),
    key("account_id", "id"),
    Index(None, "account_id", "user_id", "id"),
)

# The files in the storage that belong to it; ``storage`` is the account in their key.
removed_files = of_account(
    "removed_files",
    number("user_id"),
    number("storage"),
    text("code"),
    key("account_id", "code"),
    Index(None, "account_id", "user_id"),
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

# The log of security events. A row is sealed later, in the background: it then gets its number in the account
# and the hash that binds it to the row before. ``personal`` can be erased; its hash stays.
audit_entries = of_account(
    "audit_entries",
    number("entry"),
    number("number", null=True),
    text("hash", null=True),
    timestamp("happened_at"),
    text("kind"),
    text("subject_id", null=True),
    number("project_id", null=True),
    number("user_id", null=True),
    text("credential"),
    text("details"),
    text("personal", null=True),
    text("personal_hash"),
    key("account_id", "entry"),
    UniqueConstraint("account_id", "number"),
    Index(None, "account_id", "user_id"),
    Index(
        "ix_audit_entries_waiting",
        *("account_id", "happened_at", "entry"),
        sqlite_where=_WAITS,
        postgresql_where=_WAITS,
    ),
)

# The last entry of the log that was sealed, and the last one that was removed because of its age: its number,
# its hash, and what was hashed.
audit_chains = of_account(
    "audit_chains",
    number("number"),
    text("hash"),
    number("removed_number"),
    text("removed_hash"),
    text("removed_entry", default=""),
    key("account_id"),
)
