"""Export accounts."""

from pathlib import Path

import click

from skerry.cli.options import account_option, chosen, ready, settings_now
from skerry.files.blobs import Blobs
from skerry.text.numbers import counted
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.transfer import exports


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@account_option
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
        with database.write(account.id) as transaction:
            details = {"projects": done.projects, "tickets": done.tickets}
            audit.by_command(transaction, Kind.EXPORT_MADE, details=details)
    for sentence in done.lost:
        click.echo(sentence, err=True)
    click.echo(
        f"Exported {counted('{n} {project|projects}', done.projects)}, "
        f"{counted('{n} {ticket|tickets}', done.tickets)}, {counted('{n} {person|people}', done.users)} "
        f"and {counted('{n} {file|files}', done.files)} to {path}.",
        err=str(path) == "-",
    )
