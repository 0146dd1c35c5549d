"""Manage accounts."""

import click

from skerry.cli.options import Group, account_option, ready, write_account
from skerry.errors import Conflict
from skerry.store import accounts as account_store
from skerry.store.people import single_sign_on
from skerry.tracker import accounts
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind


@click.group(cls=Group)
def account() -> None:
    """Manage the accounts (tenants) of this server."""


@account.command("add")
@click.argument("name")
@click.option("--host", required=True, help="The host name of the account.")
def account_add(name: str, host: str) -> None:
    """Create an account."""
    with ready() as database, database.write() as transaction:
        made = accounts.add(transaction, name, host)
        transaction.account_id = made.id
        audit.by_command(transaction, Kind.ACCOUNT_CREATED, made.id)
    click.echo(f"Created account {made.id}, {name}, at {made.host}.")


@account.command("list")
def account_list() -> None:
    """List the accounts.

    Each line has id, host and name, separated by tabs.
    """
    with ready() as database, database.read() as transaction:
        listed = account_store.list_all(transaction)
    for account in listed:
        click.echo(f"{account.id}\t{account.host or '*'}\t{account.name}")


@account.command("renew-mail-addresses")
@account_option
def account_renew_mail_addresses(account_name: str | None) -> None:
    """Sign the addresses in mails with a new secret.

    Addresses signed with the current secret work until you run this command again.
    """
    with write_account(account_name) as transaction:
        account_store.renew_mail_secret(transaction)
        audit.by_command(transaction, Kind.MAIL_ADDRESSES_RENEWED)
    click.echo("New mails have new addresses. Earlier addresses work until you run this command again.")


@account.command("allow-passwords")
@account_option
def account_allow_passwords(account_name: str | None) -> None:
    """Let members sign in with passwords again.

    The account no longer requires single sign-on. This is the way back in if no provider works.
    """
    with write_account(account_name) as transaction:
        if not single_sign_on.is_demanded(transaction):
            raise Conflict("Members of this account can sign in with passwords already")
        single_sign_on.demand(transaction, demanded=False)
        details = {"single_sign_on": [True, False]}
        audit.by_command(transaction, Kind.ACCOUNT_UPDATED, transaction.account_id, details=details)
        name = account_store.name_of(transaction)
    click.echo(f"Members of {name} can sign in with passwords again.")
