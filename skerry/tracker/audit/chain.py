"""The chain of the log: sealed in the background, verified at any time, shortened at its old end.

The hash of an entry is that of the previous hash, a line feed, and the entry as JSON, without what can be
erased, of which it has the hash. docs/audit.md describes how others compute it.
"""

import json
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from skerry.database.database import Database
from skerry.database.transactions import DAY, SECOND, Transaction
from skerry.store import accounts
from skerry.store import audit as store
from skerry.store.audit import Seal, StoredEntry
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context

AT_ONCE = 100
"""How many entries a transaction seals: more would hold the write lock for longer."""

UNKNOWN = "unknown"
"""What is kept of the last removed entry if a version removed it that kept nothing."""


class Verdict(NamedTuple):
    """What was found in the chain of an account; without problems it is unbroken.

    ``removed_until`` is when the last removed entry happened, or UNKNOWN; empty if none was removed.
    """

    first: int
    last: int
    hash: str
    waiting: int
    erased: int
    removed_until: str
    problems: list[str]


def seal_new(database: Database, only: Collection[int] | None = None) -> int:
    """Seal what was recorded in the given accounts, by default in all; return the number of entries."""
    with database.read() as transaction:
        waiting = store.waiting_accounts(transaction)
    return sum(_seal_account(database, each) for each in waiting if only is None or each in only)


def _seal_account(database: Database, account_id: int) -> int:
    count, some = 0, AT_ONCE
    while some == AT_ONCE:
        with database.write(account_id) as transaction:
            some = _seal_some(transaction)
        count += some
    return count


def _seal_some(transaction: Transaction) -> int:
    last = store.lock_chain(transaction)
    number, previous, seals = last.number, last.hash, []
    for entry in store.waiting(transaction, AT_ONCE):
        number += 1
        previous = _hash(previous, document(transaction.account_id, entry._replace(number=number)))
        seals.append(Seal(entry.entry, number, previous))
    store.seal(transaction, seals)
    return len(seals)


def _seal_all(transaction: Transaction) -> None:
    while _seal_some(transaction) == AT_ONCE:
        pass


def document(account_id: int, entry: StoredEntry) -> dict[str, Any]:
    """Return the part of an entry that its hash binds."""
    return {
        "account_id": account_id,
        "number": entry.number,
        "happened_at": _written(entry.happened_at),
        "kind": entry.kind,
        "subject_id": entry.subject_id,
        "project_id": entry.project_id,
        "user_id": entry.user_id,
        "credential": entry.credential,
        "details": _read(entry.details),
        "personal_hash": entry.personal_hash,
    }


def whole(account_id: int, entry: StoredEntry) -> dict[str, Any]:
    """Return everything about a sealed entry, as exports have it."""
    personal = None if entry.personal is None else _read(entry.personal)
    return {**document(account_id, entry), "personal": personal, "hash": entry.hash}


def _written(microseconds: int) -> str:
    seconds, rest = divmod(microseconds, SECOND)
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:06}Z"
    except (OverflowError, OSError, ValueError):
        return str(microseconds)


def _read(text: str) -> Any:
    """Return stored JSON; an edited row may hold anything, which is then bound as a text."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return text


def _hash(previous: str, bound: dict[str, Any]) -> str:
    return audit.hashed(_bound(previous, bound))


def _bound(previous: str, bound: dict[str, Any]) -> str:
    return f"{previous}\n{audit.canonical(bound)}"


def verify(transaction: Transaction, days: int, anchors: dict[int, str] | None = None) -> Verdict:
    """Compute the chain of the account again, and compare it with what is stored.

    Nothing that is younger than some days may be removed. ``anchors`` are hashes by the number of their
    entry, as they were kept somewhere else.
    """
    chain, wanted = store.chain(transaction), dict(anchors or {})
    problems: list[str] = []
    number, previous, erased = chain.removed_number, chain.removed_hash, 0
    known, removed = {number: previous}, (0, "")
    unexplained: dict[str, list[int]] = {}
    for entry in store.all_after(transaction, 0):
        at = entry.number or 0
        if at <= chain.removed_number:
            problems.append(f"entry {at} was inserted: those up to entry {chain.removed_number} were removed")
            continue
        problems += _gap(number, at)
        problems += _damage(transaction.account_id, previous, entry)
        number, previous, erased = at, entry.hash or "", erased + (entry.personal is None)
        removed = _removed_in(entry) or removed
        _note_erased(unexplained, entry)
        if at in wanted:
            known[at] = previous
    problems += _end(chain, number, previous)
    problems += _beginning(transaction, chain, removed, days)
    problems += _erased(unexplained)
    problems += _unknown(wanted, known, chain.removed_number)
    waiting = store.count_waiting(transaction)
    until = _removed_until(chain)
    return Verdict(chain.removed_number + 1, number, previous, waiting, erased, until, problems)


def _gap(last: int, found: int) -> Iterator[str]:
    if found != last + 1:
        missing = f"entry {last + 1} is" if found == last + 2 else f"entries {last + 1} to {found - 1} are"
        yield f"{missing} missing"


def _damage(account_id: int, previous: str, entry: StoredEntry) -> Iterator[str]:
    if _hash(previous, document(account_id, entry)) != entry.hash:
        yield f"entry {entry.number} was changed, or does not follow the one before it"
    if entry.personal is not None and audit.hashed(entry.personal) != entry.personal_hash:
        yield f"what is personal in entry {entry.number} was changed"


def _end(chain: store.Chain, number: int, last_hash: str) -> Iterator[str]:
    if number < chain.number:
        yield from _gap(number, chain.number + 1)
    elif (number, last_hash) != (chain.number, chain.hash):
        yield f"the log ends with entry {number}, but entry {chain.number} was sealed last"


def _beginning(
    transaction: Transaction, chain: store.Chain, removed: tuple[int, str], days: int
) -> Iterator[str]:
    """Compare where the log begins with the last entry that says what was removed, and how old that was.

    The first entry that is left binds the hash of the last one that was removed, and so its time.
    """
    last, until = chain.removed_number, _removed_until(chain)
    if (last, chain.removed_hash) != removed:
        yield f"the log begins after entry {last}, but no entry says so"
    elif until in ("", UNKNOWN):
        return
    elif audit.hashed(chain.removed_entry) != chain.removed_hash:
        yield f"what was kept of entry {last}, the last one that was removed, is not what was hashed"
    elif until > _written(transaction.now - days * DAY):
        yield f"entry {last} of {until} was removed, although the log is kept for {days} days"


def _removed_until(chain: store.Chain) -> str:
    if not chain.removed_number or chain.removed_entry == UNKNOWN:
        return UNKNOWN if chain.removed_number else ""
    bound = _read(chain.removed_entry.partition("\n")[2])
    return str(bound.get("happened_at")) if isinstance(bound, dict) else "no time"


def _note_erased(unexplained: dict[str, list[int]], entry: StoredEntry) -> None:
    """Note an entry without what was personal, until a later one says that somebody's were erased."""
    if entry.personal is None:
        unexplained.setdefault(str(entry.user_id or ""), []).append(entry.number or 0)
    if entry.kind == Kind.LOG_ERASED and entry.subject_id:
        unexplained.pop(entry.subject_id, None)


def _erased(unexplained: dict[str, list[int]]) -> Iterator[str]:
    for number in sorted(number for numbers in unexplained.values() for number in numbers):
        yield f"what is personal in entry {number} was erased, but no entry says so"


def _removed_in(entry: StoredEntry) -> tuple[int, str] | None:
    details = _read(entry.details) if entry.kind == Kind.LOG_REMOVED else None
    return (details.get("last", 0), details.get("hash", "")) if isinstance(details, dict) else None


def _unknown(wanted: dict[int, str], known: dict[int, str], removed: int) -> Iterator[str]:
    for number, kept in wanted.items():
        if number < removed:
            yield f"entry {number} was removed because of its age, so its hash cannot be compared"
        elif number not in known:
            yield f"there is no entry {number}"
        elif known[number] != kept:
            yield f"entry {number} has the hash {known[number]}, not {kept}"


def remove_old(database: Database, days: int) -> int:
    """Remove the entries of every account that are older than some days, and return their number.

    Each time is an entry itself, so this happens once a day at most. The hash of the last one that was
    removed is kept, from which the rest is verified, and what was hashed, which says when it happened.
    """
    with database.read() as transaction:
        before, all_accounts = transaction.now - days * DAY, accounts.list_all(transaction)
    removed = 0
    for account in all_accounts:
        with database.read(account.id) as transaction:
            oldest = store.oldest(transaction)
        if oldest is not None and oldest < before - DAY:
            with database.write(account.id) as transaction:
                removed += _removed(transaction, before)
    return removed


def _removed(transaction: Transaction, before: int) -> int:
    # Only a sealed entry says what was removed: anybody can add one that waits.
    _seal_all(transaction)
    chain, last = store.lock_chain(transaction), store.last_before(transaction, before)
    if last is None or last.number is None:
        return 0
    first, earlier = chain.removed_number + 1, store.one(transaction, last.number - 1)
    previous = (earlier.hash or "") if earlier else chain.removed_hash
    store.remove(transaction, last, _bound(previous, document(transaction.account_id, last)))
    details = {"first": first, "last": last.number, "hash": last.hash}
    audit.record(Context(transaction), Kind.LOG_REMOVED, details=details)
    _seal_all(transaction)
    return last.number - first + 1


def erase(transaction: Transaction, user_id: int) -> int:
    """Erase what is personal in all that somebody did, and return the number of entries.

    The entry that says so comes after them in the chain, so nothing waits to be sealed before or after.
    """
    _seal_all(transaction)
    count = store.erase(transaction, user_id)
    audit.by_command(transaction, Kind.LOG_ERASED, user_id, details={"count": count})
    _seal_all(transaction)
    return count
