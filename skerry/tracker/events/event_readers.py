"""Readers of events: functions that receive each event once, in order, after its change was committed."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from time import monotonic

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import SerializationFailure, Unavailable
from skerry.failures import Report
from skerry.store.events import events as store
from skerry.store.events.decoding import UNREADABLE, StoredEvent

Read = Callable[[Transaction, Sequence[StoredEvent]], None]

SOME = 10
"""How many events are passed on per transaction: more would hold the write lock for longer."""

REST = 15
"""A reader pauses for this many times the duration of its transaction, so that others can write."""

TRIES = 10
"""An event is set aside after this many failures."""

Rest = Callable[[float], object]


class PatientReader:
    """Passes events to a function in batches, and sets an event aside after the function failed ten times.

    The function runs in the transaction that stores the reader's position, so its own writes take effect
    exactly once for each event. A failure in one account does not hold up the others. ``report`` is called
    with a message and the exception at the first failure, and when the event is set aside.
    """

    def __init__(self, database: Database, name: str, read: Read, report: Report) -> None:
        """Create a reader with a name, under which its position is stored."""
        self._database, self._name, self._read, self._report = database, name, read, report
        self._tries: Counter[tuple[int, int]] = Counter()

    def read_new(self, only: Collection[int], rest: Rest) -> None:
        """Read new events of the given accounts; raises SerializationFailure and Unavailable.

        ``rest`` is called with the seconds to pause between batches.
        """
        for account_id in _behind(self._database, self._name, only):
            try:
                _read_account(self._database, account_id, self._name, self._read, rest)
            except (SerializationFailure, Unavailable):
                raise
            except Exception:  # noqa: BLE001 - reading single events below finds and reports it
                self._read_one_by_one(account_id)

    def _read_one_by_one(self, account_id: int) -> None:
        """Read single events up to the one that fails, and skip it if it has failed often enough."""
        for _ in range(SOME):
            unread: Sequence[StoredEvent] = ()
            try:
                with self._database.write(account_id) as transaction:
                    unread = store.unread(transaction, self._name, 1)
                    if not unread:
                        return
                    self._read(transaction, _readable(unread))
            except (SerializationFailure, Unavailable):
                raise
            except Exception as error:  # noqa: BLE001 - one event must not stop those after it
                if not unread or not self._is_over(account_id, unread[0].number, error):
                    return

    def _is_over(self, account_id: int, number: int, error: Exception) -> bool:
        """Count a failure; return whether the event was set aside."""
        key = account_id, number
        self._tries[key] += 1
        if self._tries[key] == 1:
            self._report(f"event {number} at {self._name}", error)
        if self._tries[key] < TRIES:
            return False
        with self._database.write(account_id) as transaction:
            store.set_aside(transaction, self._name)
        del self._tries[key]
        self._report(f"event {number} set aside at {self._name}", error)
        return True


def _readable(events: Sequence[StoredEvent]) -> list[StoredEvent]:
    return [event for event in events if event.type != UNREADABLE]


def _behind(database: Database, name: str, only: Collection[int]) -> list[int]:
    with database.read() as transaction:
        behind = store.behind(transaction, name)
    return [account_id for account_id in behind if account_id in only]


def _read_account(database: Database, account_id: int, name: str, read: Read, rest: Rest) -> None:
    some = SOME
    while some == SOME:
        with database.write(account_id) as transaction:
            began = monotonic()
            unread = store.unread(transaction, name, SOME)
            if unread:
                read(transaction, _readable(unread))
        some = len(unread)
        rest(REST * (monotonic() - began))
