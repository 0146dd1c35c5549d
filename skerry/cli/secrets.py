"""Replace the key that encrypts secrets in the database."""

import click

from skerry.cli.options import Group, ready
from skerry.errors import Conflict
from skerry.sealing.key_ring import SETTING
from skerry.store import sealed_columns
from skerry.text.numbers import counted
from skerry.tracker import secret_keys


@click.group(cls=Group)
def secrets() -> None:
    """Replace the key that encrypts secrets in the database."""


@secrets.command()
def rotate() -> None:
    """Encrypt all secrets with a new key; the server can keep running.

    In the data folder, Skerry makes the new key and removes the old one at the end. In the setting, put a new
    key before the present one first, on all servers, and restart them.
    """
    with ready() as database:
        if warning := secret_keys.missing(database):
            raise Conflict(warning)
        keys = database.keys
        if keys.is_in_file:
            count = secret_keys.rotate_file(database)
            then = f"{keys.file} has the new key; keep a copy of it elsewhere"
        else:
            with database.read() as transaction:
                is_used = sealed_columns.key_ids(transaction) == {keys.ids()[0]}
            count = secret_keys.rotate(database)
            if is_used and not count:
                raise Conflict(
                    f"The first key of {SETTING} is in use already. Put a new one and a comma before it, "
                    "on all servers, and restart them"
                )
            then = f"Leave only the first key in {SETTING} now, on all servers, and restart them"
    click.echo(counted("Encrypted the secrets in {n} {row|rows} with the new key.", count))
    click.echo(f"{then}.")


@secrets.command()
@click.confirmation_option(
    prompt="Hooks are turned off and forges are refused until they get new secrets. Go on?"
)
def reset() -> None:
    """Discard secrets whose key is lost.

    Hooks are turned off, pushes of forges are refused, and addresses for replies by mail get new signatures.
    Codes of apps are removed, and people sign in with a recovery code instead. The owners are told. The key
    of the setting or a new one encrypts from now on.
    """
    with ready() as database:
        try:
            lost = secret_keys.missing(database)
        except Conflict as error:
            lost = str(error)
        if not lost:
            raise Conflict("The key is here, so nothing is lost; 'skerry secrets rotate' renews it")
        hooks, forges, codes = secret_keys.reset(database)
    click.echo(counted("Turned off {n} {hook|hooks}.", hooks))
    click.echo(counted("{n} {forge needs a new secret|forges need new secrets}.", forges))
    if codes:
        click.echo(counted("{n} {person needs|people need} a recovery code to sign in.", codes))
