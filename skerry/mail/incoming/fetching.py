"""Fetching of mail from a mailbox, by one of all processes that share a database.

A mail is marked as read only after it was processed, so that none is lost. If it is fetched again after a
crash, it is recognized by its Message-ID.
"""

from collections.abc import Callable, Collection
from time import monotonic
from typing import Protocol

from skerry.errors import SerializationFailure, Unavailable
from skerry.mail.incoming import imap
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.parsing import BEGINNING, MAX_SIZE
from skerry.mail_settings import Mailbox

SECONDS = 30
"""How long to wait after a round that emptied the mailbox."""

AFTER_FAILURES = (30, 60, 300, 900, 1800)
"""Backoff in seconds after a failure to read the mailbox; the last value is repeated."""

MAX = 50
"""The maximum number of mails in a round."""

Say = Callable[[str], object]
Report = Callable[[str, Exception], object]


class Lease(Protocol):
    """The part of ``background.Held`` that is used here."""

    @property
    def accounts(self) -> Collection[int]:
        """Return the accounts to work for, without those that are paused, as in a restored copy."""


class Fetcher:
    """Fetches mail while this process has the lease of the oldest account; called repeatedly."""

    def __init__(self, mailbox: Mailbox, deliverer: Deliverer, say: Say, report: Report) -> None:
        """Create a fetcher.

        ``say`` is called with a message for the operator, ``report`` with unexpected errors.
        """
        self._mailbox, self._deliverer, self._say, self._report = mailbox, deliverer, say, report
        self._next, self._failures, self._said = 0.0, 0, ""

    def __call__(self, held: Lease) -> None:
        """Fetch waiting mail, if the next round is due."""
        if monotonic() < self._next or not self._is_mine(held):
            return
        try:
            with imap.connect(self._mailbox) as connection:
                is_empty = self._fetch(connection, held)
        except (imap.MailboxDown, SerializationFailure, Unavailable, OSError) as error:
            self._put_off(f"Mails cannot be fetched from {self._mailbox.place}: {error}")
        except Exception:
            # The caller reports the error, and must not do so every second.
            self._rest()
            raise
        else:
            if self._said:
                self._say(f"Mails can be fetched from {self._mailbox.place} again")
            self._failures, self._said = 0, ""
            self._next = monotonic() + SECONDS if is_empty else 0

    def _is_mine(self, held: Lease) -> bool:
        return bool(held.accounts) and self._deliverer.oldest_account() in held.accounts

    def _put_off(self, sentence: str) -> None:
        """Put off the next round; log the reason unless it is the same as before."""
        self._rest()
        if sentence != self._said:
            self._say(sentence)
            self._said = sentence

    def _rest(self) -> None:
        self._next = monotonic() + AFTER_FAILURES[min(self._failures, len(AFTER_FAILURES) - 1)]
        self._failures += 1

    def _fetch(self, connection: imap.Connection, held: Lease) -> bool:
        """Process a round of mail, and return whether the mailbox is empty."""
        waiting = connection.waiting()
        for uid, size in connection.sizes(waiting[:MAX]).items():
            if not self._is_mine(held):
                return True
            self._carry_out(connection, uid, size)
        return len(waiting) <= MAX

    def _carry_out(self, connection: imap.Connection, uid: int, size: int) -> None:
        raw = connection.beginning(uid, MAX_SIZE if size <= MAX_SIZE else BEGINNING)
        try:
            unused = self._deliverer.bounces(self._deliverer.deliver(raw, size=max(size, len(raw))))
        except (SerializationFailure, Unavailable, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - one mail must not hold up those after it
            self._report("mail in", error)
            connection.mark(uid, imap.FLAGGED)
            self._say(f"Mail {uid} in {self._mailbox.place} was flagged because it could not be processed")
            return
        connection.mark(uid, imap.SEEN)
        if unused:
            self._say(f"Mail {uid} in {self._mailbox.place} was not used: {unused}")
