"""The composition root, which builds an instance from the settings."""

import asyncio
import gc
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from time import sleep
from typing import Self

from skerry import background, http_protocol
from skerry import settings as config
from skerry.background import Background, Held
from skerry.database.database import Database
from skerry.database.transactions import DAY, Lifetimes
from skerry.errors import SerializationFailure, Unavailable
from skerry.failures import Failures
from skerry.files import folder_lock
from skerry.files.blobs import Blobs
from skerry.hooks import sender as hook_sender
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.fetching import Fetcher
from skerry.mail.incoming.lmtp import Listener
from skerry.mail.sender import MailSender
from skerry.processes import end_with_parent
from skerry.settings import Settings
from skerry.store import project_removals
from skerry.store.auth import idempotency
from skerry.store.events import events
from skerry.store.file_cleanup import clean_up
from skerry.store.mail import incoming_mails, mails
from skerry.store.notifications import notifications
from skerry.store.sending import deliveries
from skerry.store.transfer import database_files
from skerry.tracker import backlinks, held_texts, quotas
from skerry.tracker.audit import chain
from skerry.tracker.auth import sessions
from skerry.tracker.events import event_readers
from skerry.tracker.notifications import notifier
from skerry.tracker.spam import spam_batches
from skerry.transfer import uploaded
from skerry.web.application import application
from skerry.web.auth.last_used import LastUsed
from skerry.web.auth.refusals import Refusals
from skerry.web.dispatch import Dispatcher
from skerry.web.log import Log
from skerry.web.metrics import Metrics, MetricsFiles, write_regularly
from skerry.web.middleware import Application

CLEANUP_SECONDS = 6 * 3600

READERS: Mapping[str, event_readers.Read] = {
    notifier.NAME: notifier.read,
    backlinks.NAME: backlinks.read,
}
"""The readers of events by name; their positions are stored under these names, which must not change."""


def senders(settings: Settings, database: Database, log: Log) -> dict[str, background.Send]:
    """Return the background work by name: readers of events, senders, and receivers of mail."""
    hooks = hook_sender.Sender(database, settings.base_url, settings.hooks_allow, partial(_say_of_hook, log))
    senders: dict[str, background.Send] = {"hooks": hooks.send}
    uploads = uploaded.Sender(database, Blobs(settings.data, settings.blobs), partial(_say_of_import, log))
    senders["imports"] = uploads.send
    senders["spam"] = partial(spam_batches.send, database)
    report = partial(_report_reader_failure, log)
    for name, read in READERS.items():
        senders[name] = partial(_read_events, event_readers.PatientReader(database, name, read, report))
    if settings.mail_in:
        senders["mail in"] = _mail_in(settings, database, log)
    if settings.mail:
        senders["mail"] = MailSender(database, settings.mail, partial(_report_sender_failure, log))
    return senders


def _mail_in(settings: Settings, database: Database, log: Log) -> background.Send:
    """Return the receiver of mail: by fetching it from a mailbox, or by LMTP."""

    def say(sentence: str) -> None:
        log.event("mail in", said=sentence)

    report, failures = partial(_report_sender_failure, log), Failures(settings.data, say)
    deliverer = Deliverer(database, Blobs(settings.data, settings.blobs), settings, say)
    if settings.mailbox:
        return Fetcher(settings.mailbox, deliverer, failures, report)
    return Listener(settings.lmtp, settings.data, deliverer, report, failures)


def _say_of_hook(log: Log, sentence: str, error: Exception | None) -> None:
    """Log a problem of a hook, with a traceback after an internal error."""
    if error:
        log.failure(sentence, "", error)
    else:
        log.event("hook", said=sentence)


def _say_of_import(log: Log, error: Exception) -> None:
    """Log an internal error of an import with a traceback."""
    log.failure("import", "", error)


def _report_reader_failure(log: Log, what: str, error: Exception) -> None:
    """Log the event at which a reader failed, with a traceback."""
    log.failure(what, "", error)


def _keep_log(database: Database, refusals: Refusals, held: Held) -> None:
    """Record what this process refused, and seal the security events of the accounts that it holds."""
    refusals.write()
    chain.seal_new(database, held.leased)


def _read_events(reader: event_readers.PatientReader, held: Held) -> None:
    """Run a reader on the new events of the accounts whose leases this process holds.

    This includes accounts where sending is paused, because readers send nothing outside.
    """

    def rest(seconds: float) -> None:
        held.stopping.wait(seconds)

    reader.read_new(held.leased, rest)


@dataclass(frozen=True)
class Instance:
    """A built application: settings, database, files, log, metrics, and the ASGI application."""

    settings: Settings
    database: Database
    blobs: Blobs
    log: Log
    metrics: Metrics
    last_used: LastUsed
    refusals: Refusals
    application: Application

    def __enter__(self) -> Self:
        """Enter a block in which the instance is used."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close every connection."""
        self.database.close()

    def clean_up(self) -> int:
        """Remove unreferenced files, and old sessions, invitations, responses, events and mail.

        Returns their number, or 0 while another process does this.
        """
        with self.blobs.alone() as alone:
            if not alone:
                return 0
            with self.blobs.prevent_removal(wait=False) as is_locked:
                # Not while an import runs.
                if is_locked:
                    project_removals.remove_all_incomplete(self.database)
            forgotten = sessions.remove_old(self.database) + idempotency.remove_old(self.database)
            forgotten += quotas.remove_old(self.database) + incoming_mails.remove_old(self.database)
            forgotten += deliveries.remove_old(self.database) + held_texts.remove_old(self.database)
            forgotten += events.remove_old(self.database, self.settings.events_days)
            forgotten += chain.remove_old(self.database, self.settings.audit_days)
            forgotten += notifications.remove_old(self.database) + mails.remove_old(self.database)
            return clean_up(self.database, self.blobs) + forgotten


def build(settings: Settings, log: Log | None = None) -> Instance:
    """Build an instance; raises ValueError with a message for invalid settings."""
    log = log or Log(settings.log_format)
    blobs = Blobs(settings.data, settings.blobs)
    database = Database(
        settings.database,
        settings.connections,
        blobs=blobs,
        report=partial(_say_failed_after, log),
        durable=settings.durability == "full",
        read_seconds=settings.read_seconds,
        mail_host=settings.mail_host,
    )
    database.mail, database.keys = settings.mail, settings.keys
    database.lifetimes = Lifetimes(
        settings.session_unused_days * DAY, settings.session_days * DAY, settings.token_days
    )
    database.administrators_need_factors = settings.admin_factors
    dispatcher = Dispatcher(database, blobs, settings, log)
    metrics = Metrics(
        database.connections_in_use,
        lambda: dispatcher.execution.waiting,
        lambda: dispatcher.event_streams.count,
    )
    database.observe = metrics.transaction
    lifespan = Lifespan(settings, database, metrics, dispatcher)
    authentication = dispatcher.authentication
    keep_log = partial(_keep_log, database, authentication.refusals)
    lifespan.sends({**senders(settings, database, log), "audit": keep_log})
    inside = application(dispatcher, metrics, lifespan)
    last_used, refusals = authentication.last_used, authentication.refusals
    instance = Instance(settings, database, blobs, log, metrics, last_used, refusals, inside)
    lifespan.sweeps(partial(sweep_regularly, instance))
    return instance


def _say_failed_after(log: Log, error: Exception) -> None:
    """Log a failure after a commit, without a traceback if only the disk or the bucket is unavailable."""
    if isinstance(error, Unavailable):
        log.event("after a commit", reason=error.reason)
    else:
        log.failure("after a commit", "", error)


def _report_sender_failure(log: Log, name: str, error: Exception) -> None:
    """Log that a sender will retry, without a traceback if only the database is unavailable."""
    if isinstance(error, SerializationFailure | Unavailable):
        log.event("sender", name=name, put_off=str(error))
    else:
        log.failure(f"sender {name}", "", error)


def serve() -> Application:
    """Return the application of a server's worker, built from the environment."""
    instance = build(config.load())
    folder_lock.lock_shared(instance.settings.data)
    with suppress(OSError):  # the disk may be read-only
        database_files.forget_part(instance.database)
    # Objects built so far are permanent, so the garbage collector need not scan them again.
    gc.collect()
    gc.freeze()
    return instance.application


class Lifespan:
    """The work of a worker besides requests, from its start to its end."""

    def __init__(
        self, settings: Settings, database: Database, metrics: Metrics, dispatcher: Dispatcher
    ) -> None:
        """Create the work; nothing runs yet."""
        self._database, self._metrics, self._dispatcher = database, metrics, dispatcher
        self._figures = MetricsFiles(settings.data)
        self._sweep: Callable[[], object] = lambda: None
        self._watch: asyncio.Task[None] | None = None
        self._background: Background | None = None

    def sends(self, senders: Mapping[str, background.Send]) -> None:
        """Send in the background from the start to the end of the worker."""
        self._background = Background(
            self._database, senders, partial(_report_sender_failure, self._dispatcher.log)
        )

    def sweeps(self, clean_up: Callable[[], object]) -> None:
        """Call a clean-up function regularly, from the start to the end of the worker."""
        self._sweep = clean_up

    async def process_startup(self, _scope: object, _event: object) -> None:
        """Start the work; called by Falcon before the first request."""
        besides: dict[str, Callable[[], object]] = {
            "sweep": self._sweep,
            "usage": partial(self._dispatcher.authentication.last_used.write_regularly, self._database),
            "figures": partial(write_regularly, self._metrics, self._figures),
        }
        http_protocol.when_ending.append(self._dispatcher.event_streams.close)
        self._database.open()
        self._watch = asyncio.create_task(end_with_parent())
        for name, work in besides.items():
            Thread(target=work, name=name, daemon=True).start()
        if self._background:
            self._background.start()

    async def process_shutdown(self, _scope: object, _event: object) -> None:
        """Stop the work and store what was counted; called by Falcon after the last request."""
        if self._watch:
            self._watch.cancel()
        await self._dispatcher.execution.close()
        if self._background:
            await asyncio.to_thread(self._background.stop)
        with suppress(SerializationFailure, Unavailable):
            self._dispatcher.authentication.refusals.write(ending=True)
        self._figures.write(self._metrics.snapshot)
        self._database.close()


def sweep_regularly(instance: Instance) -> None:
    """Clean up now and every few hours, until the process ends."""
    while True:
        try:
            swept = instance.clean_up()
        except (SerializationFailure, Unavailable) as failure:
            instance.log.event("sweep", put_off=str(failure))
        else:
            if swept:
                instance.log.event("sweep", removed=swept)
        sleep(CLEANUP_SECONDS)
