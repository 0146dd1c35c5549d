"""Accounts: the tenants of one server."""

import secrets
from contextlib import suppress
from dataclasses import dataclass, fields

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, case, func, select, update

from skerry.database.statements import Statement, insert_into
from skerry.database.transactions import Transaction
from skerry.errors import SecretUnreadable
from skerry.resources.auth import OFF
from skerry.resources.held_texts import MARK, SHOW
from skerry.store import sealed_columns
from skerry.store.counts import counters
from skerry.store.sealed_columns import ACCOUNTS
from skerry.store.tables import accounts

_KEY_BYTES = 32


@dataclass(frozen=True)
class StoredAccount:
    """A tenant; an account without a ``host`` answers to all hosts that no other account has.

    With ``single_sign_on``, its members sign in with a provider only.
    ``sign_up`` says who may sign up, ``newcomers`` what happens to their texts.
    """

    id: int
    name: str
    host: str | None
    single_sign_on: int = 0
    sign_up: str = OFF
    newcomers: str = SHOW

    @property
    def marks_newcomers(self) -> bool:
        """Return whether texts of newcomers are shown with a mark."""
        return self.newcomers == MARK


_COLUMNS = tuple(accounts.c[field.name] for field in fields(StoredAccount))

_BY_KEY = accounts.c.id == bindparam("account_id")


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

_ADDRESSES = Statement(select(accounts.c.base_url, accounts.c.host).where(_BY_KEY))

_VALUE = {
    name: Statement(select(accounts.c[name]).where(_BY_KEY))
    for name in ("name", "key", "base_url", "time_zone", "factors_from", "sign_up", "newcomers")
}

_SET = {
    name: Statement(update(accounts).where(_BY_KEY).values({name: bindparam("value")}))
    for name in ("name", "base_url", "time_zone", "factors_from")
}

_MAIL_SECRETS = Statement(select(accounts.c.mail_secret, accounts.c.mail_secret_before).where(_BY_KEY))

_RENEW_MAIL_SECRET = Statement(
    update(accounts)
    .where(_BY_KEY)
    .values(mail_secret=bindparam("new_secret"), mail_secret_before=bindparam("old_secret"))
)

_ALL = Statement(select(*_COLUMNS).order_by(accounts.c.id), across_accounts=True)

_ANY = Statement(select(accounts.c.id).limit(1), across_accounts=True)

_OLDEST = Statement(select(func.min(accounts.c.id)), across_accounts=True)

_INSERT = Statement(
    insert_into(
        accounts,
        without=(
            *("base_url", "time_zone", "mail_secret_before", "single_sign_on", "factors_from"),
            *("sign_up", "newcomers"),
        ),
    ),
    across_accounts=True,
)

_LOCK = Statement(select(accounts.c.id).where(_BY_KEY).with_for_update(key_share=True))

_SET_SIGN_UP = Statement(
    update(accounts)
    .where(_BY_KEY)
    .values(sign_up=bindparam("new_sign_up"), newcomers=bindparam("new_newcomers"))
)


def at_host(transaction: Transaction, host: str) -> StoredAccount | None:
    """Return the account that answers at a host name; the only account answers at every host."""
    row = transaction.one(_AT_HOST, host=host.lower())
    return StoredAccount(*row) if row else None


def name_of(transaction: Transaction) -> str:
    """Return the name of the transaction's account."""
    return str(transaction.value(_VALUE["name"]))


def base_url_of(transaction: Transaction) -> str:
    """Return the base URL for links in the account's mail; empty if it has none of its own."""
    return str(transaction.value(_VALUE["base_url"]) or "")


def addresses_of(transaction: Transaction) -> tuple[str, str]:
    """Return the base URL that administrators chose, and the host that the operator chose; empty for none."""
    base_url, host = transaction.all(_ADDRESSES)[0]
    return base_url or "", host or ""


def time_zone_of(transaction: Transaction) -> str:
    """Return the name of the account's time zone; empty if it has none of its own."""
    return str(transaction.value(_VALUE["time_zone"]) or "")


def factors_from(transaction: Transaction) -> str | None:
    """Return the day from which the account demands second factors, None if it does not."""
    day: str | None = transaction.value(_VALUE["factors_from"])
    return day


def sign_up_of(transaction: Transaction) -> str:
    """Return who may sign up in the account."""
    return str(transaction.value(_VALUE["sign_up"]))


def newcomers_of(transaction: Transaction) -> str:
    """Return what the account does with the texts of newcomers."""
    return str(transaction.value(_VALUE["newcomers"]))


def key_of(transaction: Transaction) -> bytes:
    """Return the secret key of the transaction's account."""
    return bytes.fromhex(transaction.value(_VALUE["key"]))


def mail_secrets(transaction: Transaction) -> list[str]:
    """Return the secret that signs the account's mail addresses, and the previous secret, if any.

    Raises SecretUnreadable if their key is missing.
    """
    stored = zip(ACCOUNTS.columns, transaction.one(_MAIL_SECRETS) or (), strict=False)
    return [
        sealed_columns.unseal(transaction, secret, ACCOUNTS.place(column, transaction.account_id))
        for column, secret in stored
        if secret
    ]


def renew_mail_secret(transaction: Transaction) -> None:
    """Replace the secret that signs reply addresses; addresses signed with the current one stay valid."""
    old = None
    with suppress(SecretUnreadable):
        old = mail_secrets(transaction)[0]
    transaction.run(
        _RENEW_MAIL_SECRET,
        new_secret=_sealed(transaction, "mail_secret", secrets.token_hex(_KEY_BYTES)),
        old_secret=old and _sealed(transaction, "mail_secret_before", old),
    )


def _sealed(transaction: Transaction, column: str, secret: str) -> str:
    return sealed_columns.seal(transaction, secret, ACCOUNTS.place(column, transaction.account_id))


def list_all(transaction: Transaction) -> list[StoredAccount]:
    """Return every account, oldest first."""
    return [StoredAccount(*row) for row in transaction.all(_ALL)]


def oldest(transaction: Transaction) -> int | None:
    """Return the id of the first account, or None if there is none yet."""
    account_id: int | None = transaction.value(_OLDEST)
    return account_id


def add(transaction: Transaction, name: str, host: str | None) -> StoredAccount:
    """Create an account; the transaction must be the service's own.

    Raises Conflict if another account has the host.
    """
    is_first = transaction.value(_ANY) is None
    return add_first(transaction, name, host) if is_first else _added(transaction, name, host)


def add_first(transaction: Transaction, name: str, host: str | None = None) -> StoredAccount:
    """Create the first account; raises SerializationFailure if another process does so at the same time."""
    counters.start(transaction, "accounts", "users")
    return _added(transaction, name, host)


def _added(transaction: Transaction, name: str, host: str | None) -> StoredAccount:
    account = StoredAccount(counters.next_id(transaction, "accounts"), name, host.lower() if host else None)
    key_id, mail_secret = sealed_columns.seal_new(
        transaction, secrets.token_hex(_KEY_BYTES), ACCOUNTS.place("mail_secret", account.id)
    )
    transaction.run(
        _INSERT,
        id=account.id,
        name=name,
        host=account.host,
        created_at=transaction.now,
        key=secrets.token_hex(_KEY_BYTES),
        mail_secret=mail_secret,
        secrets_key=key_id,
    )
    transaction.run_many(
        counters.START, [{"account_id": account.id, "kind": kind} for kind in counters.KINDS]
    )
    return account


def lock(transaction: Transaction) -> None:
    """Lock the account, and the roles in it, until the transaction ends."""
    transaction.run(_LOCK)


def rename(transaction: Transaction, name: str) -> None:
    """Rename the transaction's account."""
    transaction.run(_SET["name"], value=name)


def set_base_url(transaction: Transaction, base_url: str) -> None:
    """Set the base URL for links in the account's mail."""
    transaction.run(_SET["base_url"], value=base_url or None)


def demand_factors(transaction: Transaction, day: str | None) -> None:
    """Set the day from which the account demands second factors."""
    transaction.run(_SET["factors_from"], value=day)


def set_time_zone(transaction: Transaction, name: str) -> None:
    """Set the account's time zone."""
    transaction.run(_SET["time_zone"], value=name or None)


def set_sign_up(transaction: Transaction, choice: str, newcomers: str) -> None:
    """Set who may sign up in the account, and what happens to the texts of newcomers."""
    transaction.run(_SET_SIGN_UP, new_sign_up=choice, new_newcomers=newcomers)
