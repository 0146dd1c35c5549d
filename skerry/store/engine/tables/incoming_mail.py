"""The table of mails that came in."""

from sqlalchemy import Index

from skerry.store.engine.tables.columns import flag, key, of_account, text, timestamp

# Which messages were carried out or refused, so that none is twice, and how many came from whom. Neither
# their ids nor the addresses can be read.
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
