"""The key that encrypts secrets in the database: whether it is the right one, and encrypting with it."""

from skerry.database.database import Database
from skerry.errors import Conflict, SecretUnreadable
from skerry.sealing.key_ring import SETTING
from skerry.store import sealed_columns


def prepare(database: Database) -> str:
    """Encrypt what is not encrypted yet; return a warning if the key is missing, else an empty text.

    Raises Conflict if there is a key, but not the one that encrypted the secrets.
    """
    warning = missing(database)
    if warning:
        return warning
    with database.read() as transaction:
        plain = sealed_columns.accounts_with_plain(transaction)
    try:
        for account_id in sorted(plain):
            with database.write(account_id) as transaction:
                sealed_columns.seal_plain(transaction)
    except SecretUnreadable:
        # Another server that is starting has just made a key of its own.
        return missing(database)
    return ""


def missing(database: Database) -> str:
    """Return a sentence if the secrets are encrypted and there is no key here, else an empty text.

    Raises Conflict if there is one, but not the one that encrypted the secrets.
    """
    with database.read() as transaction:
        needed = sealed_columns.key_ids(transaction)
    keys = database.keys
    known = keys.ids()
    if needed.issubset(known):
        return ""
    if known:
        said = SETTING if not keys.is_in_file else str(keys.file)
        raise Conflict(
            f"{said} is not the key that encrypts the secrets in this database; set that key again"
        )
    return (
        "The secrets in this database are encrypted, and their key is missing: hooks are not delivered, "
        f"pushes of forges are refused, and mail waits. Set {SETTING}, or put the key into {keys.file}"
    )
