"""Exports of an account, for other programs and other servers, and what is imported from them."""

from pathlib import Path
from typing import IO

import click

from skerry.cli.places import PROJECT, account_option, chosen, places, ready, settings_now
from skerry.errors import Invalid
from skerry.store.blobs import Blobs
from skerry.text.characters import printable
from skerry.text.numbers import counted
from skerry.tracker import exports, imports
from skerry.wire.people_lists import read_people


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@account_option
@places
def export(path: Path, force: bool, account_name: str | None) -> None:
    """Write an account into one archive for other programs.

    It is a .tar.gz of JSON and the attached files, of one moment; the server may run meanwhile. With - as
    FILE it goes to the standard output.
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
    help="Only this project, by its id in the archive; may be given again.",
)
@click.option(
    "--people",
    "people_list",
    type=click.File(encoding="utf-8-sig"),
    help="A CSV file that says whose login is which: id,email[,name].",
)
@click.option("--dry-run", is_flag=True, help="Change nothing, and say what would come.")
@account_option
@places
def import_(
    path: Path,
    project_ids: tuple[int, ...],
    people_list: IO[str] | None,
    dry_run: bool,
    account_name: str | None,
) -> None:
    """Put projects from an archive into an account.

    It takes what export writes, and archives of the hosted service of the same layout. Each project comes
    whole or not at all; one that is here already is left out. The server may run meanwhile. With - as FILE
    it comes from the standard input.
    """
    settings = settings_now()
    logins = read_people(people_list) if people_list else {}
    with ready() as database:
        with database.read() as transaction:
            account = chosen(transaction, account_name)
        asked = imports.Asked(project_ids, logins, only_try=dry_run)
        blobs = Blobs(settings.data, settings.blobs)
        try:
            done = imports.import_(database, blobs, account.id, path, asked)
        except Invalid as error:
            # Names in an archive must not become lines of ours.
            raise Invalid(map(printable, error.sentences)) from error
    if dry_run:
        click.echo("Nothing was changed. Without --dry-run this is what would be said:")
    for sentence in (*done.news, *(f"{each}." for each in done.sentences())):
        click.echo(printable(sentence))
    click.echo(
        f"Imported {counted('{n} {project|projects}', done.projects)}, "
        f"{counted('{n} {ticket|tickets}', done.tickets)} with "
        f"{counted('{n} {version|versions}', done.versions)}, "
        f"{counted('{n} {person|people}', done.users)} and {counted('{n} {file|files}', done.files)}."
    )
