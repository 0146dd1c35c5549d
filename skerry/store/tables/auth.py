"""Tables of what proves who somebody is: credentials, second factors, invitations and sign-ups."""

from sqlalchemy import Index, UniqueConstraint

from skerry.store.tables.columns import flag, key, number, of_account, text, timestamp

# Networks with recent sign-ins of a login.
login_networks = of_account(
    "login_networks",
    number("user_id"),
    text("network"),
    timestamp("used_at"),
    key("account_id", "user_id", "network"),
)

# Browsers in which a login has signed in, by the hash of the mark in their cookie.
login_browsers = of_account(
    "login_browsers",
    number("user_id"),
    text("hash"),
    timestamp("used_at"),
    key("account_id", "user_id", "hash"),
)

tokens = of_account(
    "tokens",
    number("id"),
    number("user_id"),
    number("project_id", null=True),
    flag("read_only"),
    text("note"),
    text("hash"),
    timestamp("created_at"),
    timestamp("revoked_at", null=True),
    timestamp("expires_at", null=True),
    timestamp("used_at", null=True),
    # What the token is limited to, in words with spaces between them; empty for no limit.
    text("scopes", default=""),
    # Where it was last used.
    text("address", default=""),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

sessions = of_account(
    "sessions",
    number("id"),
    number("user_id"),
    text("hash"),
    text("agent"),
    text("address"),
    timestamp("created_at"),
    timestamp("used_at"),
    # The provider with which it began, and its ID token, with which the person signs out there.
    text("provider", null=True),
    text("id_token", null=True),
    # When the person proved who they are, if that was not when the session began; 1 if nobody knows.
    timestamp("proved_at", null=True),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
    Index(None, "account_id", "user_id"),
)

# Who somebody is at an OpenID Connect provider: ``subject`` is a name that ``issuer`` gave, and says nothing
# at others. ``provider`` is its name in the settings.
identities = of_account(
    "identities",
    number("id"),
    number("user_id"),
    text("provider"),
    text("subject"),
    text("email"),
    timestamp("created_at"),
    timestamp("used_at"),
    # Empty until a server starts, if the link was made before it was stored.
    text("issuer", default=""),
    key("account_id", "id"),
    UniqueConstraint("account_id", "provider", "issuer", "subject"),
    Index(None, "account_id", "user_id"),
)

# The public keys with which people sign in. ``credential`` is the id that the authenticator gave, ``counter``
# how often it was used, as it says.
passkeys = of_account(
    "passkeys",
    number("id"),
    number("user_id"),
    text("credential"),
    text("public_key"),
    number("counter"),
    text("name"),
    text("transports"),
    flag("backed_up"),
    timestamp("created_at"),
    timestamp("used_at", null=True),
    # Where it was last used.
    text("address"),
    key("account_id", "id"),
    UniqueConstraint("account_id", "credential"),
    Index(None, "account_id", "user_id"),
)

# The challenges that were answered, by their hash, so that no answer works twice.
answered_challenges = of_account(
    "answered_challenges",
    text("hash"),
    timestamp("expires_at"),
    key("account_id", "hash"),
)

# A link for somebody without a password, or who has lost it.
invitations = of_account(
    "invitations",
    number("id"),
    text("hash"),
    # The hash of the mailed link, which proves who owns the address.
    text("mailed_hash", null=True),
    text("email"),
    text("name"),
    text("role", null=True),
    number("project_id", null=True),
    number("user_id", null=True),
    number("creator_id"),
    timestamp("created_at"),
    timestamp("expires_at"),
    timestamp("used_at", null=True),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
)

# Somebody who signs up: until they prove their address a mailed link, then a person who waits for approval,
# and then one who joined as a user, or was refused. ``told_at`` is when administrators are told of it.
sign_ups = of_account(
    "sign_ups",
    number("id"),
    text("hash"),
    text("email"),
    text("name"),
    # Until they join.
    text("password_hash", null=True),
    number("user_id", null=True),
    timestamp("created_at"),
    timestamp("expires_at"),
    timestamp("proved_at", null=True),
    timestamp("told_at", null=True),
    timestamp("decided_at", null=True),
    number("decided_by", null=True),
    # When a member released a text of theirs; until then they are newcomers.
    timestamp("trusted_at", null=True),
    key("account_id", "id"),
    UniqueConstraint("account_id", "hash"),
    Index(None, "account_id", "email"),
    Index(None, "account_id", "user_id"),
)

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
