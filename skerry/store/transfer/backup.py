"""Backups: everything in the service at one point in time, while it keeps running.

The rows do not depend on the kind of database, so a backup of SQLite can be restored to PostgreSQL, and vice
versa. Derived data, such as the search index, is omitted.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from sqlalchemy import ColumnElement, bindparam, column, select, table, tuple_

from skerry.database.database import Database
from skerry.database.rows import timestamp
from skerry.database.statements import Row, Statement
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, NotFound, Unavailable
from skerry.files.blobs import Blobs
from skerry.store import health, schema, sealed_columns
from skerry.store.attachments import key_of
from skerry.store.file_cleanup import clean_up
from skerry.store.people import avatars
from skerry.store.schema import Stored
from skerry.store.tables import accounts, attachments, users
from skerry.store.transfer import archive
from skerry.store.transfer.archive import About, Writer

# Rows of tickets may be large, so only a few are in memory at a time.
_AT_ONCE = 100

_ACCOUNT = "account_id"


@dataclass
class BackupReport:
    """The content of a backup; ``lost`` has a message for each missing file.

    ``is_sealed`` says whether its secrets are encrypted by a key, which is not in it.
    """

    rows: int = 0
    files: int = 0
    lost: list[str] = field(default_factory=list)
    is_sealed: bool = False


def backup(database: Database, blobs: Blobs, path: Path, *, overwrite: bool) -> BackupReport:
    """Write everything to one file; ``-`` is standard output.

    Raises Conflict if the file exists and must not be overwritten or the database is empty, SchemaError if it
    is newer than the program, Unavailable if it or the files cannot be reached.
    """
    # The target of a link is replaced, not the link.
    path = path.resolve() if str(path) != "-" and path.is_file() else path
    room = None if str(path) == "-" else path.parent
    with archive.created(path, overwrite=overwrite) as file:
        report = write(database, blobs, file, room)
    tidy(database, blobs)
    return report


def write(database: Database, blobs: Blobs, file: IO[bytes], room: Path | None) -> BackupReport:
    """Write everything to an open file; ``room`` is a folder with space for its largest part.

    Raises what ``backup`` raises. Call ``tidy`` afterwards.
    """
    with (
        TemporaryFile("w+", dir=room) as wanted,
        archive.writing(file, room) as writer,
        # From before the snapshot on, no file that its rows refer to may be removed.
        blobs.prevent_removal(),
    ):
        report = BackupReport()
        _write_rows(database, writer, wanted, report)
        wanted.seek(0)
        for line in wanted:
            _write_file(writer, blobs, line, report)
    return report


def _write_rows(database: Database, writer: Writer, wanted: IO[str], report: BackupReport) -> None:
    """Write all tables in one snapshot, record the files that the rows refer to, and count the rows."""
    revision, tables = schema.stored(database)
    if revision is None:
        raise Conflict("There is nothing to back up: the database is empty")
    schema.check_known(revision, "The database")
    with database.read() as transaction:
        if health.revision(transaction) != revision:
            raise Conflict("The database was migrated at the same time; try again")
        made_at = timestamp(transaction.now)
        writer.about(About(revision, f"skerry {version('skerry')}", made_at.isoformat()))
        has_keys = any(accounts.c.secrets_key.name in each.columns for each in tables)
        report.is_sealed = has_keys and bool(sealed_columns.key_ids(transaction))
        report.rows = sum(writer.table(each.name, _lines(transaction, each, wanted)) for each in tables)


def _lines(transaction: Transaction, stored: Stored, wanted: IO[str]) -> Iterator[Row]:
    yield tuple(stored.columns)
    for row in _rows(transaction, stored):
        spoken_of = _FILES.get(stored.name)
        file = spoken_of(dict(zip(stored.columns, row, strict=True))) if spoken_of else None
        if file:
            wanted.write(f"{json.dumps(file)}\n")
        yield row


def _of_attachment(row: dict[str, Any]) -> tuple[str, int, str]:
    title = f"attachment {row['id']} of account {row['account_id']}, {row['filename']}"
    return key_of(row["account_id"], row["code"]), row["size"], title


def _of_user(row: dict[str, Any]) -> tuple[str, int, str] | None:
    if row["avatar_code"] is None:
        return None
    return key_of(avatars.SERVICE, row["avatar_code"]), row["avatar_size"], f"user {row['id']}, the picture"


_FILES: dict[str, Callable[[dict[str, Any]], tuple[str, int, str] | None]] = {
    attachments.name: _of_attachment,
    users.name: _of_user,
}
"""The file that a row refers to: its key, its size, and a description."""


def _rows(transaction: Transaction, stored: Stored) -> Iterator[Row]:
    """Yield the rows of a table in the order of its key.

    In distributed tables, a page over all accounts would query every node.
    """
    if not transaction.is_distributed or stored.key[0] != _ACCOUNT:
        yield from _pages(transaction, stored, stored.key)
        return
    account: ColumnElement[int] = column(_ACCOUNT)
    all_of_them = select(account).select_from(table(stored.name)).distinct().order_by(account)
    for (account_id,) in transaction.all(Statement(all_of_them, across_accounts=True)):
        yield from _pages(transaction, stored, stored.key[1:], account_id=account_id)


def _pages(transaction: Transaction, stored: Stored, key: list[str], **of: int) -> Iterator[Row]:
    """Yield all rows, or those ``of`` an account, in key order, read in batches."""
    parts: list[ColumnElement[Any]] = [column(name) for name in key]
    some: Any = (
        select(*(column(name) for name in stored.columns))
        .select_from(table(stored.name))
        .where(*(column(name) == bindparam(name) for name in of))
        .order_by(*parts)
        .limit(_AT_ONCE)
    )
    beyond = tuple_(*parts) > tuple_(*(bindparam(f"last_{name}") for name in key))
    rest = Statement(some.where(beyond), across_accounts=True)
    places = [stored.columns.index(name) for name in key]
    rows = transaction.all(Statement(some, across_accounts=True), **of)
    while rows:
        yield from rows
        last = {f"last_{stored.columns[place]}": rows[-1][place] for place in places}
        rows = transaction.all(rest, **of, **last) if len(rows) == _AT_ONCE else []


def _write_file(writer: Writer, blobs: Blobs, line: str, report: BackupReport) -> None:
    key, size, title = json.loads(line)
    if _copy(writer, blobs, key, size):
        report.files += 1
    else:
        if not report.lost:
            # If the settings name another storage, or a disk is missing, files are not lost.
            blobs.check_container(key)
        report.lost.append(f"The file of {title}, is missing or incomplete; it is not in the archive")


def _copy(writer: Writer, blobs: Blobs, key: str, size: int) -> bool:
    """Write a file if it exists and has the right size."""
    if blobs.size(key) != size:
        return False
    try:
        with writer.member(f"{archive.FILES}{key}") as temporary_file:
            temporary_file.writelines(blobs.read(key, 0, size))
    except NotFound:
        return False
    return True


def tidy(database: Database, blobs: Blobs) -> None:
    """Remove the files whose removal the backup postponed, unless a server is doing so.

    In a database that has not been migrated yet, the server removes them later.
    """
    with suppress(Unavailable), blobs.alone() as alone:
        if alone and not schema.pending(database):
            clean_up(database, blobs)
