"""The log of security events as rows, and the chain that binds each entry to the one before."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Text, bindparam, delete, func, or_, select, text, update

from skerry.database.statements import Statement, in_account, inline_literal, insert_into
from skerry.database.transactions import Transaction
from skerry.store.tables import audit_chains, audit_entries


class NewEntry(NamedTuple):
    """A security event that is about to be committed; ``details`` and ``personal`` are JSON."""

    entry: int
    happened_at: int
    kind: str
    subject_id: str | None
    project_id: int | None
    user_id: int | None
    credential: str
    details: str
    personal: str | None
    personal_hash: str


class StoredEntry(NamedTuple):
    """An entry of the log; without a number and a hash until it is sealed."""

    entry: int
    number: int | None
    hash: str | None
    happened_at: int
    kind: str
    subject_id: str | None
    project_id: int | None
    user_id: int | None
    credential: str
    details: str
    personal: str | None
    personal_hash: str


class Chain(NamedTuple):
    """The last sealed entry of an account, and the last one that was removed because of its age.

    ``removed_entry`` is the text whose hash ``removed_hash`` is.
    """

    number: int = 0
    hash: str = ""
    removed_number: int = 0
    removed_hash: str = ""
    removed_entry: str = ""


class Wanted(NamedTuple):
    """Which sealed entries are meant: after a number, of a kind, and by a person; empty means all."""

    after: int | None
    kind: str
    user_id: int


class Seal(NamedTuple):
    """The number and the hash that an entry gets."""

    entry: int
    number: int
    hash: str


_IN_ACCOUNT = in_account(audit_entries)
_CHAIN = in_account(audit_chains)
_COLUMNS = [audit_entries.c[name] for name in StoredEntry._fields]
_NUMBER = audit_entries.c.number

_INSERT = Statement(insert_into(audit_entries, without=("number", "hash")))

_WAITING_ACCOUNTS = Statement(
    select(audit_entries.c.account_id).where(_NUMBER.is_(None)).distinct(), across_accounts=True
)
_WAITING = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, _NUMBER.is_(None))
    .order_by(audit_entries.c.happened_at, audit_entries.c.entry)
    .limit(inline_literal("some"))
)
_COUNT_WAITING = Statement(select(func.count()).where(_IN_ACCOUNT, _NUMBER.is_(None)))
_SEAL = Statement(
    update(audit_entries)
    .where(_IN_ACCOUNT, audit_entries.c.entry == bindparam("sealed_entry"))
    .values(number=bindparam("new_number"), hash=bindparam("new_hash"))
)

_BEGIN = Statement(
    text(
        "INSERT INTO audit_chains (account_id, number, hash, removed_number, removed_hash, removed_entry) "
        "VALUES (:account_id, 0, '', 0, '', '') ON CONFLICT DO NOTHING"
    )
)
_READ_CHAIN = Statement(select(*(audit_chains.c[name] for name in Chain._fields)).where(_CHAIN))
_LOCK_CHAIN = Statement(
    select(*(audit_chains.c[name] for name in Chain._fields)).where(_CHAIN).with_for_update()
)
_NOTE_SEALED = Statement(
    update(audit_chains).where(_CHAIN).values(number=bindparam("last"), hash=bindparam("last_hash"))
)
_NOTE_REMOVED = Statement(
    update(audit_chains)
    .where(_CHAIN)
    .values(
        removed_number=bindparam("last"),
        removed_hash=bindparam("last_hash"),
        removed_entry=bindparam("last_entry"),
    )
)

_AFTER = Statement(
    select(*_COLUMNS)
    .where(_IN_ACCOUNT, bindparam("after") < _NUMBER)
    .order_by(_NUMBER)
    .limit(inline_literal("some"))
)
_KIND, _USER = bindparam("of_kind", type_=Text), bindparam("of_user", type_=BigInteger)
_WANTED = (
    _IN_ACCOUNT,
    bindparam("after") < _NUMBER,
    or_(_KIND == "", audit_entries.c.kind == _KIND),
    or_(_USER == 0, audit_entries.c.user_id == _USER),
)
_NEWEST, _FIRST = (
    Statement(
        select(*_COLUMNS)
        .where(*_WANTED)
        .order_by(order)
        .limit(inline_literal("some"))
        .offset(bindparam("beyond", type_=BigInteger))
    )
    for order in (_NUMBER.desc(), _NUMBER)
)
_COUNT = Statement(select(func.count()).select_from(audit_entries).where(*_WANTED))
_ONE = Statement(select(*_COLUMNS).where(_IN_ACCOUNT, bindparam("entry_number") == _NUMBER))
_FIRST_KEPT = Statement(
    select(_NUMBER)
    .where(_IN_ACCOUNT, _NUMBER > 0, audit_entries.c.happened_at >= bindparam("before"))
    .order_by(_NUMBER)
    .limit(1)
)
_OLDEST = Statement(
    select(audit_entries.c.happened_at).where(_IN_ACCOUNT, _NUMBER > 0).order_by(_NUMBER).limit(1)
)
_REMOVE = Statement(delete(audit_entries).where(_IN_ACCOUNT, bindparam("last") >= _NUMBER))
_ERASE = Statement(
    update(audit_entries)
    .where(
        _IN_ACCOUNT,
        _NUMBER > 0,
        audit_entries.c.user_id == bindparam("of_user"),
        audit_entries.c.personal.is_not(None),
    )
    .values(personal=None)
)

_SOME = 500
"""How many entries are read at a time."""


def add(transaction: Transaction, entry: NewEntry) -> None:
    """Add an entry, which is sealed later; it locks nothing, so that no other change waits for it."""
    transaction.run(_INSERT, **entry._asdict())


def waiting_accounts(transaction: Transaction) -> list[int]:
    """Return the accounts with entries that are not sealed yet."""
    return [account_id for (account_id,) in transaction.all(_WAITING_ACCOUNTS)]


def waiting(transaction: Transaction, some: int) -> list[StoredEntry]:
    """Return the oldest entries that are not sealed yet."""
    return _entries(transaction.all(_WAITING, some=some))


def count_waiting(transaction: Transaction) -> int:
    """Return how many entries are not sealed yet."""
    return int(transaction.value(_COUNT_WAITING))


def chain(transaction: Transaction) -> Chain:
    """Return the state of the account's chain."""
    row = transaction.one(_READ_CHAIN)
    return Chain(*map(_shown, row)) if row else Chain()


def lock_chain(transaction: Transaction) -> Chain:
    """Lock the account's chain until the end of the transaction, and return its state."""
    transaction.run(_BEGIN)
    row = transaction.one(_LOCK_CHAIN)
    return Chain(*row) if row else Chain()


def seal(transaction: Transaction, seals: Iterable[Seal]) -> None:
    """Set the numbers and hashes of entries, and note the last one; the chain must be locked."""
    rows = [{"sealed_entry": each.entry, "new_number": each.number, "new_hash": each.hash} for each in seals]
    if rows:
        transaction.run_many(_SEAL, rows)
        transaction.run(_NOTE_SEALED, last=rows[-1]["new_number"], last_hash=rows[-1]["new_hash"])


def after(transaction: Transaction, number: int) -> list[StoredEntry]:
    """Return the first sealed entries after a number, in order."""
    return _entries(transaction.all(_AFTER, after=number, some=_SOME))


def page(transaction: Transaction, wanted: Wanted, *, limit: int, offset: int) -> list[StoredEntry]:
    """Return a page of the wanted entries: the newest first, or after a number the oldest first."""
    statement = _NEWEST if wanted.after is None else _FIRST
    return _entries(transaction.all(statement, some=limit, beyond=offset, **_bound(wanted)))


def count(transaction: Transaction, wanted: Wanted) -> int:
    """Return how many entries are wanted."""
    return int(transaction.value(_COUNT, **_bound(wanted)))


def _bound(wanted: Wanted) -> dict[str, object]:
    return {"after": wanted.after or 0, "of_kind": wanted.kind, "of_user": wanted.user_id}


def all_after(transaction: Transaction, number: int) -> Iterator[StoredEntry]:
    """Yield all sealed entries after a number, in order."""
    while found := after(transaction, number):
        yield from found
        number = found[-1].number or 0


def one(transaction: Transaction, number: int) -> StoredEntry | None:
    """Return a sealed entry by its number."""
    entries = _entries(transaction.all(_ONE, entry_number=number))
    return entries[0] if entries else None


def oldest(transaction: Transaction) -> int | None:
    """Return when the oldest sealed entry happened."""
    timestamp: int | None = transaction.value(_OLDEST)
    return timestamp


def last_before(transaction: Transaction, before: int) -> StoredEntry | None:
    """Return the last entry before the first one that is not older than a time."""
    first_kept = transaction.value(_FIRST_KEPT, before=before)
    return one(transaction, (chain(transaction).number + 1 if first_kept is None else first_kept) - 1)


def remove(transaction: Transaction, last: StoredEntry, bound: str) -> None:
    """Remove the entries up to one, of which the chain, which must be locked, keeps what was hashed."""
    transaction.run(_REMOVE, last=last.number)
    transaction.run(_NOTE_REMOVED, last=last.number, last_hash=last.hash, last_entry=bound)


def erase(transaction: Transaction, user_id: int) -> int:
    """Erase what is personal in the sealed entries of somebody; return their number."""
    return transaction.changed(_ERASE, of_user=user_id)


def _entries(rows: Iterable[tuple[Any, ...]]) -> list[StoredEntry]:
    return [StoredEntry(*map(_shown, row)) for row in rows]


def _shown(value: Any) -> Any:
    """Return a value, or a text for bytes: SQLite lets people store them in any column."""
    return repr(value) if isinstance(value, bytes) else value
