"""Verify, export and follow the log of security events."""

import json
from collections.abc import Iterator
from contextlib import suppress
from time import sleep

import click

from skerry.cli.options import Group, account_option, chosen, ready, settings_now, write_account
from skerry.database.database import Database
from skerry.errors import Conflict
from skerry.store import accounts as account_store
from skerry.store import audit as store
from skerry.text.numbers import counted
from skerry.tracker.audit import audit as log
from skerry.tracker.audit import chain
from skerry.tracker.audit.audit import Kind
from skerry.tracker.audit.chain import Verdict
from skerry.tracker.people import people

SECONDS = 1
"""How long ``follow`` pauses after it printed what was new."""

after_option = click.option(
    "--after", type=click.IntRange(0), metavar="NUMBER", help="Only entries after this number."
)


def _anchors(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[int, str]:
    """Return the hashes of entries by number, as they were kept somewhere else."""
    found = {}
    for value in values:
        number, _, kept = value.partition(":")
        if not (number.isdecimal() and number.isascii() and kept):
            raise click.BadParameter("Must be a number and a hash, such as 120:9f86d0…")
        found[int(number)] = kept.strip().lower()
    return found


@click.group(cls=Group)
def audit() -> None:
    """Verify, export and follow the log of security events."""


@audit.command()
@click.option("--account", "account_name", metavar="NAME", help="Only this account; default: all.")
@click.option(
    "--anchor",
    "anchors",
    metavar="NUMBER:HASH",
    multiple=True,
    callback=_anchors,
    help="An entry and its hash that you kept; needs --account if there are several. Can be repeated.",
)
def verify(account_name: str | None, anchors: dict[int, str]) -> None:
    """Check that no entry was changed, removed or moved.

    Exits with code 1 if something was. Keep the last hash somewhere else: whoever can write to the database
    can also compute the whole chain again, which only that hash reveals.
    """
    broken, days = False, settings_now().audit_days
    with ready() as database:
        with database.read() as transaction:
            everything = account_store.list_all(transaction)
            some = [chosen(transaction, account_name)] if account_name else everything
        if anchors and len(some) > 1:
            raise click.UsageError("Name the account of the anchors with --account")
        for account in some:
            with database.read(account.id) as transaction:
                verdict = chain.verify(transaction, days, anchors)
            broken = broken or bool(verdict.problems)
            _print(account.name, verdict)
    if broken:
        raise Conflict("The log of security events is not as it was written")


def _print(name: str, verdict: Verdict) -> None:
    for problem in verdict.problems:
        click.echo(f"{name}: {problem}.")
    if not verdict.problems:
        entries = counted("{n} {entry is|entries are}", max(0, verdict.last - verdict.first + 1))
        click.echo(f"{name}: {entries} as written.")
    if verdict.removed_until == chain.UNKNOWN and not verdict.problems:
        click.echo(
            f"{name}: the log begins with entry {verdict.first}. An earlier version removed the others, "
            "and nothing proves how old they were."
        )
    elif verdict.removed_until and not verdict.problems:
        click.echo(
            f"{name}: the log begins with entry {verdict.first}, after those until {verdict.removed_until}."
        )
    if verdict.hash and not verdict.problems:
        click.echo(f"{name}: the anchor is {verdict.last}:{verdict.hash}")
    if verdict.erased:
        click.echo(f"{name}: {counted('{n} {entry|entries}', verdict.erased)} without what was personal.")
    if verdict.waiting:
        click.echo(f"{name}: {counted('{n} {entry|entries}', verdict.waiting)} not sealed yet.")


@audit.command()
@after_option
@account_option
def export(after: int | None, account_name: str | None) -> None:
    """Print the log as JSON lines, oldest first."""
    with ready() as database:
        with database.write() as transaction:
            transaction.account_id = chosen(transaction, account_name).id
            account_id = transaction.account_id
            log.by_command(transaction, Kind.EXPORT_MADE, details={"log": True})
        chain.seal_new(database, [account_id])
        for line in _lines(database, account_id, after or 0):
            click.echo(line)


@audit.command()
@after_option
@account_option
def follow(after: int | None, account_name: str | None) -> None:
    """Print new entries as JSON lines, until it is stopped."""
    with ready() as database:
        with database.read() as transaction:
            transaction.account_id = account_id = chosen(transaction, account_name).id
            number = store.chain(transaction).number if after is None else after
        with suppress(KeyboardInterrupt):
            _follow(database, account_id, number)


def _follow(database: Database, account_id: int, number: int) -> None:
    while True:
        chain.seal_new(database, [account_id])
        for line in _lines(database, account_id, number):
            click.echo(line)
            number = json.loads(line)["number"]
        sleep(SECONDS)


def _lines(database: Database, account_id: int, after: int) -> Iterator[str]:
    """Yield sealed entries; no transaction stays open while somebody reads them."""
    found = True
    while found:
        with database.read(account_id) as transaction:
            entries = store.after(transaction, after)
        for entry in entries:
            yield json.dumps(chain.whole(account_id, entry), ensure_ascii=False)
            after = entry.number or 0
        found = bool(entries)


@audit.command()
@click.argument("email")
@account_option
def erase(email: str, account_name: str | None) -> None:
    """Erase the names and addresses in what a person did.

    What happened stays, with the id of the person, and the chain stays as it is. This cannot be undone.
    """
    with write_account(account_name) as transaction:
        person = people.find(transaction, email)
        count = chain.erase(transaction, person.id)
    click.echo(f"Erased what was personal in {counted('{n} {entry|entries}', count)}.")
