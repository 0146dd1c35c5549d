"""Export and import accounts."""

from pathlib import Path
from typing import IO

import click

from skerry.cli.options import PROJECT, account_option, chosen, common_options, ready, settings_now
from skerry.cli.progress import Progress
from skerry.errors import Invalid
from skerry.files.blobs import Blobs
from skerry.text.characters import printable
from skerry.text.numbers import counted
from skerry.transfer import exports, imports
from skerry.wire.people_lists import read_people


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@account_option
@common_options
def export(path: Path, force: bool, account_name: str | None) -> None:
    """Export an account to one archive for other programs.

    The archive is a .tar.gz with JSON and the attached files, a snapshot of one point in time. The server
    can keep running. Use - as FILE to write to standard output.
    """
    settings = settings_now()
    with ready() as database:
        with database.read() as transaction:
            account = chosen(transaction, account_name)
        base = settings.base_url or f"http://{account.host or 'localhost'}"
        blobs = Blobs(settings.data, settings.blobs)
        done = exports.export(database, blobs, account.id, path, base=base, overwrite=force)
    for sentence in done.lost:
        click.echo(sentence, err=True)
    click.echo(
        f"Exported {counted('{n} {project|projects}', done.projects)}, "
        f"{counted('{n} {ticket|tickets}', done.tickets)}, {counted('{n} {person|people}', done.users)} "
        f"and {counted('{n} {file|files}', done.files)} to {path}.",
        err=str(path) == "-",
    )


@click.command("import")
@click.argument(
    "path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--project",
    "project_ids",
    type=PROJECT,
    multiple=True,
    help="Import only this project, by its id in the archive; can be repeated.",
)
@click.option(
    "--people",
    "people_list",
    type=click.File("rb"),
    help="A list with the login of each person, as spreadsheets save it: id,email[,name].",
)
@click.option("--dry-run", is_flag=True, help="Change nothing and print what would be imported.")
@account_option
@common_options
def import_(
    path: Path,
    project_ids: tuple[int, ...],
    people_list: IO[bytes] | None,
    dry_run: bool,
    account_name: str | None,
) -> None:
    """Import projects from an archive into an account.

    Reads the archives written by export, and those of the hosted service with the same layout. Each project
    is imported completely or not at all; existing projects are skipped. The server can keep running. Use -
    as FILE to read from standard input.
    """
    settings = settings_now()
    logins = read_people(people_list.read()) if people_list else {}
    with ready() as database:
        with database.read() as transaction:
            account = chosen(transaction, account_name)
        progress = Progress()
        options = imports.Options(project_ids, logins, dry_run=dry_run, progress=progress)
        blobs = Blobs(settings.data, settings.blobs)
        try:
            done = imports.import_(database, blobs, account.id, path, options)
        except Invalid as error:
            # Names in an archive must not break the lines of the output.
            raise Invalid(map(printable, error.sentences)) from error
        finally:
            progress.end()
    if dry_run:
        click.echo("Nothing was changed. Without --dry-run, the import would print:")
    for sentence in (*done.news, *(f"{each}." for each in done.sentences())):
        click.echo(printable(sentence))
    click.echo(
        f"Imported {counted('{n} {project|projects}', done.projects)}, "
        f"{counted('{n} {ticket|tickets}', done.tickets)} with "
        f"{counted('{n} {version|versions}', done.versions)}, "
        f"{counted('{n} {person|people}', done.users)} and {counted('{n} {file|files}', done.files)}."
    )
