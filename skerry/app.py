"""The composition root: builds an instance, with all that it works with, from the settings."""

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
from skerry.errors import SerializationFailure, Unavailable
from skerry.hooks import sender as hook_sender
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.fetching import Fetcher
from skerry.mail.incoming.lmtp import Listener
from skerry.mail.sender import Sender
from skerry.processes import end_with_parent
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.auth import idempotency
from skerry.store.engine.database import Database
from skerry.store.events import events
from skerry.store.files import folder_lock
from skerry.store.files.blobs import Blobs
from skerry.store.files.cleanup import clean_up
from skerry.store.mail import incoming_mails, mails
from skerry.store.notifications import notifications
from skerry.store.sending import deliveries
from skerry.store.transfer import database_files
from skerry.tracker.auth import quotas, sessions
from skerry.tracker.events import event_readers
from skerry.tracker.notifications import telling
from skerry.web.application import application
from skerry.web.auth.last_used import LastUsed
from skerry.web.dispatch import Dispatcher
from skerry.web.log import Log
from skerry.web.metrics import Metrics
from skerry.web.middleware import Application
from skerry.web.shared_metrics import SharedMetrics, keep_written

CLEANUP_SECONDS = 6 * 3600

READERS: Mapping[str, event_readers.Read] = {
    telling.NAME: telling.read,
}
"""Who reads events, by a name that stays: where each has come to is kept under it."""


def senders(settings: Settings, database: Database, log: Log) -> dict[str, background.Send]:
    """Return what works in the background, by name: readers of events, and what sends and receives."""
    hooks = hook_sender.Sender(database, settings.base_url, settings.hooks_allow, partial(_say_of_hook, log))
    found: dict[str, background.Send] = {"hooks": hooks.send}
    report = partial(_say_reader_failed, log)
    for name, read in READERS.items():
        found[name] = partial(_read_events, event_readers.PatientReader(database, name, read, report))
    if settings.mail_in:
        deliverer = Deliverer(database, Blobs(settings.data, settings.blobs), settings)
        found["mail in"] = _mail_in(settings, deliverer, log)
    if settings.mail:
        found["mail"] = Sender(database, settings.mail, partial(_say_sender_failed, log))
    return found


def _mail_in(settings: Settings, deliverer: Deliverer, log: Log) -> background.Send:
    """Return what takes mails: they are fetched from a mailbox, or handed over."""
    report = partial(_say_sender_failed, log)
    if settings.mailbox:
        return Fetcher(
            settings.mailbox, deliverer, lambda sentence: log.event("mail in", said=sentence), report
        )
    return Listener(settings.lmtp, settings.data, deliverer, report)


def _say_of_hook(log: Log, sentence: str, error: Exception | None) -> None:
    """Log what goes wrong with a hook; with a trace if the fault is ours."""
    if error:
        log.failure(sentence, "", error)
    else:
        log.event("hook", said=sentence)


def _say_reader_failed(log: Log, what: str, error: Exception) -> None:
    """Log with a trace at which event a reader failed."""
    log.failure(what, "", error)


def _read_events(reader: event_readers.PatientReader, held: Held) -> None:
    """Let a reader read what is new in the accounts whose background work this process does.

    It reads on while sending is paused: what it makes stays here.
    """

    def rest(seconds: float) -> None:
        held.stopping.wait(seconds)

    reader.read_new(held.leased, rest)


@dataclass(frozen=True)
class Instance:
    """A built application: settings, database, files, log, figures, and the application that serves them."""

    settings: Settings
    database: Database
    blobs: Blobs
    log: Log
    metrics: Metrics
    last_used: LastUsed
    application: Application

    def __enter__(self) -> Self:
        """Use the instance for a while."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close every connection."""
        self.database.close()

    def clean_up(self) -> int:
        """Remove files that nothing refers to, and old sessions, invitations, answers, events, mails.

        Return how many; none while another process does this.
        """
        with self.blobs.alone() as alone:
            if not alone:
                return 0
            accounts.complete(self.database)
            forgotten = sessions.forget(self.database) + idempotency.forget(self.database)
            forgotten += quotas.forget(self.database) + incoming_mails.forget(self.database)
            forgotten += deliveries.forget(self.database)
            forgotten += events.forget(self.database, self.settings.events_days)
            forgotten += notifications.forget(self.database) + mails.forget(self.database)
            return clean_up(self.database, self.blobs) + forgotten


def build(settings: Settings, log: Log | None = None) -> Instance:
    """Build everything from the settings; raise ValueError with a sentence for settings that do not fit."""
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
    database.mail = settings.mail
    dispatcher = Dispatcher(database, blobs, settings, log)
    metrics = Metrics(
        database.connections_in_use,
        lambda: dispatcher.execution.waiting,
        lambda: dispatcher.event_streams.count,
    )
    database.observe = metrics.transaction
    lifespan = Lifespan(settings, database, metrics, dispatcher)
    lifespan.sends(senders(settings, database, log))
    inside = application(dispatcher, metrics, lifespan)
    instance = Instance(settings, database, blobs, log, metrics, dispatcher.authentication.last_used, inside)
    lifespan.sweeps(partial(keep_swept, instance))
    return instance


def _say_failed_after(log: Log, error: Exception) -> None:
    """Log what failed after a commit; without a trace if only the disk or the bucket is away."""
    if isinstance(error, Unavailable):
        log.event("after a commit", reason=error.reason)
    else:
        log.failure("after a commit", "", error)


def _say_sender_failed(log: Log, name: str, error: Exception) -> None:
    """Log that a sender will try again; without a trace if only the database is away."""
    if isinstance(error, SerializationFailure | Unavailable):
        log.event("sender", name=name, put_off=str(error))
    else:
        log.failure(f"sender {name}", "", error)


def serve() -> Application:
    """Return the application for a server's worker, built from the environment."""
    instance = build(config.load())
    folder_lock.hold_shared(instance.settings.data)
    with suppress(OSError):  # the disk may be read-only
        database_files.forget_part(instance.database)
    # What is built now stays, so the garbage collector need not look through it again.
    gc.collect()
    gc.freeze()
    return instance.application


class Lifespan:
    """What a worker does beside answering requests, from its start to its end."""

    def __init__(
        self, settings: Settings, database: Database, metrics: Metrics, dispatcher: Dispatcher
    ) -> None:
        """Do nothing yet."""
        self._database, self._metrics, self._dispatcher = database, metrics, dispatcher
        self._figures = SharedMetrics(settings.data)
        self._sweep: Callable[[], object] = lambda: None
        self._watch: asyncio.Task[None] | None = None
        self._background: Background | None = None

    def sends(self, senders: Mapping[str, background.Send]) -> None:
        """Send in the background from the start to the end of the worker."""
        self._background = Background(
            self._database, senders, partial(_say_sender_failed, self._dispatcher.log)
        )

    def sweeps(self, clean_up: Callable[[], object]) -> None:
        """Sweep with a function for as long as the worker lives."""
        self._sweep = clean_up

    async def process_startup(self, _scope: object, _event: object) -> None:
        """Be called by Falcon before the first request."""
        besides: dict[str, Callable[[], object]] = {
            "sweep": self._sweep,
            "usage": partial(self._dispatcher.authentication.last_used.keep_written, self._database),
            "figures": partial(keep_written, self._metrics, self._figures),
        }
        http_protocol.when_ending.append(self._dispatcher.event_streams.close)
        self._database.open()
        self._watch = asyncio.create_task(end_with_parent())
        for name, work in besides.items():
            Thread(target=work, name=name, daemon=True).start()
        if self._background:
            self._background.start()

    async def process_shutdown(self, _scope: object, _event: object) -> None:
        """Be called by Falcon after the last request: a reload loses nothing that was counted."""
        if self._watch:
            self._watch.cancel()
        await self._dispatcher.execution.close()
        if self._background:
            await asyncio.to_thread(self._background.stop)
        self._figures.write(self._metrics.snapshot)
        self._database.close()


def keep_swept(instance: Instance) -> None:
    """Sweep now and every few hours, for as long as the process lives."""
    while True:
        try:
            swept = instance.clean_up()
        except (SerializationFailure, Unavailable) as failure:
            instance.log.event("sweep", put_off=str(failure))
        else:
            if swept:
                instance.log.event("sweep", removed=swept)
        sleep(CLEANUP_SECONDS)
