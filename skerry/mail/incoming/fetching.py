"""Fetching of mail from a mailbox, by one of all processes that share a database.

A mail is marked as read only after it was processed, so that none is lost. If it is fetched again after a
crash, it is recognized by its Message-ID.
"""

from time import monotonic

from skerry.background import Held
from skerry.errors import SerializationFailure, Unavailable
from skerry.failures import Failures, Report
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

NAME = "mail in"


class Fetcher:
    """Fetches mail while this process has the lease of the oldest account; called repeatedly."""

    def __init__(self, mailbox: Mailbox, deliverer: Deliverer, failures: Failures, report: Report) -> None:
        """Create a fetcher; ``report`` is called with unexpected errors."""
        self._mailbox, self._deliverer, self._failures, self._report = mailbox, deliverer, failures, report
        self._next, self._tries = 0.0, 0

    def __call__(self, held: Held) -> None:
        """Fetch waiting mail, if the next round is due."""
        if monotonic() < self._next or not self._is_mine(held):
            return
        try:
            with imap.connect(self._mailbox) as connection:
                is_empty = self._fetch(connection, held)
        except (imap.MailboxDown, SerializationFailure, Unavailable, OSError) as error:
            self._rest()
            self._failures.note(NAME, f"Mails cannot be fetched from {self._mailbox.place}: {error}")
        except Exception:
            # The caller reports the error, and must not do so every second.
            self._rest()
            raise
        else:
            self._failures.end(NAME, f"Mails can be fetched from {self._mailbox.place} again")
            self._tries = 0
            self._next = monotonic() + SECONDS if is_empty else 0

    def _is_mine(self, held: Held) -> bool:
        return bool(held.accounts) and self._deliverer.oldest_account() in held.accounts

    def _rest(self) -> None:
        self._next = monotonic() + AFTER_FAILURES[min(self._tries, len(AFTER_FAILURES) - 1)]
        self._tries += 1

    def _fetch(self, connection: imap.ImapConnection, held: Held) -> bool:
        """Process a round of mail, and return whether the mailbox is empty."""
        waiting = connection.waiting()
        for uid, size in connection.sizes(waiting[:MAX]).items():
            if not self._is_mine(held):
                return True
            self._carry_out(connection, uid, size)
        return len(waiting) <= MAX

    def _carry_out(self, connection: imap.ImapConnection, uid: int, size: int) -> None:
        raw = connection.beginning(uid, MAX_SIZE if size <= MAX_SIZE else BEGINNING)
        try:
            self._deliverer.deliver(raw, size=max(size, len(raw)))
        except (SerializationFailure, Unavailable, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - one mail must not hold up those after it
            self._report("mail in", error)
            connection.mark(uid, imap.FLAGGED)
            self._deliverer.say(
                f"Mail {uid} in {self._mailbox.place} was flagged because it could not be processed"
            )
            return
        connection.mark(uid, imap.SEEN)
