"""Tables of events, and of what sends and receives them: hooks and forges."""

from sqlalchemy import BigInteger, Column, Index, Text

from skerry.store.tables.columns import belongs, event_number, flag, key, number, of_account, text, timestamp

# Changes with their actor and source, in the order of commits. Events of the account itself have no project.
events = of_account(
    "events",
    event_number("number"),
    text("type"),
    number("project_id", null=True),
    text("subject_kind"),
    text("subject_id"),
    number("user_id", null=True),
    number("version", null=True),
    text("changes"),
    event_number("batch_id", null=True),
    timestamp("happened_at"),
    text("via"),
    number("token_id", null=True),
    key("account_id", "number"),
    Index(None, "account_id", "project_id", "number"),
    belongs("projects", project_id="id"),
)

# Hooks of the account itself have no project. ``cursor`` is the number of the last event that was delivered
# or left to its own schedule; ``tries``, ``refusals`` in a row and the delivery belong to the one after it.
# ``outage_since`` is set once the receiver has refused another event too, or has not answered.
hooks = of_account(
    "hooks",
    number("id"),
    number("project_id", null=True),
    number("user_id"),
    text("url"),
    # A column must not have the name of a table.
    text("event_types", called="events"),
    text("query"),
    text("format"),
    flag("active"),
    text("note"),
    text("secret"),
    text("old_secret", null=True),
    timestamp("old_secret_until", null=True),
    event_number("cursor"),
    number("tries"),
    Column("refusals", BigInteger, nullable=False, server_default="0"),
    Column("tried_since", BigInteger, key="outage_since", nullable=True),
    number("delivery_id", null=True),
    timestamp("next_try_at", null=True),
    timestamp("failing_since", null=True),
    text("problem"),
    Column("versions_sent", Text, key="versions", nullable=False, server_default="all"),
    timestamp("created_at"),
    timestamp("updated_at"),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    belongs("projects", project_id="id"),
)

# Forges whose web hooks report commits, with the secrets that sign their requests.
forges = of_account(
    "forges",
    number("id"),
    number("project_id"),
    number("user_id"),
    text("kind"),
    text("note"),
    text("secret"),
    timestamp("created_at"),
    timestamp("pushed_at", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "project_id"),
    belongs("projects", project_id="id"),
)

# ``asked`` is 1 while a requested delivery is pending, which does not wait for the hook's backoff, and 2
# while one is retried by its own schedule, because it was refused alone. ``attempts`` has lines of JSON.
deliveries = of_account(
    "deliveries",
    number("id"),
    number("hook_id"),
    event_number("event", null=True),
    text("event_type"),
    text("message_id"),
    text("state"),
    flag("asked"),
    number("status", null=True),
    number("tries"),
    number("milliseconds", null=True),
    text("request"),
    text("answer"),
    timestamp("created_at"),
    timestamp("tried_at", null=True),
    timestamp("delivered_at", null=True),
    timestamp("next_try_at", null=True),
    Column("attempts", Text, nullable=False, server_default="[]"),
    number("project_id", null=True),
    number("ticket", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "hook_id", "id"),
    Index(None, "account_id", "asked", "hook_id", "id"),
    belongs("hooks", hook_id="id"),
)
