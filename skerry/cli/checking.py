"""Saying whether everything is as it should be."""

import os
from collections.abc import Iterator
from contextlib import closing

import click

from skerry.cli.places import places, settings_now
from skerry.errors import Conflict, Missing, Unavailable
from skerry.store import schema
from skerry.store.blobs import Blobs
from skerry.store.database import Database
from skerry.store.recount import recount
from skerry.text.numbers import counted


@click.command()
@click.option("--deep", is_flag=True, help="Also recount everything that is kept, and compare.")
@places
def check(deep: bool) -> None:
    """Check the settings, the database and the files.

    Ends with exit code 1 and a sentence if anything is wrong.
    """
    settings = settings_now()
    click.echo("settings: good")
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise Missing(f"The data folder {settings.data} is not there or cannot be written to")
    click.echo(f"data folder: {settings.data} can be written to")
    blobs = Blobs(settings.data, settings.blobs)
    _check_files(blobs)
    with closing(Database(settings.database)) as database:
        _check_schema(database)
        if deep:
            compare(database, blobs)


def _check_files(blobs: Blobs) -> None:
    try:
        blobs.check()
    except Unavailable as error:
        raise Missing(str(error)) from error
    click.echo(f"files: can be kept at {blobs.place}")


def _check_schema(database: Database) -> None:
    missing = schema.pending(database)
    click.echo("database: answers")
    if missing:
        lacks = counted("The database lacks the {migration|migrations}", len(missing))
        raise Conflict(f"{lacks} {', '.join(missing)}; run 'skerry migrate'")
    click.echo("schema: the newest")


def compare(database: Database, blobs: Blobs) -> None:
    """Recount everything and print what was compared; raises Conflict if there is any difference."""
    total = 0
    for compared in recount(database, blobs):
        found = 0
        for sentence in _readable(compared.differences):
            click.echo(f"  {sentence}")
            found += 1
        click.echo(f"{compared.title}: {f'differences: {found}' if found else 'good'}")
        total += found
    if total:
        raise Conflict(f"The check found differences: {total}")


def _readable(differences: Iterator[str]) -> Iterator[str]:
    """Give the sentences of a check; that it stumbled over something is a difference too."""
    try:
        yield from differences
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # SQLite keeps a text where a number belongs, if whoever changes the file by hand says so.
        yield f"There is something that cannot be read: {error}"
