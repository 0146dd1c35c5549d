"""Columns with secrets, encrypted so that a copy of the database does not give them away.

Each account names the key that encrypts what is new there. While the key is replaced, the rows of an account
may have different ones; each text names its own.
"""

from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Table, and_, bindparam, or_, select, update

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.errors import SecretUnreadable
from skerry.sealing import sealed_texts
from skerry.sealing.sealed_texts import Place
from skerry.store.tables import accounts, forges, hooks, sessions, time_codes


class SealedColumns(NamedTuple):
    """The sealed columns of a table, and the columns that name a row of it, the account first."""

    table: Table
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("account_id", "id")

    def place(self, column: str, *row: int) -> Place:
        """Return the place of a column in a row."""
        return Place(self.table.name, column, row)


ACCOUNTS = SealedColumns(accounts, ("mail_secret", "mail_secret_before"), ("id",))
FORGES = SealedColumns(forges, ("secret",))
HOOKS = SealedColumns(hooks, ("url", "secret", "old_secret"))
SESSIONS = SealedColumns(sessions, ("id_token",))
TIME_CODES = SealedColumns(time_codes, ("secret",), ("account_id", "user_id"))

SEALED = (ACCOUNTS, FORGES, HOOKS, SESSIONS, TIME_CODES)
"""All sealed columns, which a new key reads and writes."""

_BY_KEY = accounts.c.id == bindparam("account_id")
# Waits for a replacement of the key, which locks the row for it, but not for other changes of an account.
_KEY_ID = Statement(select(accounts.c.secrets_key).where(_BY_KEY).with_for_update(read=True, key_share=True))
_KEY_IDS = Statement(
    select(accounts.c.secrets_key).where(accounts.c.secrets_key.isnot(None)).distinct(), across_accounts=True
)
_LOCK = Statement(select(accounts.c.id).where(_BY_KEY).with_for_update())
_SET_KEY = Statement(update(accounts).where(_BY_KEY).values(secrets_key=bindparam("new_key")))


def key_ids(transaction: Transaction) -> set[str]:
    """Return the ids of the keys with which new secrets of all accounts are encrypted, usually one."""
    return {key_id for (key_id,) in transaction.all(_KEY_IDS)}


def seal(transaction: Transaction, text: str, place: Place) -> str:
    """Return a text of the transaction's account, encrypted for a place; raises SecretUnreadable."""
    if not transaction.keys.can_seal:
        return text
    key_id = transaction.value(_KEY_ID)
    if key_id is None:
        key_id = key_for_new(transaction)
        transaction.run(_SET_KEY, new_key=key_id)
    return transaction.keys.seal(key_id, text, place)


def seal_new(transaction: Transaction, text: str, place: Place) -> tuple[str | None, str]:
    """Return the id of the key of a new account, and a text encrypted with it.

    If the key is missing, the text stays as it is, and there is no id.
    """
    try:
        key_id = key_for_new(transaction) if transaction.keys.can_seal else None
    except SecretUnreadable:
        key_id = None
    return key_id, transaction.keys.seal(key_id, text, place) if key_id else text


def unseal(transaction: Transaction, stored: str, place: Place) -> str:
    """Return a stored text, decrypted if it is sealed; raises SecretUnreadable."""
    return transaction.keys.unseal(stored, place)


def readable(transaction: Transaction, stored: str, place: Place) -> str:
    """Return a stored text as ``unseal`` does, or an empty text if it cannot be read."""
    with suppress(SecretUnreadable):
        return unseal(transaction, stored, place)
    return ""


def key_for_new(transaction: Transaction) -> str:
    """Return the id of the key for an account that has none: that of the other accounts, or the first one.

    Raises SecretUnreadable if there is no key.
    """
    known = key_ids(transaction)
    return transaction.keys.key(min(known)).id if known else transaction.keys.first().id


def seal_plain(transaction: Transaction) -> None:
    """Encrypt the secrets of the transaction's account that are not encrypted; raises SecretUnreadable."""
    transaction.run(_LOCK)
    reseal(transaction, transaction.value(_KEY_ID) or key_for_new(transaction))


def reseal(transaction: Transaction, key_id: str) -> int:
    """Encrypt all secrets of the transaction's account with a key; return how many were not before.

    Raises SecretUnreadable if one cannot be decrypted.
    """
    transaction.run(_LOCK)
    transaction.run(_SET_KEY, new_key=key_id)
    return sum(_resealed(transaction, each, key_id) for each in SEALED)


def use_key(transaction: Transaction, key_id: str) -> None:
    """Encrypt what is new in the transaction's account with a key."""
    transaction.run(_LOCK)
    transaction.run(_SET_KEY, new_key=key_id)


def lost(transaction: Transaction) -> dict[SealedColumns, list[int]]:
    """Return the ids of the rows of the transaction's account with a secret that cannot be decrypted."""
    unsealed: dict[SealedColumns, list[int]] = {}
    for of in SEALED:
        for row in transaction.all(_STATEMENTS[of].others, pattern=""):
            key, texts = row[: len(of.key)], zip(of.columns, row[len(of.key) :], strict=True)
            try:
                for column, text in texts:
                    unseal(transaction, text or "", of.place(column, *key))
            except SecretUnreadable:
                unsealed.setdefault(of, []).append(key[-1])
    return unsealed


def _resealed(transaction: Transaction, of: SealedColumns, key_id: str) -> int:
    statements, begins, count = _STATEMENTS[of], sealed_texts.beginning(key_id), 0
    for row in transaction.all(statements.others, pattern=f"{begins}%"):
        key, texts = row[: len(of.key)], dict(zip(of.columns, row[len(of.key) :], strict=True))
        new = {
            f"new_{column}": text and transaction.keys.seal(key_id, unseal(transaction, text, place), place)
            for column, text in texts.items()
            for place in [of.place(column, *key)]
        }
        transaction.run(statements.replace, **dict(zip(statements.named, key, strict=True)), **new)
        count += 1
    return count


class _Statements(NamedTuple):
    """The statements of a sealed table: rows that another key or none sealed, and replacing their texts."""

    others: Statement
    replace: Statement
    named: list[str]


def _statements(of: SealedColumns) -> _Statements:
    table, columns = of.table, [of.table.c[name] for name in of.columns]
    account = table.c[of.key[0]] == bindparam("account_id")
    named = ["account_id", *(f"row_{name}" for name in of.key[1:])]
    is_other: ColumnElement[Any] = or_(*(column.notlike(bindparam("pattern")) for column in columns))
    row = [
        table.c[name] == bindparam(as_, type_=table.c[name].type)
        for name, as_ in zip(of.key, named, strict=True)
    ]
    return _Statements(
        Statement(
            select(*(table.c[name] for name in of.key), *columns).where(account, is_other),
            across_projects="upkeep",
        ),
        Statement(
            update(table)
            .where(and_(*row))
            .values({name: bindparam(f"new_{name}", type_=table.c[name].type) for name in of.columns}),
            across_projects="upkeep",
        ),
        named,
    )


_STATEMENTS = {of: _statements(of) for of in SEALED}
_PLAIN = [
    Statement(
        select(of.table.c[of.key[0]])
        .where(or_(*(of.table.c[name].notlike(bindparam("pattern")) for name in of.columns)))
        .distinct(),
        across_accounts=True,
    )
    for of in SEALED
]


def accounts_with_plain(transaction: Transaction) -> set[int]:
    """Return the ids of the accounts that have secrets which are not encrypted."""
    pattern = f"{sealed_texts.PREFIX}%"
    return {account_id for each in _PLAIN for (account_id,) in transaction.all(each, pattern=pattern)}
