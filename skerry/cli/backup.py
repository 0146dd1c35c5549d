"""Back up and restore."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from skerry.cli.checking import compare
from skerry.cli.options import settings_now
from skerry.database.database import Database
from skerry.errors import Conflict, NotFound
from skerry.files.blobs import Blobs
from skerry.setting_values import bucket
from skerry.settings import Settings
from skerry.store import schema
from skerry.store.transfer import backup as backup_store
from skerry.store.transfer import backup_places
from skerry.store.transfer import restore as restore_store
from skerry.store.transfer.backup import BackupReport
from skerry.store.transfer.backup_places import LATEST, BackupBucket, BackupFolder, Place
from skerry.text.numbers import counted
from skerry.tracker import secret_keys
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind

_BUCKET = "s3://"
_FILE = click.Path(exists=True, dir_okay=False)


@click.command()
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option(
    "--to",
    "target",
    metavar="PLACE",
    help="Make a file with the time as its name in a folder or at s3://bucket/prefix, and verify it.",
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="With --to: then remove the oldest backups there, so that N are left.",
)
def backup(path: Path | None, force: bool, target: str | None, keep: int | None) -> None:
    """Back up everything to one file; the server can keep running.

    Use - as FILE to write to standard output.
    """
    if (path is None) == (target is None):
        raise click.UsageError("Name either a FILE, or a place with --to")
    if target is None and keep is not None:
        raise click.UsageError("--keep needs --to")
    if target is not None and force:
        raise click.UsageError("--force needs a FILE; backups with --to have new names")
    settings = settings_now()
    if not settings.data.is_dir():
        raise NotFound(f"There is no data folder {settings.data}")
    blobs = Blobs(settings.data, settings.blobs)
    with closing(Database(settings.database)) as database:
        if path is not None:
            report = backup_store.backup(database, blobs, path, overwrite=force)
            _record(database, Kind.BACKUP_MADE)
            _print(report, str(path))
            return
        place = _place(settings, str(target))
        name, report, removed = backup_places.make(place, database, blobs, keep)
        _record(database, Kind.BACKUP_MADE)
    _print(report, f"{place.called}/{name}")
    if removed:
        click.echo(counted("Removed {n} older {backup|backups}.", removed))


def _record(database: Database, kind: Kind) -> None:
    """Record this in the log of each account, unless the database waits for migrations."""
    if schema.pending(database):
        return
    with database.write() as transaction:
        audit.by_command_everywhere(transaction, kind)


def _print(report: BackupReport, where: str) -> None:
    for sentence in report.lost:
        click.echo(sentence, err=True)
    rows, files = counted("{n} {row|rows}", report.rows), counted("{n} {file|files}", report.files)
    click.echo(f"Backed up {rows} and {files} to {where}.", err=where == "-")
    if report.is_sealed:
        click.echo("It does not hold the key of the secrets in it: keep that elsewhere.", err=where == "-")


def _place(settings: Settings, target: str) -> Place:
    """Return a place of backups; raises ValueError or NotFound if it cannot be one."""
    if "://" not in target:
        return BackupFolder(Path(target))
    return BackupBucket(settings.data, bucket(target, "The backup location"))


@click.command()
@click.argument("target", metavar="PLACE")
@click.option(
    "--max-age",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Exit with code 1 if the newest is older than this.",
)
def backups(target: str, max_age: int | None) -> None:
    """List the backups in a folder or bucket.

    Only those that "skerry backup --to" made count; the oldest is first.
    """
    place = _place(settings_now(), target)
    kept = backup_places.kept(place)
    if not kept:
        raise NotFound(f"There are no backups in {place.called}")
    for each in kept:
        click.echo(
            f"{each.name}  {each.made_at:%Y-%m-%d %H:%M:%S} UTC  {counted('{n} {byte|bytes}', each.size)}"
        )
    if max_age is not None and kept[-1].made_at < datetime.now(UTC) - timedelta(days=max_age):
        raise Conflict(
            f"The newest backup in {place.called} is older than {counted('{n} {day|days}', max_age)}"
        )


@click.command()
@click.argument("source", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace all existing data.")
def restore(source: str, force: bool) -> None:
    """Restore a backup to an empty data folder and database.

    FILE can be in a bucket, s3://bucket/prefix/NAME. With "latest" as its name, the newest of the folder or
    the prefix is restored. Runs the deep check at the end.
    """
    settings = settings_now()
    blobs = Blobs(settings.data, settings.blobs)
    with _fetched(settings, source) as path, closing(Database(settings.database, blobs=blobs)) as database:
        about = restore_store.restore(path, database, blobs, settings.data, force=force)
        _record(database, Kind.BACKUP_RESTORED)
        click.echo(f"Restored the backup made at {about.made_at} by {about.program}.")
        database.keys = settings.keys
        if said := _said_of_key(database):
            click.echo(f"{said}.")
        click.echo("Nothing is sent until you run 'skerry sending resume' or an administrator resumes it.")
        compare(database, blobs)


def _said_of_key(database: Database) -> str:
    """Return a sentence if the key that encrypted the restored secrets is not here, else an empty text."""
    try:
        return secret_keys.missing(database)
    except Conflict as error:
        return str(error)


@contextmanager
def _fetched(settings: Settings, source: str) -> Iterator[Path]:
    """Yield a local file with a backup."""
    where, _, name = source.rpartition("/")
    is_local = not source.startswith(_BUCKET)
    if is_local and (name != LATEST or Path(source).exists()):
        _FILE.convert(source, None, None)
        yield Path(source)
        return
    if not is_local and (not name or where == _BUCKET.rstrip("/")):
        raise click.UsageError(
            f"Name a backup at {source.rstrip('/')}, such as {source.rstrip('/')}/{LATEST}"
        )
    place = _place(settings, where or ("." if is_local and not source.startswith("/") else "/"))
    with place.fetched(backup_places.chosen(place, name)) as path:
        yield path
