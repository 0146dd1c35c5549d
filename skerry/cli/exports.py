"""Exports of an account, for other programs and other servers."""

from pathlib import Path

import click

from skerry.cli.places import account_option, chosen, places, ready, settings_now
from skerry.store.blobs import Blobs
from skerry.tracker import exports


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
        f"Exported {done.projects} projects, {done.tickets} tickets, {done.users} people "
        f"and {done.files} files to {path}.",
        err=str(path) == "-",
    )
