"""Restoring of a backup to the database and the files."""

import shutil
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, column, insert, table
from sqlalchemy.exc import DBAPIError

from skerry.chunks import chunks
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Unavailable
from skerry.files import folder_lock
from skerry.files.blobs import Blobs
from skerry.files.storage import PIECE
from skerry.store import accounts, schema
from skerry.store.events import events
from skerry.store.file_cleanup import OURS, clean_up
from skerry.store.schema import Stored
from skerry.store.search import index as search_index
from skerry.store.sending import leases
from skerry.store.transfer import archive, rebuild
from skerry.store.transfer.archive import About, ArchiveError, Members

# As for the backup: rows of tickets may be large.
_AT_ONCE = 100


def restore(path: Path, database: Database, blobs: Blobs, data: Path, *, force: bool) -> About:
    """Restore an archive to the database and the files, and return its description.

    The archive is read to its end before anything changes. With ``force`` existing data is replaced. Raises
    ArchiveError if the archive is damaged, SchemaError if its schema is too old or too new, Conflict if
    existing data must not be replaced or is in use, Unavailable if the database or the files cannot be
    reached.
    """
    about = archive.verified(path)
    schema.check_known(about.schema, "The archive", "restore it and back it up again")
    with folder_lock.lock_exclusive(data):
        if not force:
            _check_empty(database, blobs)
        try:
            _put(path, about, database, blobs)
        except BaseException:
            _take_back(database, blobs, force=force)
            raise
        if force:
            clean_up(database, blobs, timedelta(0))
    return about


def _put(path: Path, about: About, database: Database, blobs: Blobs) -> None:
    with rebuild.rebuilt(database) as connection:
        schema.upgrade(connection, about.schema)
        with archive.opened(path) as members:
            _fill(connection, members)
        schema.upgrade(connection)
        _index(database, connection)
        _begin_anew(database, connection)
        # Files replace existing ones, so they are copied when hardly anything else can fail.
        with archive.opened(path) as members:
            _copy(blobs, members)


def _take_back(database: Database, blobs: Blobs, *, force: bool) -> None:
    """Delete the files that were copied, as far as possible: they may have filled the disk.

    Files are kept if the database was replaced or if that is unknown. They are also kept if they may have
    replaced files of a missing database, because those cannot be told apart from the copies.
    """
    with suppress(Unavailable):
        if not rebuild.is_empty(database):
            clean_up(database, blobs, timedelta(0))
        elif not force:
            blobs.remove(kept.key for batch in blobs.list_all() for kept in batch if OURS.fullmatch(kept.key))


def _check_empty(database: Database, blobs: Blobs) -> None:
    if not rebuild.is_empty(database):
        raise Conflict("The database is not empty; --force replaces everything in it")
    if any(OURS.fullmatch(kept.key) for batch in blobs.list_all() for kept in batch):
        raise Conflict("The file storage is not empty; --force replaces everything in it")


def _fill(connection: Connection, members: Members) -> None:
    """Insert all rows into their tables; raises ArchiveError if anything in the archive does not fit."""
    known = {stored.name: stored for stored in schema.stored_on(connection)}
    for name, file in members:
        of_table = archive.table_name(name)
        if of_table is not None:
            _load(connection, known.pop(of_table, None), of_table, file)
        elif name.startswith(archive.FILES):
            _key(name)
        elif name not in archive.ENDS:
            raise ArchiveError(f"The archive does not fit: {name} is nothing that a backup holds")
    if known:
        raise ArchiveError(f"The archive does not fit: its table {min(known)} is missing")


def _load(connection: Connection, stored: Stored | None, name: str, file: IO[bytes]) -> None:
    """Insert the rows of a table; raises ArchiveError if they do not fit."""
    rows = archive.rows(file)
    columns = next(rows, [])
    if stored is None or set(stored.columns) != set(columns):
        raise ArchiveError(f"The archive does not fit: its table {name} is another one in its schema")
    statement = insert(table(name, *(column(each) for each in columns)))
    try:
        for some in chunks(rows, _AT_ONCE):
            connection.execute(statement, [dict(zip(columns, row, strict=True)) for row in some])
    except (DBAPIError, OverflowError, UnicodeEncodeError) as error:
        # The last two come from the driver, which cannot send such a value.
        reason = getattr(error, "orig", error)
        raise ArchiveError(f"The database does not accept a row of {name}: {reason}") from error


def _key(name: str) -> str:
    """Return the storage key of a member; raises ArchiveError if it is invalid."""
    key = name.removeprefix(archive.FILES)
    if not OURS.fullmatch(key):
        raise ArchiveError(f"The archive does not fit: {key} is no name of a file of ours")
    return key


def _copy(blobs: Blobs, members: Members) -> None:
    for name, file in members:
        if name.startswith(archive.FILES):
            _keep(blobs, _key(name), file)


def _keep(blobs: Blobs, key: str, file: IO[bytes]) -> None:
    temporary_file = blobs.temporary_file(file.seek(0, 2), "")
    try:
        file.seek(0)
        shutil.copyfileobj(file, temporary_file, PIECE)
        temporary_file.finish()
        blobs.keep(temporary_file, key)
    finally:
        temporary_file.discard()


def _begin_anew(database: Database, connection: Connection) -> None:
    """Renumber the events and pause sending, because clients may have seen events that the backup lacks."""
    transaction = Transaction(database, connection.connection.cursor())
    for account in accounts.list_all(transaction):
        transaction.account_id = account.id
        events.begin_generation(transaction)
        leases.pause(transaction, paused=True)


def _index(database: Database, connection: Connection) -> None:
    """Rebuild the search index from the tickets, in the same transaction."""
    transaction = Transaction(database, connection.connection.cursor())
    for account in accounts.list_all(transaction):
        transaction.account_id = account.id
        last = search_index.FIRST
        while keys := search_index.index_after(transaction, last, limit=_AT_ONCE):
            last = keys[-1]
