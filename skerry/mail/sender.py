"""Sends queued mail in order and records the outcome of each."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from time import monotonic, sleep, thread_time

from skerry.background import Held
from skerry.database.database import Database
from skerry.database.transactions import SECOND
from skerry.errors import SerializationFailure, Unavailable
from skerry.failures import Report
from skerry.mail import rendering, smtp
from skerry.mail_settings import MailSettings
from skerry.store.mail import mails as store
from skerry.store.mail.mails import QueuedMail
from skerry.text import addresses
from skerry.tracker.auth import account_mails, sign_up_mails
from skerry.tracker.mail import batching, held_text_mails, letters, notification_mails
from skerry.tracker.mail.letters import Letter
from skerry.tracker.notifications import reminders

BACKOFF = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 48 * 3600)
"""Backoff in seconds for a mail that was temporarily refused; after the last retry it is set aside."""

MAX_OUTAGE = 3600
"""The maximum backoff for a server that is down, in seconds; retries never end."""

DROPPED = 3
"""A mail is postponed once the connection has dropped this many times while it was sent."""

REST = 2
"""The sender sleeps this many times the processor time of each mail, so that requests come first."""

REMIND_SECONDS = 60
"""How often due dates are looked at, in seconds."""

FAULT_SECONDS = 60
"""How long the work of an account pauses after an internal error, in seconds, which limits the log."""

_SOME = 100
_MAX = 1000

_COMPOSERS = {
    **account_mails.COMPOSERS,
    **sign_up_mails.COMPOSERS,
    batching.TICKET: notification_mails.ticket,
    batching.DIGEST: notification_mails.digest,
    reminders.KIND: reminders.reminder,
    held_text_mails.KIND: held_text_mails.composed,
}


class _Broken(Exception):
    """The connection broke at a mail, which is postponed; the others are sent in the next round."""


class MailSender:
    """Sends mail for the accounts whose lease this process has; one in each process."""

    def __init__(self, database: Database, settings: MailSettings, report: Report) -> None:
        """Create a sender; ``report`` is called with a description of the failed work and the exception."""
        self._database, self._settings, self._report = database, settings, report
        self._resting: dict[tuple[int, str], float] = {}
        self._reminds_at = 0.0

    def __call__(self, held: Held) -> None:
        """Send all mail that is due."""
        if not held.accounts:
            return
        with self._database.read() as transaction:
            gathering = batching.accounts_due(transaction)
        self._for_each(gathering, held, "changes", self._gather)
        if monotonic() >= self._reminds_at:
            self._reminds_at = monotonic() + REMIND_SECONDS
            with self._database.read() as transaction:
                reminding = reminders.accounts_due(transaction)
            self._for_each(reminding, held, "reminders", self._remind)
        with self._database.read() as transaction:
            sending = store.accounts_due(transaction)
        self._for_each(sending, held, "mails", self._send_all)

    def _for_each(
        self, accounts: list[int], held: Held, what: str, work: Callable[[int, Held], None]
    ) -> None:
        """Do work for each account; an internal error pauses it for that account only."""
        for account_id in accounts:
            if account_id not in held.accounts or monotonic() < self._resting.get((account_id, what), 0):
                continue
            try:
                work(account_id, held)
            except (SerializationFailure, Unavailable):
                raise
            except Exception as error:  # noqa: BLE001 - one account must not stop others
                self._report(f"{what} of account {account_id}", error)
                self._resting[account_id, what] = monotonic() + FAULT_SECONDS

    def _gather(self, account_id: int, held: Held) -> None:
        with self._database.write(account_id) as transaction:
            held.confirm(transaction)
            batching.gather(transaction)

    def _remind(self, account_id: int, held: Held) -> None:
        with self._database.read(account_id) as transaction:
            if not reminders.due(transaction):
                return
        with self._database.write(account_id) as transaction:
            held.confirm(transaction)
            reminders.queue_due(transaction)

    def _send_all(self, account_id: int, held: Held) -> None:
        with self._database.read(account_id) as transaction:
            outage = store.outage(transaction)
        try:
            with smtp.connect(self._settings.server) as connection:
                for mail in self._due(account_id):
                    if account_id not in held.accounts:
                        return
                    began = thread_time()
                    self._send(connection, account_id, mail, held)
                    sleep(REST * (thread_time() - began))
                    if outage:
                        self._end_outage(account_id)
                        outage = None
        except _Broken:
            return
        except smtp.ServerDown as down:
            seconds = min(BACKOFF[min(outage.tries if outage else 0, len(BACKOFF) - 1)], MAX_OUTAGE)
            with self._database.write(account_id) as transaction:
                store.note_outage(transaction, transaction.now + seconds * SECOND, str(down))

    def _due(self, account_id: int) -> Iterator[QueuedMail]:
        """Yield the mail of an account that is due, up to a limit, so that other accounts get their turn."""
        for _ in range(_MAX // _SOME):
            with self._database.read(account_id) as transaction:
                due = store.due(transaction, _SOME)
            yield from due
            if len(due) < _SOME:
                return

    def _send(self, connection: smtp.SmtpConnection, account_id: int, mail: QueuedMail, held: Held) -> None:
        """Send one mail, or record why it failed; raises ServerDown if other mail would fail as well."""
        try:
            letter, now, message_id = self._letter(account_id, mail, held)
            if letter:
                recipient = addresses.normal(letter.reader.email)
                message = rendering.message(letter, recipient, self._settings, message_id, now)
        except addresses.BadAddress as error:
            self._put_off(account_id, mail, str(error), permanent=True)
            return
        except (SerializationFailure, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - one mail must not stop others
            self._report(f"mail {mail.id}", error)
            self._put_off(account_id, mail, f"The mail could not be rendered: {error}")
            return
        if letter:
            try:
                connection.send(message, self._settings.sender.addr_spec, recipient)
            except smtp.MailRefused as refused:
                self._put_off(account_id, mail, str(refused), permanent=refused.permanent)
                connection.reset()
                return
            except smtp.ServerDown as down:
                if down.dropped and self._breaks(account_id, mail, str(down)):
                    raise _Broken from down
                raise
        with self._database.write(account_id) as transaction:
            store.remove(transaction, mail.id)

    def _end_outage(self, account_id: int) -> None:
        with self._database.write(account_id) as transaction:
            store.end_outage(transaction)

    def _letter(self, account_id: int, mail: QueuedMail, held: Held) -> tuple[Letter | None, datetime, str]:
        with self._database.write(account_id) as transaction:
            held.confirm(transaction)
            letter = _COMPOSERS[mail.kind](transaction, mail)
            now = datetime.fromtimestamp(transaction.now / SECOND, UTC)
            return letter, now, letters.message_id(transaction, mail)

    def _breaks(self, account_id: int, mail: QueuedMail, reason: str) -> bool:
        """Count a dropped connection; if there were too many, postpone the mail and return True."""
        if mail.tries + 1 >= DROPPED:
            self._put_off(account_id, mail, reason)
            return True
        with self._database.write(account_id) as transaction:
            store.put_off(transaction, mail.id, mail.due_at, reason)
        return False

    def _put_off(self, account_id: int, mail: QueuedMail, reason: str, *, permanent: bool = False) -> None:
        with self._database.write(account_id) as transaction:
            if permanent or mail.tries >= len(BACKOFF):
                store.set_aside(transaction, mail.id, reason)
            else:
                until = transaction.now + BACKOFF[mail.tries] * SECOND
                store.put_off(transaction, mail.id, until, reason)
