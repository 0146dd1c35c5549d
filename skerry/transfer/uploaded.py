"""Uploaded imports, which the holder of an account's lease checks and carries out in the background.

One that is interrupted, because the process ends or loses its lease, begins again: each project is imported
completely or not at all, and once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from skerry.database.database import Database
from skerry.errors import NotFound, SerializationFailure, SkerryError, Unavailable
from skerry.files.blobs import Blobs
from skerry.resources.moving_in import Import
from skerry.store import moving_in as store
from skerry.store.attachments import key_of
from skerry.store.sending.leases import Held
from skerry.store.transfer.archive import ArchiveError
from skerry.text.characters import printable
from skerry.tracker.moving_in import ARCHIVE
from skerry.transfer import imports
from skerry.transfer.importing.planning import Options
from skerry.transfer.sources.columns import IGNORED, read_mapping
from skerry.transfer.sources.moving import as_archive
from skerry.transfer.sources.records import SourceOptions
from skerry.transfer.sources.report import Report
from skerry.wire.people_lists import read_people

SECONDS = 1
"""How often the progress is stored."""

MAX_REPORT = 200_000
"""How many characters of a report are kept."""

# Of the columns of a table, which a form shows with two fields each.
_MAX_COLUMNS, _MAX_HEADING = 300, 200

INTERNAL = "This import failed because of an error in Skerry; the log of the server has the details"


class StoppedError(Exception):
    """The process is ending, or another one has taken over."""


class Sender:
    """Works on the uploaded imports of accounts."""

    def __init__(self, database: Database, blobs: Blobs, report: Callable[[Exception], object]) -> None:
        """Create the sender; ``report`` is called with internal errors."""
        self._database, self._blobs, self._report = database, blobs, report

    def send(self, held: Held) -> None:
        """Work on one import of each account whose lease this process holds."""
        for account_id in held.leased:
            with self._database.read(account_id) as transaction:
                waiting = store.waiting(transaction)
                code = store.code(transaction, waiting.id or 0) if waiting else ""
            if waiting:
                self._work(held, account_id, waiting, code)

    def _work(self, held: Held, account_id: int, found: Import, code: str) -> None:
        run = _Run(self._database, self._blobs, held, account_id, found)
        try:
            with run.progress_stored():
                run.work(code)
        except (StoppedError, SerializationFailure, Unavailable):
            # It is tried again, here or elsewhere.
            return
        except ArchiveError as error:
            run.end(store.FAILED, error=printable(str(error)))
        except SkerryError as error:
            run.end(store.FAILED, error=" ".join(map(printable, error.sentences)))
        except Exception as error:  # noqa: BLE001 - a source nobody thought of must not be tried for ever
            self._report(error)
            run.end(store.FAILED, error=INTERNAL)


class _Run:
    """One check or import of an uploaded file."""

    def __init__(self, database: Database, blobs: Blobs, held: Held, account_id: int, found: Import) -> None:
        self._database, self._blobs, self._held = database, blobs, held
        self._account_id, self._found = account_id, found
        self._now: tuple[str, int, int] = ("", 0, 0)

    def tell(self, what: str, done: int, total: int) -> None:
        """Note how much is done; raises StoppedError if somebody else should go on."""
        if self._account_id not in self._held.leased:
            raise StoppedError
        self._now = (what, done, total)

    @contextmanager
    def progress_stored(self) -> Iterator[None]:
        """Store the progress now and then, on a thread, because the import may be in a transaction."""
        ended = Event()

        def keep_storing() -> None:
            stage, stored = "", ("", 0, 0)
            while not ended.wait(SECONDS):
                if self._now == stored:
                    continue
                stored = (what, done, total) = self._now
                values = {"stage": what, "done": done, "total": total}
                try:
                    with self._database.write(self._account_id) as transaction:
                        begun = {} if what == stage else {"stage_began_at": transaction.now}
                        store.change(transaction, self._found.id or 0, **values, **begun)
                    stage = what
                except SkerryError:
                    # The next round stores more.
                    stored = ("", 0, 0)

        thread = Thread(target=keep_storing, name="import progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def work(self, code: str) -> None:
        """Check or import the file, and store the result; raises what an import raises."""
        is_check = self._found.state == store.CHECKING
        found, with_ids = self._found, self._found.kind == ARCHIVE
        mapping = read_mapping(found.columns.encode())
        logins = read_people(found.people.encode(), by_key=not with_ids)
        said = SourceOptions(found.name, mapping, found.markup, found.address)
        kind, filename = "" if with_ids else found.kind, Path(found.filename).name
        with (
            self._local(code) as path,
            as_archive(kind, path, self._blobs.data, said, self.tell, filename) as (files, report),
        ):
            options = Options((), logins, is_check, with_ids, self.tell)
            done = imports.import_unpacked(self._database, self._blobs, self._account_id, files, options)
        if not is_check:
            self._database.empty_log()
        ids = ",".join(map(str, done.project_ids))
        columns = {"columns": _lines(report, self._found.columns)} if report.columns else {}
        state = store.CHECKED if is_check else store.DONE
        lines = "\n".join((*report.lines(), *done.lines(), done.counts))
        self.end(state, report=lines[:MAX_REPORT], project_ids=ids, **columns)

    def end(self, state: str, **values: str) -> None:
        """Store the result; an import that is done needs its file no more."""
        import_id = self._found.id or 0
        with self._database.write(self._account_id) as transaction:
            self._held.confirm(transaction)
            store.change(transaction, import_id, state=state, stage="", updated_at=transaction.now, **values)
            if state == store.DONE:
                store.release(transaction, import_id)

    @contextmanager
    def _local(self, code: str) -> Iterator[Path]:
        """Yield a local copy of the uploaded file; raises NotFound if it is gone."""
        if not code:
            raise NotFound("The uploaded file is gone; upload it again")
        copy = self._blobs.temporary_file(self._found.size, "")
        try:
            for piece in self._blobs.read(key_of(self._account_id, code), 0, self._found.size):
                self.tell("Copying bytes", copy.size, self._found.size)
                copy.write(piece)
            copy.file.flush()
            yield copy.path
        finally:
            copy.discard()


def _lines(report: Report, said: str) -> str:
    """Return what the columns of a table mean, after what was said about the table itself.

    Those that are left out, because a form has no room for them, are guessed again.
    """
    of_table = [line for line in said.splitlines() if "=" not in line and line.strip()]
    columns = [each for each in report.columns.items() if 0 < len(each[0]) <= _MAX_HEADING]
    if len(columns) > _MAX_COLUMNS:
        columns = sorted(columns, key=lambda each: each[1] == IGNORED)[:_MAX_COLUMNS]
    return "\n".join([*of_table, *(f"{heading} = {name}" for heading, name in columns)])
