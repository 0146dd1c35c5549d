"""Tables of outgoing mail: the queue, outages, preferences of recipients, and mailed links."""

from sqlalchemy import Column, Index, SmallInteger, UniqueConstraint

from skerry.store.tables.columns import flag, key, number, of_account, text, timestamp

# Queued mails in order, and those that the server rejected permanently. Sent mail is removed.
mails = of_account(
    "mails",
    number("id"),
    text("kind"),
    number("user_id", null=True),
    # For a recipient without a login.
    text("email", null=True),
    text("content"),
    timestamp("created_at"),
    number("tries"),
    timestamp("due_at"),
    text("failure", null=True),
    timestamp("set_aside_at", null=True),
    key("account_id", "id"),
    Index(None, "account_id", "set_aside_at", "id"),
)

# Changes of a ticket that somebody has not been mailed about, as a range of versions.
mail_changes = of_account(
    "mail_changes",
    number("user_id"),
    number("project_id"),
    number("number"),
    number("reason"),
    number("first_version"),
    number("last_version"),
    timestamp("due_at"),
    key("account_id", "user_id", "project_id", "number"),
    Index(None, "account_id", "due_at"),
)

# How often somebody wants mail from the account, when the next digest is due, and the unsubscribe code.
mail_preferences = of_account(
    "mail_preferences",
    number("user_id"),
    text("frequency"),
    timestamp("digest_due_at", null=True),
    text("unsubscribe_code"),
    # Whether they want to be reminded of due dates, and the day of the last reminder where they are.
    Column("due_reminders", SmallInteger, nullable=False, server_default="1"),
    text("reminded_on", null=True),
    key("account_id", "user_id"),
    UniqueConstraint("account_id", "unsubscribe_code"),
)

# Since when the mail server is down, and when it is tried again; no row while it works.
mail_outages = of_account(
    "mail_outages",
    number("tries"),
    timestamp("since"),
    timestamp("due_at"),
    text("failure"),
    key("account_id"),
)

# Mailed links, stored only by the hash of their code.
mailed_links = of_account(
    "mailed_links",
    text("hash"),
    text("kind"),
    number("user_id"),
    text("email"),
    timestamp("created_at"),
    timestamp("expires_at"),
    key("account_id", "hash"),
    Index(None, "account_id", "user_id"),
)


# Messages that were processed or refused, so that none is processed twice, with their senders for rate
# limits. Ids and addresses are stored as hashes. For administrators, a message that was not used has another
# row, with its result, the reason, the sender's address and the subject.
incoming_mails = of_account(
    "incoming_mails",
    text("key"),
    text("sender"),
    flag("answered"),
    timestamp("created_at"),
    text("result", null=True),
    text("reason", null=True),
    text("email", null=True),
    text("subject", null=True),
    key("account_id", "key"),
    Index(None, "account_id", "sender", "created_at"),
    Index(None, "account_id", "created_at"),
)
