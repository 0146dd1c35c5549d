"""Reset second factors."""

import click

from skerry.cli.options import account_option, write_account
from skerry.tracker.auth import factors
from skerry.tracker.context import Context
from skerry.tracker.people import people


@click.command("reset-factors")
@click.argument("email")
@account_option
def reset(email: str, account_name: str | None) -> None:
    """Remove the second factors and linked providers of somebody.

    This is for people who have lost them. Their browsers are signed out, and their password is enough to sign
    in to the account until they set up another factor.
    """
    with write_account(account_name) as transaction:
        factors.reset(Context(transaction, via="cli"), people.find(transaction, email))
    click.echo(f"{email} can sign in with the password alone.")
