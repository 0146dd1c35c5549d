"""Who may do what: people, members, tokens, accounts."""

import sys

import click

from skerry.cli.places import (
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
from skerry.store import account_logins as account_login_store
from skerry.store import accounts as account_store
from skerry.store import people as people_store
from skerry.store import projects as project_store
from skerry.store import tokens as token_store
from skerry.text.numbers import counted
from skerry.tracker import accounts, logins, passwords, people, secrets

in_one_account = click.option(
    "--account", "account_name", metavar="NAME", help="In this account only; on the whole server without it."
)


@click.group()
@places
def user() -> None:
    """People who can sign in: add, join, list, disable and more."""


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

    Each line has id, role, login and name, separated by tabs, and "disabled" where the login is.
    """
    with looking_at(account_name) as transaction:
        found = people_store.of_account(transaction)
    # Whoever reads the lines page by page keeps nothing open.
    for person in found:
        state = "\tdisabled" if person.disabled else ""
        click.echo(f"{person.id}\t{person.role or 'project'}\t{person.email}\t{person.name}{state}")


@user.command("password")
@email_option
@click.option("--password", help="Asked for, or read from standard input, if it is not given.")
@click.option(
    "--revoke-tokens/--keep-tokens",
    default=None,
    help="Whether their tokens end, too. Asked for at a terminal; otherwise they are kept.",
)
@places
def user_password(email: str, password: str | None, revoke_tokens: bool | None) -> None:
    """Change somebody's password and sign out all of their browsers."""
    with looking_at() as transaction:
        person = people.find(transaction, email)
        valid = token_store.count_everywhere(transaction, person.id)
    if password is None:
        password = click.prompt("New password", hide_input=sys.stdin.isatty(), err=True)
    password_hash = secrets.hash_password(password)
    if valid and revoke_tokens is None and sys.stdin.isatty():
        question = counted("{n} {token|tokens} of theirs {is|are} valid. Revoke {it|them}?", valid)
        revoke_tokens = click.confirm(question, err=True)
    with in_account() as transaction:
        people.change_password(transaction, email, password_hash)
        left = passwords.tokens_left(transaction, person.id, revoke=bool(revoke_tokens))
    click.echo(f"Changed the password of {email}.")
    if left:
        sentence = "{n} {token|tokens} of theirs {is|are} still valid; --revoke-tokens ends {it|them}, too."
        click.echo(counted(sentence, left))
    elif valid:
        click.echo(counted("Revoked {n} {token|tokens}.", valid))


@user.command("email")
@email_option
@click.option("--new", required=True, help="The e-mail address to sign in with from now on.")
@places
def user_email(email: str, new: str) -> None:
    """Change somebody's login."""
    with in_account() as transaction:
        people.change_email(transaction, email, new)
    click.echo(f"{email} signs in as {new} now.")


@user.command("disable")
@click.argument("email")
@in_one_account
@places
def user_disable(email: str, account_name: str | None) -> None:
    """Disable a login: its password, tokens and sessions stop."""
    with in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if account_name is None:
            logins.disable_everywhere(transaction, person)
        else:
            logins.disable(transaction, person)
    click.echo(f"{email} cannot sign in {_where(account_name)} any more.")


@user.command("enable")
@click.argument("email")
@in_one_account
@places
def user_enable(email: str, account_name: str | None) -> None:
    """Enable a login that was disabled."""
    with in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if account_name is None:
            logins.enable_everywhere(transaction, person)
        else:
            logins.enable(transaction, person)
        kept = account_login_store.disabled_in(transaction, person.id)
        accounts_kept = [each.name for each in account_store.listed(transaction) if each.id in kept]
    click.echo(f"{email} can sign in {_where(account_name)} again.")
    for name in accounts_kept:
        click.echo(f"It stays disabled in the account {name}; --account enables it there.")


def _where(account_name: str | None) -> str:
    return "on this server" if account_name is None else f"in the account {account_name}"


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
