"""The files of a SQLite database, and of one that is being rebuilt to take its place.

Workers use this module, so it must not import the migrations, which need much memory.
"""

from pathlib import Path

from skerry.database.database import Database

# The files that SQLite keeps beside a database; those of an old database would corrupt a new one.
_BESIDE = ("-wal", "-shm", "-journal")
_OF_PART = ("", "-writer", *_BESIDE)


def path(database: Database) -> Path | None:
    """Return the file of a database, or None if it is on a server."""
    url = database.engine.url
    # The target of a link is replaced, not the link.
    return Path(url.database).resolve() if url.get_backend_name() == "sqlite" and url.database else None


def part_of(path: Path) -> Path:
    """Return the path of the file that a new database is written to."""
    return path.with_name(f"{path.name}.part")


def forget_part(database: Database) -> None:
    """Remove the unfinished file of a killed process, unless another process is writing one."""
    file = path(database)
    if file is not None:
        remove_part(part_of(file))


def remove_part(part: Path) -> None:
    """Remove an unfinished file, if any."""
    _remove(part, *_OF_PART)


def remove_beside(path: Path) -> None:
    """Remove the files that SQLite keeps beside a database."""
    _remove(path, *_BESIDE)


def _remove(path: Path, *endings: str) -> None:
    for ending in endings:
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
