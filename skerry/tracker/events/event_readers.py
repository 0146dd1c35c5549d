"""Readers of events: functions that get each event once, in order, after its change was committed."""

from collections.abc import Callable, Collection, Sequence
from time import monotonic

from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.store.events import events as store
from skerry.store.events.events import Happened

Read = Callable[[Transaction, Sequence[Happened]], None]

SOME = 50
"""How many events one transaction hands over."""

REST = 15
"""For so many times as long as a reader has written, it lets others write before it goes on."""

Rest = Callable[[float], object]


def _go_on(_seconds: float) -> None:
    """Rest not at all."""


def read_new(
    database: Database,
    name: str,
    read: Read,
    *,
    only: Collection[int] | None = None,
    rest: Rest = _go_on,
) -> int:
    """Pass the events that a reader has not read to its function, some at a time; return how many.

    The function runs in the transaction that stores the reader's position, so its writes there happen once
    for each event. If it raises an exception, the events of that transaction come again. ``only`` names the
    accounts to read in, all by default; ``rest`` is called with the seconds to rest between transactions.
    """
    with database.read() as transaction:
        behind = store.behind(transaction, name)
    chosen = [account_id for account_id in behind if only is None or account_id in only]
    return sum(_read_account(database, account_id, name, read, rest) for account_id in chosen)


def _read_account(database: Database, account_id: int, name: str, read: Read, rest: Rest) -> int:
    count, some = 0, SOME
    while some == SOME:
        with database.write(account_id) as transaction:
            began = monotonic()
            found = store.unread(transaction, name, SOME)
            if found:
                read(transaction, found)
        some = len(found)
        count += some
        rest(REST * (monotonic() - began))
    return count
