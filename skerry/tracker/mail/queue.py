"""The mail queue; a background task composes each mail from current data, and sends it."""

from enum import StrEnum
from urllib.parse import urlsplit

from skerry.database.transactions import Transaction
from skerry.errors import Conflict
from skerry.store import accounts
from skerry.store.mail import mails as store
from skerry.store.mail.mails import Content

OFF = "This server sends no mail"


def base_url(transaction: Transaction) -> str:
    """Return the base URL of links in the account's mail; empty if no mail is sent."""
    if transaction.mail is None:
        return ""
    return accounts.base_url_of(transaction) or secret_base_url(transaction)


def secret_base_url(transaction: Transaction) -> str:
    """Return the base URL of links that let somebody in, on a host that the operator has named.

    Administrators choose the base URL of the account, and could collect such links at another host.
    """
    if transaction.mail is None:
        return ""
    own, host, operators = *accounts.addresses_of(transaction), transaction.mail.base_url
    if own and urlsplit(own).hostname in {host, urlsplit(operators).hostname} - {""}:
        return own
    return operators or (f"https://{host}" if host else "")


def is_on(transaction: Transaction) -> bool:
    """Return whether the account sends mail: with a mail server, and an address from the operator."""
    return bool(secret_base_url(transaction))


def check_on(transaction: Transaction) -> None:
    """Raise Conflict unless the account sends mail."""
    if not is_on(transaction):
        raise Conflict(OFF)


def put(
    transaction: Transaction,
    kind: str,
    content: Content,
    *,
    user_id: int | None = None,
    email: str | None = None,
    due_at: int = 0,
) -> None:
    """Queue a mail to a user, or to an address without one; does nothing if mail is off."""
    if is_on(transaction):
        store.add(transaction, kind, content, user_id=user_id, email=email, due_at=due_at)


class Alert(StrEnum):
    """The kinds of alerts; the template ``alert.jinja`` has their texts."""

    FACTOR_CREATED = "factor_created"
    FACTOR_DELETED = "factor_deleted"
    FACTOR_LOST = "factor_lost"
    FACTOR_RESET = "factor_reset"
    HOOK_TURNED_OFF = "hook_turned_off"
    IDENTITY_CREATED = "identity_created"
    IDENTITY_DELETED = "identity_deleted"
    NEW_BROWSER = "new_browser"
    PASSKEY_CREATED = "passkey_created"
    PASSKEY_DELETED = "passkey_deleted"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of an alert
    RECOVERY_CODE_USED = "recovery_code_used"
    RECOVERY_CODES_CREATED = "recovery_codes_created"
    SECRET_LOST = "secret_lost"  # noqa: S105 - the name of an alert
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of an alert
    WRONG_CODES = "wrong_codes"


def send_alert(transaction: Transaction, user_id: int, what: Alert, note: str = "", link: str = "") -> None:
    """Mail a user an alert about something of theirs; ``note`` names it, ``link`` is the path of its page."""
    put(transaction, "alert", {"what": what, "note": note, "link": link}, user_id=user_id)
