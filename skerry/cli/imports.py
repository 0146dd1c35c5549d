"""Import projects from archives, and from other trackers."""

from functools import wraps
from pathlib import Path
from typing import IO, Any

import click

from skerry.cli.options import PROJECT, Command, account_option, chosen, ready, settings_now
from skerry.cli.progress import Progress
from skerry.errors import Invalid
from skerry.files.blobs import Blobs
from skerry.text.characters import printable, replace_invalid
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.transfer import imports
from skerry.transfer.importing.planning import Options
from skerry.transfer.sources import registry
from skerry.transfer.sources.columns import Mapped, read_mapping
from skerry.transfer.sources.moving import as_archive
from skerry.transfer.sources.records import SourceOptions
from skerry.wire.people_lists import read_people
from skerry.wire.values import is_url

_ARCHIVE = "lighthouse"


def source_options(command: Command) -> Command:
    """Add the options that say something about a source, which the command takes as ``said``."""

    @click.option("--name", default="", help="The name of the project, for a source with a single one.")
    @click.option(
        "--columns",
        "mapping",
        type=click.File("rb"),
        help="A file that says what the columns of a table mean, one 'column = field' a line.",
    )
    @click.option(
        "--markup",
        type=click.Choice(["textile", "markdown"]),
        help="The markup of the texts of Redmine; default: guessed from them.",
    )
    @click.option("--address", default="", help="The address of Redmine, if its answers do not have it.")
    @wraps(command)
    def packed(name: str, mapping: IO[bytes] | None, markup: str | None, address: str, **others: Any) -> None:
        columns = read_mapping(mapping.read()) if mapping else Mapped()
        if address and not is_url(address):
            raise Invalid("The address of Redmine must begin with http:// or https://")
        command(said=SourceOptions(replace_invalid(name), columns, markup or "", address), **others)

    return packed


@click.command("import")
@click.argument("path", metavar="SOURCE", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--from",
    "kind",
    type=click.Choice([*registry.SOURCES, _ARCHIVE]),
    default=_ARCHIVE,
    help="The tracker that SOURCE comes from; default: an archive of Skerry or Lighthouse.",
)
@source_options
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
    help="A list with the login of each person, as spreadsheets save it: id,email[,name]. With --from, the id"
    " is what the tracker calls the person.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing and print what would be imported.")
@account_option
def import_(
    path: Path,
    kind: str,
    said: SourceOptions,
    project_ids: tuple[int, ...],
    people_list: IO[bytes] | None,
    dry_run: bool,
    account_name: str | None,
) -> None:
    """Import projects from an archive or another tracker.

    SOURCE is an archive written by export or the hosted service with the same layout, or with --from the
    file that another tracker exports, or a folder of its answers. Each project is imported completely or
    not at all; existing projects are skipped. The server can keep running. Use - as SOURCE to read an
    archive from standard input.
    """
    settings = settings_now()
    # People do not know the ids that a source gets on the way.
    with_ids = kind == _ARCHIVE
    logins = read_people(people_list.read(), by_key=not with_ids) if people_list else {}
    with ready() as database:
        with database.read() as transaction:
            account = chosen(transaction, account_name)
        progress = Progress()
        options = Options(project_ids, logins, dry_run, with_ids, progress)
        blobs = Blobs(settings.data, settings.blobs)
        try:
            source = "" if with_ids else kind
            with as_archive(source, path, blobs.data, said, progress) as (files, report):
                done = imports.import_unpacked(database, blobs, account.id, files, options)
            if not dry_run:
                with database.write(account.id) as transaction:
                    audit.by_command(transaction, Kind.IMPORT_CREATED, details={"projects": done.projects})
                database.empty_log()
        except Invalid as error:
            # Names in an archive must not break the lines of the output.
            raise Invalid(map(printable, error.sentences)) from error
        finally:
            progress.end()
    if dry_run:
        click.echo("Nothing was changed. Without --dry-run, the import would print:")
    for line in (*report.lines(), *done.lines(), f"Imported {done.counts}"):
        click.echo(line)
