"""The amount of data, and the free disk space."""

import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import column, func, select, table

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.tables import BOOKS, attachments, tickets

_REVISION = Statement(select(column("version_num")).select_from(table(BOOKS)), across_accounts=True)

_TICKETS = Statement(
    select(func.count()).select_from(tickets).where(in_account(tickets)), across_projects="upkeep"
)

_ATTACHMENTS = Statement(
    select(func.count(), func.coalesce(func.sum(attachments.c.size), 0)).where(in_account(attachments)),
    across_projects="upkeep",
)

_DATABASES = {
    "sqlite": (
        "SQLite",
        "SELECT sqlite_version(), page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    ),
    "postgresql": (
        "PostgreSQL",
        "SELECT current_setting('server_version'), pg_database_size(current_database())",
    ),
}


@dataclass(frozen=True)
class Attached:
    """The number of attached files, and their total size in bytes."""

    count: int
    size: int


def revision(transaction: Transaction) -> str:
    """Return the database's schema revision."""
    return str(transaction.value(_REVISION))


def database(transaction: Transaction) -> tuple[str, str, int]:
    """Return the kind of the database, its version, and its size in bytes."""
    name, text = _DATABASES[transaction.dialect.name]
    ((version, size),) = transaction.sql(text, [])
    return name, str(version), int(size)


def tickets_count(transaction: Transaction) -> int:
    """Return how many tickets the account has."""
    return int(transaction.value(_TICKETS))


def attached(transaction: Transaction) -> Attached:
    """Return the attached files of the account."""
    ((count, size),) = transaction.all(_ATTACHMENTS)
    return Attached(int(count), int(size))


def free(data: Path) -> int | None:
    """Return the free bytes on the disk of a data folder, or None if unknown."""
    with suppress(OSError):
        return shutil.disk_usage(data).free
    return None


def newest_copy(data: Path) -> datetime | None:
    """Return the time of the newest copy of the database made before a migration, or None."""
    timestamps = []
    for path in data.joinpath("backups").glob("before-*.sqlite3"):
        with suppress(OSError):
            timestamps.append(int(path.stat().st_mtime))
    return datetime.fromtimestamp(max(timestamps), UTC) if timestamps else None
