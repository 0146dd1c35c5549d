"""Who may do what: people, members, tokens, accounts."""

import sys
from datetime import UTC, datetime

import click

from skerry.cli.places import (
    PROJECT,
    account_option,
    admin_option,
    email_option,
    in_account,
    looking_at,
    name_option,
    password_option,
    places,
    project_option,
    ready,
)
from skerry.errors import Conflict, Missing
from skerry.store import accounts as account_store
from skerry.store import people as people_store
from skerry.store import projects as project_store
from skerry.store import tokens as token_store
from skerry.tracker import accounts, people, secrets, tokens

End = tuple[datetime | None, int | None]
"""The end of something: a moment, or so many days from now, or neither."""


@click.group()
@places
def user() -> None:
    """People who can sign in: add, join, list, email, password."""


@user.command("add")
@email_option
@name_option
@password_option
@admin_option
@account_option
@places
def user_add(email: str, name: str, password: str, admin: bool, account_name: str | None) -> None:
    """Add a person to the account, with a login and a password."""
    role = "administrator" if admin else "member"
    password_hash = secrets.hash_password(password)
    with in_account(account_name) as transaction:
        user_id = people.add(transaction, email=email, name=name, password_hash=password_hash, role=role)
    click.echo(f"Added {email} as user {user_id}, {role} of the account.")


@user.command("join")
@email_option
@admin_option
@account_option
@places
def user_join(email: str, admin: bool, account_name: str | None) -> None:
    """Let a person into the account who has a login already."""
    role = "administrator" if admin else "member"
    with in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if person.role:
            raise Conflict(f"{email} belongs to the account already")
        people_store.join_account(transaction, person.id, role)
    click.echo(f"{email} is {role} of the account now.")


@user.command("list")
@account_option
@places
def user_list(account_name: str | None) -> None:
    """List the people of the account.

    Each line has id, role, login and name, separated by tabs.
    """
    with looking_at(account_name) as transaction:
        found = people_store.of_account(transaction)
    # Whoever reads the lines page by page keeps nothing open.
    for person in found:
        click.echo(f"{person.id}\t{person.role or 'project'}\t{person.email}\t{person.name}")


@user.command("password")
@email_option
@click.option("--password", help="Asked for, or read from standard input, if it is not given.")
@places
def user_password(email: str, password: str | None) -> None:
    """Change somebody's password."""
    with looking_at() as transaction:
        people.find(transaction, email)
    if password is None:
        password = click.prompt("New password", hide_input=sys.stdin.isatty(), err=True)
    password_hash = secrets.hash_password(password)
    with in_account() as transaction:
        people.change_password(transaction, email, password_hash)
    click.echo(f"Changed the password of {email}.")


@user.command("email")
@email_option
@click.option("--new", required=True, help="The e-mail address to sign in with from now on.")
@places
def user_email(email: str, new: str) -> None:
    """Change somebody's login."""
    with in_account() as transaction:
        people.change_email(transaction, email, new)
    click.echo(f"{email} signs in as {new} now.")


@click.group()
@places
def member() -> None:
    """Who works in a project: add, remove."""


@member.command("add")
@project_option
@email_option
@account_option
@places
def member_add(project_id: int, email: str, account_name: str | None) -> None:
    """Make a person a member of a project."""
    with in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if project_store.one(transaction, project_id) is None:
            raise Missing(f"There is no project {project_id}")
        news = people_store.join_project(transaction, project_id, person.id)
    click.echo(f"{email} is {'now' if news else 'already'} a member of project {project_id}.")


@member.command("remove")
@project_option
@email_option
@account_option
@places
def member_remove(project_id: int, email: str, account_name: str | None) -> None:
    """End somebody's membership in a project."""
    with in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if not people_store.leave_project(transaction, project_id, person.id):
            raise Missing(f"{email} is not a member of project {project_id}")
    click.echo(f"{email} is no longer a member of project {project_id}.")


def _end(_context: click.Context, _option: click.Parameter, value: str | None) -> End:
    if value is None:
        return None, None
    if value.isdecimal():
        return None, int(value)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter("It must be a date such as 2027-01-31, or a number of days") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), None


@click.group()
@places
def token() -> None:
    """Tokens for scripts: add, list, revoke."""


@token.command("add")
@email_option
@click.option("--project", "project_id", type=PROJECT, help="A token for this project only.")
@click.option("--read-only", is_flag=True, help="A token that can change nothing.")
@click.option("--note", default="", help="What it is for.")
@click.option(
    "--expires",
    metavar="DATE|DAYS",
    callback=_end,
    help="Until when it is valid: the beginning of a day (2027-01-31, in UTC), or so many days from now.",
)
@account_option
@places
def token_add(
    email: str,
    project_id: int | None,
    read_only: bool,
    note: str,
    expires: End,
    account_name: str | None,
) -> None:
    """Make a token and print it; it is not shown again."""
    with in_account(account_name) as transaction:
        made = tokens.add(
            transaction,
            people.find(transaction, email),
            project_id=project_id,
            read_only=read_only,
            note=note,
            expires_at=tokens.end_of(transaction, *expires),
        )
    try:
        click.echo(made)
    except OSError:
        # Nobody has seen it, and nobody should wonder later whose it is.
        with in_account(account_name) as transaction:
            tokens.revoke(transaction, made)
        raise


@token.command("list")
@account_option
@places
def token_list(account_name: str | None) -> None:
    """List the tokens of the account.

    Each line has id, owner's id, scope, rights, state and note, separated by tabs.
    """
    with looking_at(account_name) as transaction:
        found, now = token_store.listed(transaction), transaction.now
    for kept in found:
        scope = f"project {kept.project_id}" if kept.project_id else "account"
        rights = "read-only" if kept.read_only else "full"
        click.echo(f"{kept.id}\t{kept.user_id}\t{scope}\t{rights}\t{kept.state(now)}\t{kept.note}")


@token.command("revoke")
@click.argument("which", metavar="TOKEN-OR-ID")
@account_option
@places
def token_revoke(which: str, account_name: str | None) -> None:
    """Revoke a token at once, by its value or its id."""
    with in_account(account_name) as transaction:
        tokens.revoke(transaction, which)
    click.echo("The token is revoked.")


@click.group()
@places
def account() -> None:
    """Accounts, the tenants of this server: add, list."""


@account.command("add")
@click.argument("name")
@click.option("--host", required=True, help="The host name under which the account is reached.")
@places
def account_add(name: str, host: str) -> None:
    """Make another account."""
    with ready() as database, database.write() as transaction:
        made = accounts.add(transaction, name, host)
    click.echo(f"Made account {made.id}, {name}, at {made.host}.")


@account.command("list")
@places
def account_list() -> None:
    """List the accounts.

    Each line has id, host and name, separated by tabs.
    """
    with ready() as database, database.read() as transaction:
        listed = account_store.listed(transaction)
    for found in listed:
        click.echo(f"{found.id}\t{found.host or '*'}\t{found.name}")
