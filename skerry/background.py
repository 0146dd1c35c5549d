"""Background work: senders run beside the requests, for each account in one process at a time.

A sender is a function that does one round of work. Every worker has a thread for each sender, which calls it
every second with the accounts whose lease this process holds. The holder renews its leases; if it dies,
another worker, or another server on the same database, takes them over within ``TAKEN_OVER_SECONDS``. A
sender stores its progress in the database, so that its successor can continue from there.
"""

import os
import socket
from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Thread
from time import monotonic
from uuid import uuid4

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import SerializationFailure
from skerry.failures import Report
from skerry.store.sending import leases

LEASE_SECONDS = 20
RENEW_SECONDS = 5
TAKEN_OVER_SECONDS = LEASE_SECONDS + 2 * RENEW_SECONDS

SECONDS = 1
"""How long a sender pauses after a round."""

STOP_SECONDS = 10
"""How long senders may take to finish when the process is stopping."""

# A holder stops this long before others may take over.
_MARGIN_SECONDS = 2


class Held:
    """The accounts whose leases this process holds, as senders see them."""

    def __init__(self, owner: str) -> None:
        """Create an empty set of leases; ``owner`` identifies this process."""
        self.owner = owner
        self.stopping = Event()
        self._active: tuple[frozenset[int], float] = (frozenset(), 0)
        self._paused: frozenset[int] = frozenset()

    def note(self, active: frozenset[int], until: float, *, paused: frozenset[int] = frozenset()) -> None:
        """Set the active and the paused accounts, and the monotonic time until which they are held."""
        self._active, self._paused = (active, until), paused

    @property
    def accounts(self) -> frozenset[int]:
        """Return the accounts to send for: none that are paused, and none when the process is stopping."""
        active, until = self._active
        return frozenset() if self.stopping.is_set() or monotonic() >= until else active

    @property
    def leased(self) -> frozenset[int]:
        """Return all accounts that this process holds, including those where sending is paused."""
        active, until = self._active
        is_over = self.stopping.is_set() or monotonic() >= until
        return frozenset() if is_over else active | self._paused

    def confirm(self, transaction: Transaction) -> None:
        """Check that this process still holds the account, until the end of the transaction.

        Raises SerializationFailure if another one has taken over.
        """
        if not leases.is_held(transaction, self.owner):
            raise SerializationFailure


Send = Callable[[Held], object]
"""One round of a sender."""


class Background:
    """Runs senders in their own threads, from the start of a process to its end."""

    def __init__(self, database: Database, senders: Mapping[str, Send], report: Report) -> None:
        """Create the background work; ``report`` is called with the name of what failed and the exception."""
        self.held = Held(f"{socket.gethostname()}/{os.getpid()}/{uuid4().hex[:8]}")
        self._database, self._senders, self._report = database, senders, report
        self._threads: list[Thread] = []

    def start(self) -> None:
        """Start the threads that hold the leases and send."""
        self._keep("leases", self.renew, RENEW_SECONDS)
        for name, send in self._senders.items():
            self._keep(name, partial(send, self.held), SECONDS)

    def _keep(self, name: str, work: Callable[[], object], pause: float) -> None:
        thread = Thread(target=self._repeat, args=(name, work, pause), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _repeat(self, name: str, work: Callable[[], object], pause: float) -> None:
        while not self.held.stopping.is_set():
            try:
                work()
            except Exception as error:  # noqa: BLE001 - an error must not stop later rounds
                self._report(name, error)
            self.held.stopping.wait(pause)

    def renew(self) -> None:
        """Renew the leases of this process, and take over those that have expired."""
        with self._database.read() as transaction:
            missing = leases.missing(transaction)
            wanted = missing or leases.any_to_hold(transaction, self.held.owner)
        for account_id in missing:
            with self._database.write(account_id) as transaction:
                leases.begin(transaction)
        began, leased = monotonic(), []
        if wanted:
            with self._database.write() as transaction:
                leased = leases.hold(transaction, self.held.owner, LEASE_SECONDS)
        active = frozenset(lease.account_id for lease in leased if lease.paused_at is None)
        paused = frozenset(lease.account_id for lease in leased) - active
        self.held.note(active, began + LEASE_SECONDS - _MARGIN_SECONDS, paused=paused)

    def stop(self) -> None:
        """Wait until senders have finished their round, and release the leases.

        If a sender does not finish in time, the leases are kept until they expire, so that no other process
        repeats its work.
        """
        self.held.stopping.set()
        until = monotonic() + STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0, until - monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            return
        try:
            with self._database.write() as transaction:
                leases.release(transaction, self.held.owner)
        except Exception as error:  # noqa: BLE001 - the leases expire anyway
            self._report("leases", error)
