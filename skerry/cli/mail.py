"""Take a mail from a mail server that hands it to a program."""

import os
import sys

import click

from skerry.cli.options import common_options, ready, settings_now
from skerry.errors import SkerryError
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.parsing import LARGEST
from skerry.resources.incoming_mails import IncomingMailResult
from skerry.store.engine.schema import SchemaError
from skerry.store.files.blobs import Blobs
from skerry.tracker.mail.incoming import NOWHERE, REFUSED


@click.command()
@click.option(
    "--to", "recipients", multiple=True, help="A recipient on the envelope; else those in the header."
)
@click.option("--from", "return_path", help="The sender on the envelope; empty for a bounce.")
@common_options
def mail(recipients: tuple[str, ...], return_path: str | None) -> None:
    """Read a mail from standard input, and comment on a ticket or open one.

    The exit code is one that mail servers understand: 0 if the mail was taken, 67 if no address in it takes
    mail, 77 if it was refused, and 75 if it should be tried again later.
    """
    raw = sys.stdin.buffer.read(LARGEST + 1)
    try:
        settings = settings_now()
        with ready() as database:
            blobs = Blobs(settings.data, settings.blobs)
            results = Deliverer(database, blobs, settings).deliver(raw, recipients, return_path)
    except (SkerryError, SchemaError, ValueError, OSError) as error:
        # Whatever is wrong here is to be put right by an administrator, while the mail server keeps the mail.
        click.echo(f"skerry: {error}", err=True)
        sys.exit(os.EX_TEMPFAIL)
    sys.exit(_told(results))


def _told(results: list[IncomingMailResult]) -> int:
    """Print what became of a mail, and return the exit code."""
    if not results:
        click.echo(f"skerry: {NOWHERE}", err=True)
        return os.EX_NOUSER
    for result in results:
        where = f" {result.project_id}/{result.number}" if result.number else f": {result.reason}"
        click.echo(f"{result.result}{where}")
    refused = [result for result in results if result.result == REFUSED and not result.answered]
    return os.EX_NOPERM if len(refused) == len(results) else 0
