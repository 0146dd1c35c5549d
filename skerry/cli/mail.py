"""Accept a mail from a mail server that pipes it to a program."""

import os
import sys

import click

from skerry.cli.options import ready, settings_now
from skerry.errors import in_words
from skerry.files.blobs import Blobs
from skerry.mail.incoming.delivery import Deliverer
from skerry.mail.incoming.parsing import MAX_SIZE


@click.command()
@click.option(
    "--to", "recipients", multiple=True, help="A recipient on the envelope; default: those in the header."
)
@click.option("--from", "return_path", help="The sender on the envelope; empty for a bounce.")
def mail(recipients: tuple[str, ...], return_path: str | None) -> None:
    """Process a mail from standard input, as mail servers pipe it.

    The mail comments on a ticket or opens one. Mail servers understand the exit code: 0 if the mail was
    accepted, 67 if no recipient address accepts mail, 77 if the mail was refused, and 75 if the server should
    try again later.
    """
    raw = sys.stdin.buffer.read(MAX_SIZE + 1)
    try:
        settings = settings_now()
        with ready() as database:
            database.mail = settings.mail
            deliverer = Deliverer(database, Blobs(settings.data, settings.blobs), settings)
            results = deliverer.deliver(raw, recipients, return_path)
            bounces = deliverer.bounces(results)
    except Exception as error:  # noqa: BLE001 - after any error the mail server must keep the mail
        click.echo(f"skerry: {in_words(error)}", err=True)
        sys.exit(os.EX_TEMPFAIL)
    for result in results:
        where = f" {result.project_id}/{result.number}" if result.number else f": {result.reason}"
        click.echo(f"{result.result}{where}")
    if bounces is not None:
        click.echo(f"skerry: {bounces}", err=True)
        sys.exit(os.EX_NOPERM if results else os.EX_NOUSER)
