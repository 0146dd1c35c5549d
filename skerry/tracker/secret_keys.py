"""The key that encrypts secrets in the database: whether it is the right one, and encrypting with it."""

from skerry.database.database import Database
from skerry.errors import Conflict, SecretUnreadable
from skerry.sealing.key_ring import SETTING, new_key
from skerry.store import accounts, sealed_columns
from skerry.store.auth import sessions
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import factors
from skerry.tracker.sending import lost_secrets

RESET = "'skerry secrets reset'"


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
            f"{said} is not the key that encrypts the secrets in this database; set that key again, "
            f"or give up what it encrypted with {RESET}"
        )
    return (
        "The secrets in this database are encrypted, and their key is missing: hooks are not delivered, "
        f"pushes of forges are refused, and mail waits. Set {SETTING}, put the key into {keys.file}, or give "
        f"up what it encrypted with {RESET}"
    )


def rotate(database: Database) -> int:
    """Encrypt all secrets with the first key; return how many rows another one had encrypted.

    One account after the other, so it can be repeated after an interruption. Raises SecretUnreadable.
    """
    count, key_id = 0, database.keys.first().id
    for account_id in _accounts(database):
        with database.write(account_id) as transaction:
            count += sealed_columns.reseal(transaction, key_id)
            audit.by_command(transaction, Kind.SECRETS_ROTATED)
    return count


def rotate_file(database: Database) -> int:
    """Do as ``rotate`` with a new key in the file, where the old ones stay until all is encrypted with it."""
    keys = database.keys
    with database.read() as transaction:
        in_use = sealed_columns.key_ids(transaction)
    # If the first key is not the only one in use, an earlier call was interrupted.
    if in_use.issubset(keys.ids()[:1]):
        keys.replace_file([new_key(), *keys.texts_in_file()])
    count = rotate(database)
    keys.replace_file(keys.texts_in_file()[:1])
    return count


def reset(database: Database) -> tuple[int, int, int]:
    """Replace secrets whose key is lost with new ones that nobody knows.

    Return how many hooks, forges and time codes had one.

    The hooks are turned off, and secrets of time codes removed. The owners of all of them are told.
    """
    hooks = forges = codes = 0
    for account_id in _accounts(database):
        with database.write(account_id) as transaction:
            lost = sealed_columns.lost(transaction)
            sealed_columns.use_key(transaction, database.keys.first().id)
            if sealed_columns.ACCOUNTS in lost:
                accounts.renew_mail_secret(transaction)
            for hook_id in lost.get(sealed_columns.HOOKS, ()):
                lost_secrets.turn_off_hook(transaction, hook_id)
            for forge_id in lost.get(sealed_columns.FORGES, ()):
                lost_secrets.close_forge(transaction, forge_id)
            for session_id in lost.get(sealed_columns.SESSIONS, ()):
                sessions.forget_id_token(transaction, session_id)
            for user_id in lost.get(sealed_columns.TIME_CODES, ()):
                factors.lose_secret(transaction, user_id)
            hooks += len(lost.get(sealed_columns.HOOKS, ()))
            forges += len(lost.get(sealed_columns.FORGES, ()))
            codes += len(lost.get(sealed_columns.TIME_CODES, ()))
            audit.by_command(transaction, Kind.SECRETS_RESET)
    return hooks, forges, codes


def _accounts(database: Database) -> list[int]:
    with database.read() as transaction:
        return [account.id for account in accounts.list_all(transaction)]
