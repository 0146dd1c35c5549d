"""Back up and restore."""

from contextlib import closing
from pathlib import Path

import click

from skerry.cli.checking import compare
from skerry.cli.options import common_options, settings_now
from skerry.database.database import Database
from skerry.errors import NotFound
from skerry.files.blobs import Blobs
from skerry.store.transfer import backup as backup_store
from skerry.store.transfer import restore as restore_store
from skerry.text.numbers import counted


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@common_options
def backup(path: Path, force: bool) -> None:
    """Back up everything to one file; the server can keep running.

    Use - as FILE to write to standard output.
    """
    settings = settings_now()
    if not settings.data.is_dir():
        raise NotFound(f"There is no data folder {settings.data}")
    blobs = Blobs(settings.data, settings.blobs)
    with closing(Database(settings.database)) as database:
        report = backup_store.backup(database, blobs, path, overwrite=force)
    for sentence in report.lost:
        click.echo(sentence, err=True)
    rows, files = counted("{n} {row|rows}", report.rows), counted("{n} {file|files}", report.files)
    click.echo(f"Backed up {rows} and {files} to {path}.", err=str(path) == "-")


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace all existing data.")
@common_options
def restore(path: Path, force: bool) -> None:
    """Restore a backup to an empty data folder and database.

    Runs the deep check at the end.
    """
    settings = settings_now()
    blobs = Blobs(settings.data, settings.blobs)
    with closing(Database(settings.database, blobs=blobs)) as database:
        about = restore_store.restore(path, database, blobs, settings.data, force=force)
        click.echo(f"Restored the backup made at {about.made_at} by {about.program}.")
        click.echo("Nothing is sent until you run 'skerry sending resume' or an administrator resumes it.")
        compare(database, blobs)
