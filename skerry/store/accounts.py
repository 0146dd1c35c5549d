"""Accounts: the tenants of one server."""

import secrets
from dataclasses import dataclass

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, case, func, insert, or_, select, update

from skerry.errors import Unavailable
from skerry.store.counts import counters
from skerry.store.engine.database import Database
from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import accounts
from skerry.store.engine.transactions import Transaction

_KEY_BYTES = 32


@dataclass(frozen=True)
class Account:
    """A tenant; an account without a ``host`` answers to all hosts that no other account has."""

    id: int
    name: str
    host: str | None


_COLUMNS = (accounts.c.id, accounts.c.name, accounts.c.host)


def _first(*condition: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.min(accounts.c.id)).where(*condition).scalar_subquery()


_last = select(func.max(accounts.c.id)).scalar_subquery()

# The account of the host, or else the one without a host, or else the only one. Each step uses an index, so
# that the number of accounts does not matter.
_AT_HOST = Statement(
    select(*_COLUMNS).where(
        accounts.c.id
        == func.coalesce(
            _first(accounts.c.host == bindparam("host")),
            _first(accounts.c.host.is_(None)),
            case((_first() == _last, _first())),
        )
    ),
    across_accounts=True,
)

_BASE_URL = Statement(select(accounts.c.base_url).where(accounts.c.id == bindparam("account_id")))

_MAIL_SECRETS = Statement(
    select(accounts.c.mail_secret, accounts.c.mail_secret_before).where(
        accounts.c.id == bindparam("account_id")
    )
)

_RENEW_MAIL_SECRET = Statement(
    update(accounts)
    .where(accounts.c.id == bindparam("account_id"))
    .values(mail_secret=bindparam("new_secret"), mail_secret_before=accounts.c.mail_secret)
)

_NAME = Statement(select(accounts.c.name).where(accounts.c.id == bindparam("account_id")))

_BY_KEY = accounts.c.id == bindparam("account_id")
_KEY = Statement(select(accounts.c.key).where(_BY_KEY))
_INCOMPLETE = Statement(
    select(accounts.c.id).where(or_(accounts.c.key.is_(None), accounts.c.mail_secret.is_(None))),
    across_accounts=True,
)
_COMPLETE = Statement(
    update(accounts)
    .where(_BY_KEY)
    .values(
        key=func.coalesce(accounts.c.key, bindparam("new_key")),
        mail_secret=func.coalesce(accounts.c.mail_secret, bindparam("new_secret")),
    )
)

_ALL = Statement(select(*_COLUMNS).order_by(accounts.c.id), across_accounts=True)

_ANY = Statement(select(accounts.c.id).limit(1), across_accounts=True)

_OLDEST = Statement(select(func.min(accounts.c.id)), across_accounts=True)

_INSERT = Statement(
    insert(accounts).values(
        id=bindparam("id"),
        name=bindparam("name"),
        host=bindparam("host"),
        created_at=bindparam("now"),
        key=bindparam("key"),
        mail_secret=bindparam("mail_secret"),
    ),
    across_accounts=True,
)

_LOCK = Statement(
    select(accounts.c.id).where(accounts.c.id == bindparam("account_id")).with_for_update(key_share=True)
)

_RENAME = Statement(
    update(accounts).where(accounts.c.id == bindparam("account_id")).values(name=bindparam("new_name"))
)

_SET_BASE_URL = Statement(
    update(accounts).where(accounts.c.id == bindparam("account_id")).values(base_url=bindparam("new_url"))
)


def at_host(transaction: Transaction, host: str) -> Account | None:
    """Return the account that answers at a host name; the only account answers at every host."""
    row = transaction.one(_AT_HOST, host=host.lower())
    return Account(*row) if row else None


def name_of(transaction: Transaction) -> str:
    """Return the name of the transaction's account."""
    return str(transaction.value(_NAME))


def base_url_of(transaction: Transaction) -> str:
    """Return the base URL for links in the account's mail; empty if it has none of its own."""
    return str(transaction.value(_BASE_URL) or "")


def key_of(transaction: Transaction) -> bytes:
    """Return the secret key of the transaction's account; raises Unavailable if it has none yet."""
    key = transaction.value(_KEY)
    if key is None:
        raise Unavailable
    return bytes.fromhex(key)


def complete(database: Database) -> None:
    """Set the key and secret of accounts created by a server of an older version."""
    with database.read() as transaction:
        found = [account_id for (account_id,) in transaction.all(_INCOMPLETE)]
    for account_id in found:
        with database.write(account_id) as transaction:
            new = {name: secrets.token_hex(_KEY_BYTES) for name in ("new_key", "new_secret")}
            transaction.run(_COMPLETE, **new)


def mail_secrets(transaction: Transaction) -> tuple[str | None, str | None]:
    """Return the secret that signs the account's mail addresses, and the previous secret."""
    row = transaction.one(_MAIL_SECRETS)
    return (row[0], row[1]) if row else (None, None)


def renew_mail_secret(transaction: Transaction) -> None:
    """Replace the secret that signs reply addresses; addresses signed with the current one stay valid."""
    transaction.run(_RENEW_MAIL_SECRET, new_secret=secrets.token_hex(_KEY_BYTES))


def list_all(transaction: Transaction) -> list[Account]:
    """Return every account, oldest first."""
    return [Account(*row) for row in transaction.all(_ALL)]


def oldest(transaction: Transaction) -> int | None:
    """Return the id of the first account, or None if there is none yet."""
    found: int | None = transaction.value(_OLDEST)
    return found


def add(transaction: Transaction, name: str, host: str | None) -> Account:
    """Create an account; the transaction must be the service's own.

    Raises Conflict if another account has the host.
    """
    is_first = transaction.value(_ANY) is None
    return add_first(transaction, name, host) if is_first else _added(transaction, name, host)


def add_first(transaction: Transaction, name: str, host: str | None = None) -> Account:
    """Create the first account; conflicts if another process creates it."""
    counters.start(transaction, "accounts", "users")
    return _added(transaction, name, host)


def _added(transaction: Transaction, name: str, host: str | None) -> Account:
    account = Account(counters.next_id(transaction, "accounts"), name, host.lower() if host else None)
    transaction.run(
        _INSERT,
        id=account.id,
        name=name,
        host=account.host,
        now=transaction.now,
        key=secrets.token_hex(_KEY_BYTES),
        mail_secret=secrets.token_hex(_KEY_BYTES),
    )
    transaction.run_many(
        counters.START, [{"account_id": account.id, "kind": kind} for kind in counters.KINDS]
    )
    return account


def lock(transaction: Transaction) -> None:
    """Lock the transaction's account, and the roles in it, until the end."""
    transaction.run(_LOCK)


def rename(transaction: Transaction, name: str) -> None:
    """Rename the transaction's account."""
    transaction.run(_RENAME, new_name=name)


def set_base_url(transaction: Transaction, base_url: str) -> None:
    """Set the base URL for links in the account's mail."""
    transaction.run(_SET_BASE_URL, new_url=base_url or None)
