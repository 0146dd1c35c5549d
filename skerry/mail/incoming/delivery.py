"""Processing of incoming mail from any transport: parse it, store its files, act on it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from threading import Lock

from skerry.database.database import Database
from skerry.errors import SerializationFailure, TooLarge
from skerry.files.blobs import Blobs
from skerry.mail.incoming.parsing import parse
from skerry.resources.mail import IncomingMailResult
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.ticket_rows import moved_tickets
from skerry.tracker.context import NewFile, Rendered
from skerry.tracker.incoming_files import Incoming
from skerry.tracker.mail import incoming, reply_addresses
from skerry.tracker.mail.incoming import ReceivedMail
from skerry.tracker.mail.incoming_mails import IncomingMail, MailFile
from skerry.tracker.mail.reply_addresses import AddressTarget
from skerry.tracker.quotas import Quotas
from skerry.tracker.texts import rendering
from skerry.wire.uploads import FilePart, Upload

MAX_TARGETS = 10
"""The maximum number of signed addresses for which one mail is processed."""

_TRIES = 3

_LARGE = 1024 * 1024
_TURN = Lock()
"""Limits each process to one large mail at a time, because parsing takes several times its size in memory."""


def read(
    raw: bytes,
    settings: Settings,
    database: Database,
    recipients: Iterable[str],
    return_path: str | None,
    size: int | None = None,
) -> tuple[IncomingMail, list[AddressTarget]]:
    """Parse a raw message, and return it with the targets of the signed addresses it was sent to.

    Without ``recipients`` from the envelope, the recipients in the header are used. ``size`` is the size of
    the message if only its beginning was received.
    """
    with _TURN if len(raw) > _LARGE else nullcontext():
        own_address = settings.mail.sender.addr_spec if settings.mail else ""
        mail = parse(raw, settings.mail_authserv, return_path, size, own_address)
    targets = reply_addresses.targets(recipients or mail.recipients)[:MAX_TARGETS]
    return mail, [target for target in targets if _is_genuine(database, target)]


def _is_genuine(database: Database, target: AddressTarget) -> bool:
    with database.read(target.account_id) as transaction:
        return reply_addresses.is_genuine(transaction, target)


def with_files(
    mail: IncomingMail,
    targets: Iterable[AddressTarget],
    settings: Settings,
    database: Database,
    incoming_files: Incoming,
) -> ReceivedMail:
    """Return a delivery with the text rendered and the files stored for each target.

    Raises Unavailable if the files cannot be stored.
    """
    quotas = Quotas(settings.guest_daily_bytes, settings.guest_project_daily_bytes)
    files: dict[AddressTarget, tuple[NewFile, ...]] = dict.fromkeys(targets, ())
    if not (mail.automatic or mail.problem):
        try:
            files = {target: _store_files(mail, incoming_files, target) for target in files}
        except TooLarge as error:
            mail = replace(mail, problem=str(error))
    texts: Rendered = {}
    for target in files:
        for text in (mail.whole.own, mail.reply.own):
            if len(text) > rendering.LARGE:
                texts |= rendering.render_draft(
                    database, target.account_id, {"body": text}, _project(database, target)
                )
    return ReceivedMail(mail, files, quotas, texts)


def _project(database: Database, target: AddressTarget) -> int:
    """Return the project in which the text of a mail will be."""
    with database.read(target.account_id) as transaction:
        return moved_tickets.present(transaction, target.project_id, target.number).project_id


def _store_files(mail: IncomingMail, incoming_files: Incoming, target: AddressTarget) -> tuple[NewFile, ...]:
    uploads = [_upload(file, incoming_files) for file in mail.files]
    return incoming_files.keep(target.account_id, uploads)


def _upload(file: MailFile, incoming_files: Incoming) -> Upload:
    part = FilePart("", file.filename, file.content_type)
    sink = incoming_files.open(part)
    sink.write(file.content)
    return Upload(part, sink, len(file.content))


class Deliverer:
    """Processes mail that does not arrive by a request; there is one in each process."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        say: Callable[[str], object] = lambda _sentence: None,
    ) -> None:
        """Create a deliverer; ``say`` is called with sentences for the operator."""
        self._database, self._blobs, self._settings, self.say = database, blobs, settings, say

    def oldest_account(self) -> int | None:
        """Return the account whose lease covers work that is done once in an installation."""
        with self._database.read() as transaction:
            return accounts.oldest(transaction)

    def knows(self, address: str) -> bool:
        """Return whether an account has signed an address; raises Unavailable."""
        return any(_is_genuine(self._database, target) for target in reply_addresses.targets([address]))

    def bounces(self, results: list[IncomingMailResult]) -> str | None:
        """Return the reason for which the mail server should bounce a mail, or None if it should not.

        A mail should bounce if no address accepts it, or if all refuse it and no reply is sent to the sender.
        """
        if not results:
            return incoming.NOWHERE
        told = any(result.result != incoming.REFUSED or result.answered for result in results)
        return None if told else results[0].reason

    def deliver(
        self,
        raw: bytes,
        recipients: Sequence[str] = (),
        return_path: str | None = None,
        *,
        size: int | None = None,
    ) -> list[IncomingMailResult]:
        """Process a raw message, and return the result for each signed address.

        Raises Unavailable if the database or the file storage does not respond; the message can then be
        delivered again.
        """
        mail, targets = read(raw, self._settings, self._database, recipients, return_path, size)
        results = [self._deliver_to(mail, target) for target in targets]
        for result in results:
            if not result.number:
                self._say_unused(mail, result.result, result.reason)
        if not targets:
            self._note_nowhere(mail)
        return results

    def note_refused(self, sender: str, recipients: Sequence[str], reason: str) -> None:
        """List a mail that was refused before its text was received, in the accounts of its recipients."""
        mail = IncomingMail(sender=sender)
        self._say_unused(mail, incoming.REFUSED, reason)
        targets = [each for each in reply_addresses.targets(recipients) if _is_genuine(self._database, each)]
        self._note_in({target.account_id for target in targets}, mail, reason)

    def _say_unused(self, mail: IncomingMail, result: str, reason: str) -> None:
        named = " ".join(filter(None, ("Mail", mail.message_id)))
        self.say(f"{named} of {mail.sender or 'nobody'} was {result}: {reason}")

    def _note_nowhere(self, mail: IncomingMail) -> None:
        """Record a refused mail that belongs to no account."""
        self._say_unused(mail, incoming.REFUSED, incoming.NOWHERE)
        self._note_in((), mail, incoming.NOWHERE)

    def _note_in(self, account_ids: Collection[int], mail: IncomingMail, reason: str) -> None:
        """Record a refused mail in some accounts, or else in the oldest one, which is the operator's."""
        oldest = self.oldest_account()
        for account_id in account_ids or ([] if oldest is None else [oldest]):
            with self._database.write(account_id) as transaction:
                incoming.note_refused(transaction, mail, reason)

    def _deliver_to(self, mail: IncomingMail, target: AddressTarget) -> IncomingMailResult:
        incoming_files = Incoming(self._blobs, self._settings)
        try:
            delivery = with_files(mail, [target], self._settings, self._database, incoming_files)
            result = self._apply_with_retries(delivery, target)
        except BaseException as error:
            incoming_files.end(error)
            raise
        if result.number:
            incoming_files.settle()
        incoming_files.end()
        return result

    def _apply_with_retries(self, delivery: ReceivedMail, target: AddressTarget) -> IncomingMailResult:
        for _ in range(_TRIES - 1):
            with suppress(SerializationFailure):
                return self._apply(delivery, target)
        return self._apply(delivery, target)

    def _apply(self, delivery: ReceivedMail, target: AddressTarget) -> IncomingMailResult:
        with self._database.write(target.account_id) as transaction:
            return incoming.carry_out(transaction, delivery, target)
