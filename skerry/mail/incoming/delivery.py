"""Processing of incoming mail from any transport: parse it, store its files, act on it."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from threading import Lock

from skerry.errors import SerializationFailure, TooLarge
from skerry.mail.incoming.parsing import parse
from skerry.resources.sending.incoming_mails import IncomingMailResult
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs
from skerry.tracker.auth.quotas import Quotas
from skerry.tracker.context import NewFile, Rendered
from skerry.tracker.incoming_files import Incoming
from skerry.tracker.mail import incoming, reply_addresses
from skerry.tracker.mail.incoming import Delivery
from skerry.tracker.mail.messages import IncomingMail, MailFile
from skerry.tracker.mail.reply_addresses import Target
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
    recipients: Iterable[str] = (),
    return_path: str | None = None,
    size: int | None = None,
) -> tuple[IncomingMail, list[Target]]:
    """Parse a raw message, and return it with the targets of the signed addresses it was sent to.

    Without ``recipients`` from the envelope, the recipients in the header are used. ``size`` is the size of
    the message if only its beginning was received.
    """
    with _TURN if len(raw) > _LARGE else nullcontext():
        mail = parse(raw, settings.mail_authserv, return_path, size)
    targets = reply_addresses.targets(recipients or mail.recipients)[:MAX_TARGETS]
    return mail, [target for target in targets if _is_genuine(database, target)]


def _is_genuine(database: Database, target: Target) -> bool:
    with database.read(target.account_id) as transaction:
        return reply_addresses.is_genuine(transaction, target)


def with_files(
    mail: IncomingMail,
    targets: Iterable[Target],
    settings: Settings,
    database: Database,
    incoming_files: Incoming,
) -> Delivery:
    """Return a delivery with the text rendered and the files stored for each target.

    Raises Unavailable if the files cannot be stored.
    """
    quotas = Quotas(settings.guest_daily_bytes, settings.guest_project_daily_bytes)
    files: dict[Target, tuple[NewFile, ...]] = dict.fromkeys(targets, ())
    if not (mail.automatic or mail.problem):
        try:
            files = {target: _store_files(mail, incoming_files, target) for target in files}
        except TooLarge as error:
            mail = replace(mail, problem=str(error))
    texts: Rendered = {}
    for target in files:
        if len(mail.text) > rendering.LARGE:
            texts |= rendering.render_draft(
                database, target.account_id, {"body": mail.text}, target.project_id
            )
    return Delivery(mail, files, quotas, texts)


def _store_files(mail: IncomingMail, incoming_files: Incoming, target: Target) -> tuple[NewFile, ...]:
    uploads = [_upload(file, incoming_files) for file in mail.files]
    return incoming_files.keep(target.account_id, uploads)


def _upload(file: MailFile, incoming_files: Incoming) -> Upload:
    part = FilePart("", file.filename, file.content_type)
    sink = incoming_files.open(part)
    sink.write(file.content)
    return Upload(part, sink, len(file.content))


class Deliverer:
    """Processes mail that does not arrive by a request; there is one in each process."""

    def __init__(self, database: Database, blobs: Blobs, settings: Settings) -> None:
        """Create a deliverer."""
        self._database, self._blobs, self._settings = database, blobs, settings

    def oldest_account(self) -> int | None:
        """Return the account whose lease covers work that is done once in an installation."""
        with self._database.read() as transaction:
            return accounts.oldest(transaction)

    def knows(self, address: str) -> bool:
        """Return whether an address was signed by an account; raises Unavailable."""
        return any(_is_genuine(self._database, target) for target in reply_addresses.targets([address]))

    def bounces(self, results: list[IncomingMailResult]) -> str | None:
        """Return the reason for which the mail server should bounce a mail, or None if it should not.

        A mail should bounce if no address takes it. A mail that was refused should bounce only if this server
        does not answer the sender itself.
        """
        if not results:
            return incoming.NOWHERE
        refused = [result for result in results if result.result == incoming.REFUSED]
        if len(refused) < len(results) or self._database.mail is not None:
            return None
        return refused[0].reason

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
        return [self._deliver_to(mail, target) for target in targets]

    def _deliver_to(self, mail: IncomingMail, target: Target) -> IncomingMailResult:
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

    def _apply_with_retries(self, delivery: Delivery, target: Target) -> IncomingMailResult:
        for _ in range(_TRIES - 1):
            with suppress(SerializationFailure):
                return self._apply(delivery, target)
        return self._apply(delivery, target)

    def _apply(self, delivery: Delivery, target: Target) -> IncomingMailResult:
        with self._database.write(target.account_id) as transaction:
            return incoming.carry_out(transaction, delivery, target)
