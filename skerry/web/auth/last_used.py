"""The last use of tokens and sessions, the networks of sign-ins, and which of these used a password alone."""

import time
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from threading import Lock

from skerry.database.cache import BoundedCache
from skerry.database.database import Database
from skerry.database.transactions import DAY, Transaction
from skerry.errors import SerializationFailure, Unavailable
from skerry.store.auth import recent_sign_ins, sessions, tokens
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context, Principal

SECONDS = 60.0
"""How long a use may stay in the memory of one process."""

Write = Callable[[Transaction, int, int, str], None]
Used = tuple[int, Write, int]
"""A key within an account, with the function that writes its last use."""

Network = tuple[int, int, str]
"""The account, the user and the network of the client."""


class LastUsed:
    """Collects the last use of each key in one process until it is stored."""

    def __init__(self) -> None:
        self._moments: dict[Used, tuple[int, str]] = {}
        self._networks: dict[Network, int] = {}
        # The time of the last write of each network: once a day is enough.
        self._written: BoundedCache[Network, int] = BoundedCache()
        # Uses of a password without a session, with its owner's name; one of a network and day is logged.
        self._passwords: dict[Network, str] = {}
        self._logged: BoundedCache[Network, int] = BoundedCache()
        self._lock = Lock()

    def note(self, account_id: int, principal: Principal | None, timestamp: int, network: str = "") -> None:
        """Record the use by a principal from a network, at a time in microseconds since 1970."""
        if principal is None:
            return
        with self._lock:
            if principal.token_id:
                self._moments[account_id, tokens.used, principal.token_id] = timestamp, network
                return
            came = account_id, principal.user_id, network
            if principal.session_id:
                self._moments[account_id, sessions.used, principal.session_id] = timestamp, network
            elif network and timestamp - self._logged.get(came, 0) >= DAY:
                self._passwords[came] = principal.name
            if network and timestamp - self._written.get(came, 0) >= DAY:
                self._networks[came] = timestamp

    def write(self, database: Database) -> int:
        """Store the uses recorded since the last call, and return the number of rows.

        All processes write in the same order, so that they cannot deadlock.
        """
        with self._lock:
            noted, self._moments = self._moments, {}
            networks, self._networks = self._networks, {}
            passwords, self._passwords = self._passwords, {}
        for account_id, of_account in groupby(sorted(noted, key=_place), itemgetter(0)):
            with database.write(account_id) as transaction:
                for used in of_account:
                    _, write, key = used
                    write(transaction, key, *noted[used])
        for account_id, came in groupby(sorted(networks), itemgetter(0)):
            with database.write(account_id) as transaction:
                for network in came:
                    recent_sign_ins.NETWORKS.use(transaction, *network[1:], networks[network])
        for network, timestamp in networks.items():
            self._written[network] = timestamp
        for place, name in sorted(passwords.items()):
            with database.write(place[0]) as transaction:
                _log(transaction, place, name)
                self._logged[place] = transaction.now
        return len(noted) + len(networks) + len(passwords)

    def write_regularly(self, database: Database) -> None:
        """Store recorded uses every minute, until the process ends."""
        while True:
            time.sleep(SECONDS)
            try:
                self.write(database)
            except (SerializationFailure, Unavailable):
                # What was not stored is recorded again with the next use.
                continue


def _log(transaction: Transaction, came: Network, name: str) -> None:
    _, user_id, transaction.address = came
    context = Context(transaction, Principal(user_id, name, None))
    audit.record(context, Kind.SIGN_IN_ACCEPTED, credential=audit.PASSWORD)


def _place(used: Used) -> tuple[int, bool, int]:
    account_id, write, key = used
    return account_id, write is sessions.used, key
