"""Tables of second factors, and of sign-ins that wait for one."""

from skerry.store.tables.columns import key, number, of_account, text, timestamp

# The secret of a person's time codes, and the last time step of which a code was used, so that none works
# twice. ``failures`` counts the wrong codes since the last right one.
time_codes = of_account(
    "time_codes",
    number("user_id"),
    text("secret"),
    timestamp("created_at"),
    timestamp("confirmed_at", null=True),
    timestamp("used_at", null=True),
    number("last_step"),
    number("failures"),
    timestamp("failed_at", null=True),
    key("account_id", "user_id"),
)

# The hashes of the recovery codes that were not used yet.
recovery_codes = of_account(
    "recovery_codes",
    number("user_id"),
    text("hash"),
    key("account_id", "user_id", "hash"),
)

# What a browser has begun and must finish within minutes, by the hash of the secret in its cookie. ``proof``
# is compared at the end; ``credential`` is the one with which it began.
sign_in_steps = of_account(
    "sign_in_steps",
    text("hash"),
    text("purpose"),
    number("user_id"),
    text("proof"),
    text("credential"),
    timestamp("expires_at"),
    key("account_id", "hash", "purpose"),
)
