"""Readers of events: functions that get each event once, in order, after its change was committed."""

from collections.abc import Callable
from time import sleep

from skerry.store import events as store
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.store.events import Happened

Read = Callable[[Transaction, Happened], None]

SECONDS = 1
"""How often a reader looks for new events."""

_SOME = 100
"""How many events one transaction hands over."""


def read_new(database: Database, name: str, read: Read) -> int:
    """Pass the events that a reader has not read to its function; return how many.

    The function runs in the transaction that stores the reader's position, so its writes there happen once
    for each event. If it raises an exception, the events of that transaction come again.
    """
    with database.read() as transaction:
        behind = store.behind(transaction, name)
    return sum(_read_account(database, account_id, name, read) for account_id in behind)


def _read_account(database: Database, account_id: int, name: str, read: Read) -> int:
    count, some = 0, _SOME
    while some == _SOME:
        with database.write(account_id) as transaction:
            found = store.unread(transaction, name, _SOME)
            for event in found:
                read(transaction, event)
        some = len(found)
        count += some
    return count


def keep_reading(database: Database, name: str, read: Read, report: Callable[[Exception], object]) -> None:
    """Read new events every second until the process ends, and report errors."""
    while True:
        try:
            read_new(database, name, read)
        except Exception as error:  # noqa: BLE001 - whatever a reader does wrong, others and later events go on
            report(error)
        sleep(SECONDS)
