"""The table of incoming mail."""

from sqlalchemy import Index

from skerry.store.engine.tables.columns import flag, key, of_account, text, timestamp

# Messages that were processed or refused, so that none is processed twice, with their senders for rate
# limits. Ids and addresses are stored as hashes.
incoming_mails = of_account(
    "incoming_mails",
    text("key"),
    text("sender"),
    flag("answered"),
    timestamp("created_at"),
    key("account_id", "key"),
    Index(None, "account_id", "sender", "created_at"),
    Index(None, "account_id", "created_at"),
)
