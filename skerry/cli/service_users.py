"""Manage service users: programs with tokens and without a login."""

import click

from skerry.cli.options import Group, account_option, admin_option, name_option, read_account, write_account
from skerry.tracker.auth import service_users
from skerry.tracker.context import Context, Params


@click.group("service-user", cls=Group)
def service_user() -> None:
    """Manage programs that have tokens and no login: add, list."""


@service_user.command("add")
@name_option
@admin_option
@account_option
def service_user_add(name: str, admin: bool, account_name: str | None) -> None:
    """Add a service user and print its id.

    The commands 'token add' and 'member add' take it.
    """
    role = "administrator" if admin else "member"
    with write_account(account_name) as transaction:
        user_id = service_users.add(Context(transaction, via="cli"), name, role)
    click.echo(f"Added {name} as service user {user_id}, {role} of the account.")


@service_user.command("list")
@account_option
def service_user_list(account_name: str | None) -> None:
    """List the service users of the account.

    Each line has id, role, number of tokens and name, separated by tabs, and "disabled".
    """
    with read_account(account_name) as transaction:
        users = service_users.list_all(Context(transaction), Params()).records
    for each in users:
        state = "\tdisabled" * each.disabled
        click.echo(f"{each.id}\t{each.role or 'project'}\t{each.tokens_count}\t{each.name}{state}")
