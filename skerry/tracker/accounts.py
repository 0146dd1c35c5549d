"""Accounts, and the set-up of a new installation."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Invalid
from skerry.prefixes import is_prefix
from skerry.store import accounts as store
from skerry.store.accounts import StoredAccount
from skerry.store.auth import tokens as token_store
from skerry.tracker import secrets
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.people import people
from skerry.visibility import is_visible
from skerry.wire import values

FIRST_NAME = "Skerry"

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\]")


@dataclass(frozen=True)
class FirstSignIn:
    """The first sign-in; shown once and not stored."""

    email: str
    password: str
    token: str


def add(transaction: Transaction, name: str, host: str | None) -> StoredAccount:
    """Create an account; raises Invalid for an invalid name or host, Conflict if one is already in use."""
    check_name(name)
    present = store.list_all(transaction)
    if any(account.name == name for account in present):
        raise Conflict(f"An account called {name} already exists")
    if host is not None and not _HOST.fullmatch(host.lower()):
        raise Invalid(f"Host {host!r} is not a host name (leave out the port)")
    if host is not None and any(account.host == host.lower() for account in present):
        raise Conflict(f"Host {host} already belongs to another account")
    return store.add(transaction, name, host)


def check_name(name: str) -> None:
    """Raise Invalid unless a text is a valid account name."""
    if not is_visible(name) or len(name) > people.MAX_NAME_LENGTH or not name.isprintable():
        raise Invalid("Account name must have 1 to 255 printable characters")


def check_base_url(base_url: str) -> None:
    """Raise Invalid unless this is a valid base URL for links in mail; empty means none of its own."""
    parts = urlsplit(base_url) if values.is_url(base_url) else None
    # The site is at the root of its host, or below a path.
    is_ours = parts and is_prefix(parts.path) and base_url.endswith(f"://{parts.netloc}{parts.path}")
    if base_url and not (is_ours and parts and base_url.isascii() and not parts.username):
        raise Invalid("Base URL must be an http or https address such as https://tracker.example.org")


def first(transaction: Transaction) -> StoredAccount:
    """Return the first account, and create it if there is none."""
    accounts = store.list_all(transaction)
    return accounts[0] if accounts else store.add_first(transaction, FIRST_NAME)


def make_administrator(transaction: Transaction, *, email: str, name: str, password: str) -> FirstSignIn:
    """Create the owner of the transaction's account, with a token that has all permissions."""
    # Hashing is slow, but during set-up nobody else has to wait for the lock.
    password_hash = secrets.hash_password(password, (email, name))
    user_id = people.add(transaction, email=email, name=name, password_hash=password_hash, role="owner")
    token = secrets.new_token()
    token_store.add(
        transaction,
        user_id,
        secrets.hash_token(token),
        project_id=None,
        read_only=False,
        note="Made when the account was set up",
    )
    audit.by_command(transaction, Kind.ACCOUNT_CREATED, transaction.account_id, details={"owner": user_id})
    audit.by_command(transaction, Kind.TOKEN_CREATED, details={"owner": user_id})
    return FirstSignIn(email, password, token)
