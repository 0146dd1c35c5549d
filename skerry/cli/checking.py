"""Check an installation."""

import os
from collections.abc import Iterator
from contextlib import closing

import click

from skerry.cli.options import common_options, settings_now
from skerry.errors import Conflict, NotFound, Unavailable
from skerry.mail import smtp
from skerry.mail.incoming import imap
from skerry.settings import Settings
from skerry.store.counts.recount import recount
from skerry.store.engine import schema
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs
from skerry.store.sending import backlogs
from skerry.text.numbers import counted


@click.command()
@click.option("--deep", is_flag=True, help="Also verify all stored data.")
@common_options
def check(deep: bool) -> None:
    """Check the settings, the database and the files.

    Prints an error and exits with code 1 if anything is wrong.
    """
    settings = settings_now()
    click.echo("settings: ok")
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise NotFound(f"The data folder {settings.data} does not exist or is not writable")
    click.echo(f"data folder: {settings.data} is writable")
    blobs = Blobs(settings.data, settings.blobs)
    _check_files(blobs)
    _check_mail(settings)
    _print_mail_in(settings)
    with closing(Database(settings.database)) as database:
        _check_schema(database)
        _print_backlog(database)
        if deep:
            compare(database, blobs)


def _check_files(blobs: Blobs) -> None:
    try:
        blobs.check()
    except Unavailable as error:
        raise NotFound(str(error)) from error
    click.echo(f"files: {blobs.place} is writable")


def _check_mail(settings: Settings) -> None:
    """Connect to the mail server as the sender does, without sending anything."""
    if settings.mail is None:
        click.echo("mail: off")
        return
    server = settings.mail.server
    try:
        with smtp.connect(server):
            pass
    except smtp.ServerDown as error:
        raise Conflict(
            f"The mail server {server.host}:{server.port} does not accept mails: {error}"
        ) from error
    click.echo(f"mail: {server.host}:{server.port} accepts mails")
    if not settings.base_url:
        click.echo("mail: only accounts with a base address send mails, because SKERRY_BASE_URL is not set")


def _print_mail_in(settings: Settings) -> None:
    """Print where mail arrives and which server verifies senders; try to read the mailbox."""
    if settings.mailbox:
        try:
            with imap.connect(settings.mailbox, only_look=True) as connection:
                connection.waiting()
        except imap.MailboxDown as error:
            raise Conflict(f"Mails cannot be fetched from {settings.mailbox.place}: {error}") from error
        click.echo(f"mail in: {settings.mailbox.place} can be read")
    if not settings.mail_host:
        click.echo("mail in: off, because SKERRY_MAIL_HOST is not set")
        return
    way = "through a pipe or POST /mail"
    if settings.mail_in:
        way = f"from {settings.mailbox.place}" if settings.mailbox else f"by LMTP at {settings.lmtp}"
    trusted = settings.mail_authserv or "nobody"
    click.echo(f"mail in: for {settings.mail_host} {way}; {trusted} is trusted to verify senders")


def _check_schema(database: Database) -> None:
    missing = schema.pending(database)
    click.echo("database: ok")
    if missing:
        lacks = counted("The database lacks the {migration|migrations}", len(missing))
        raise Conflict(f"{lacks} {', '.join(missing)}; run 'skerry migrate'")
    click.echo("schema: up to date")


def _print_backlog(database: Database) -> None:
    """Print the backlog, if there is any; it does not count as an error."""
    with database.read() as transaction:
        found = backlogs.total(transaction)
    for sentence, count in (
        ("events: {n} {is|are} not read yet", sum(found.readers.values())),
        ("hooks: {n} {event waits|events wait}", found.hook_events),
        ("hooks: {n} {is|are} failing", found.hooks["failing"]),
        ("hooks: {n} {is|are} off", found.hooks["off"]),
        ("mail: {n} {mail waits|mails wait}", found.mails["waiting"]),
        ("mail: {n} {mail was|mails were} refused", found.mails["refused"]),
        ("sending: paused in {n} {account|accounts}", found.paused),
    ):
        if count:
            click.echo(counted(sentence, count))


def compare(database: Database, blobs: Blobs) -> None:
    """Verify all stored data and print the result of each check; raise Conflict if there are differences."""
    total = 0
    for compared in recount(database, blobs):
        found = 0
        for sentence in _readable(compared.differences):
            click.echo(f"  {sentence}")
            found += 1
        click.echo(f"{compared.title}: {f'differences: {found}' if found else 'ok'}")
        total += found
    if total:
        raise Conflict(f"The check found differences: {total}")


def _readable(differences: Iterator[str]) -> Iterator[str]:
    """Yield the messages of a check; an error in it counts as a difference."""
    try:
        yield from differences
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # SQLite stores a text in an integer column if someone puts it there by hand.
        yield f"Some data cannot be read: {error}"
