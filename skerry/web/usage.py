"""When tokens and sessions were last used: noted with each request, written once in a while."""

import time
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from threading import Lock

from skerry.errors import Collision, Unavailable
from skerry.store import sessions, tokens
from skerry.store.database import Database
from skerry.store.transactions import Transaction
from skerry.tracker.visit import Caller

SECONDS = 60.0
"""How long a use may be known to its process alone."""

Write = Callable[[Transaction, int, int], None]
Used = tuple[int, Write, int]
"""A key of an account, and what writes when it was used last."""


class Usage:
    """Remembers the last use of each key in one process until it is written down."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._moments: dict[Used, int] = {}
        self._lock = Lock()

    def note(self, account_id: int, caller: Caller | None, moment: int) -> None:
        """Note that somebody came with a key of an account at a moment, in microseconds since 1970."""
        if caller is None or not (caller.token_id or caller.session_id):
            return
        write, key = (tokens.used, caller.token_id) if caller.token_id else (sessions.used, caller.session_id)
        with self._lock:
            self._moments[account_id, write, key] = moment

    def write(self, database: Database) -> int:
        """Write what was noted since the last time, and say how many keys; raises Collision and Unavailable.

        Every process does so in the same order, so that no two wait in a ring.
        """
        with self._lock:
            noted, self._moments = self._moments, {}
        for account_id, of_account in groupby(sorted(noted, key=_place), itemgetter(0)):
            with database.write(account_id) as transaction:
                for used in of_account:
                    _, write, key = used
                    write(transaction, key, noted[used])
        return len(noted)

    def keep_written(self, database: Database) -> None:
        """Write what is noted every minute, for as long as the process lives."""
        while True:
            time.sleep(SECONDS)
            try:
                self.write(database)
            except (Collision, Unavailable):
                # It is noted again with the next use.
                continue


def _place(used: Used) -> tuple[int, bool, int]:
    account_id, write, key = used
    return account_id, write is sessions.used, key
