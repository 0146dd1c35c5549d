"""Manage people, members and accounts."""

import sys
from typing import IO

import click

from skerry.cli import factors
from skerry.cli.options import (
    Group,
    account_option,
    admin_option,
    email_option,
    name_option,
    password_options,
    project_option,
    read_account,
    read_password,
    somebody,
    somebody_options,
    write_account,
)
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, NotFound
from skerry.store import accounts as account_store
from skerry.store import projects as project_store
from skerry.store.auth import account_logins as account_login_store
from skerry.store.auth import tokens as token_store
from skerry.store.people import people as people_store
from skerry.text.numbers import counted
from skerry.tracker import secrets
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import logins, passwords
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people, placeholders
from skerry.wire import exports as names
from skerry.wire.people_lists import read_people

in_one_account = click.option(
    "--account", "account_name", metavar="NAME", help="Only in this account; default: on the whole server."
)


@click.group(cls=Group)
def user() -> None:
    """Manage people who can sign in: add, list, disable and more."""


user.add_command(factors.reset)


@user.command("add")
@email_option
@name_option
@password_options
@admin_option
@account_option
def user_add(
    email: str, name: str, password: str | None, password_stdin: bool, admin: bool, account_name: str | None
) -> None:
    """Add a person with a login and a password to the account."""
    role = "administrator" if admin else "member"
    given = read_password(password, from_stdin=password_stdin)
    password_hash = secrets.hash_password(given, (email, name))
    with write_account(account_name) as transaction:
        user_id = people.add(transaction, email=email, name=name, password_hash=password_hash, role=role)
        _record(transaction, Type.PERSON_ADDED, user_id)
    click.echo(f"Added {email} as user {user_id}, {role} of the account.")


@user.command("join")
@email_option
@admin_option
@account_option
def user_join(email: str, admin: bool, account_name: str | None) -> None:
    """Add a person who already has a login to the account."""
    role = "administrator" if admin else "member"
    with write_account(account_name) as transaction:
        person = people.find(transaction, email)
        if person.role:
            raise Conflict(f"{email} already belongs to the account")
        people_store.join_account(transaction, person.id, role)
        _record(transaction, Type.PERSON_ADDED, person.id)
    click.echo(f"{email} is now {role} of the account.")


@user.command("list")
@account_option
def user_list(account_name: str | None) -> None:
    """List the people of the account.

    Each line has id, role, login and name, separated by tabs, then "service user" for a program without a
    login, and "disabled".
    """
    with read_account(account_name) as transaction:
        people = people_store.of_account(transaction)
    # No transaction stays open while a pager reads the lines.
    for person in people:
        state = "\tservice user" * person.service + "\tdisabled" * person.disabled
        click.echo(f"{person.id}\t{person.role or 'project'}\t{person.email}\t{person.name}{state}")


@user.command("placeholders")
@account_option
def user_placeholders(account_name: str | None) -> None:
    """List imported people without a login.

    Each line has id, name and source, separated by tabs.
    """
    with read_account(account_name) as transaction:
        waiting = placeholders.list_all(Context(transaction), Params()).records
    for each in waiting:
        click.echo(f"{each.id}\t{each.name}\t{each.source}")


@user.command("assign")
@click.option("--id", "user_id", type=click.IntRange(1), help="The id of the placeholder.")
@click.option("--email", help="The login of the person who gets everything of the placeholder.")
@click.option("--people", "people_list", type=click.File("rb"), help="A list of both: id,email.")
@click.option("--source", default="", help="The ids are those in the archive of this name, such as acme.")
@account_option
def user_assign(
    user_id: int | None,
    email: str | None,
    people_list: IO[bytes] | None,
    source: str,
    account_name: str | None,
) -> None:
    """Assign imported people to people with a login.

    Everything that they wrote, watch and work on is that person's, and later imports of the same archive
    find the person. This cannot be undone.
    """
    if bool(people_list) == bool(user_id or email) or bool(user_id) != bool(email):
        raise click.UsageError("Use either --people, or --id with --email")
    emails = {str(user_id): email or ""}
    if people_list:
        listed = read_people(people_list.read(), by_key=bool(source))
        emails = {
            names.distinct_slug(said) if source else said: address for said, (address, _) in listed.items()
        }
    with write_account(account_name) as transaction:
        given = placeholders.give_several(Context(transaction, via="cli"), emails, source)
    for each in given:
        click.echo(f"{each.source}, {each.name}, is user {each.user_id} now.")


@user.command("password")
@email_option
@password_options
@click.option(
    "--revoke-tokens/--keep-tokens",
    default=None,
    help="Whether to revoke their tokens, too. Default: prompt on a terminal, otherwise keep.",
)
@account_option
def user_password(
    email: str,
    password: str | None,
    password_stdin: bool,
    revoke_tokens: bool | None,
    account_name: str | None,
) -> None:
    """Change a password and end the person's sessions."""
    with read_account(account_name) as transaction:
        person = people.find(transaction, email)
        valid = token_store.count_everywhere(transaction, person.id)
    given = read_password(password, from_stdin=password_stdin)
    password_hash = secrets.hash_password(given, (email, person.name))
    if valid and revoke_tokens is None and sys.stdin.isatty():
        question = counted("They have {n} valid {token|tokens}. Revoke {it|them}?", valid)
        revoke_tokens = click.confirm(question, err=True)
    with write_account(account_name) as transaction:
        people.change_password(transaction, email, password_hash)
        left = passwords.tokens_left(transaction, person.id, revoke=bool(revoke_tokens))
        audit.by_command_everywhere(transaction, Kind.PASSWORD_CHANGED, person.id)
        if revoke_tokens:
            details = {"all": True, "user_id": person.id}
            audit.by_command_everywhere(transaction, Kind.TOKEN_REVOKED, details=details)
    click.echo(f"Changed the password of {email}.")
    if left:
        sentence = "They still have {n} valid {token|tokens}; use --revoke-tokens to revoke {it|them}, too."
        click.echo(counted(sentence, left))
    elif valid:
        click.echo(counted("Revoked {n} {token|tokens}.", valid))


@user.command("email")
@email_option
@click.option("--new", required=True, help="The new e-mail address to sign in with.")
@account_option
def user_email(email: str, new: str, account_name: str | None) -> None:
    """Change a person's login."""
    with write_account(account_name) as transaction:
        person = people.find(transaction, email)
        people.change_email(transaction, email, new)
        audit.by_command_everywhere(transaction, Kind.PERSON_READDRESSED, person.id)
    click.echo(f"{email} now signs in as {new}.")


@user.command("disable")
@click.argument("email")
@in_one_account
def user_disable(email: str, account_name: str | None) -> None:
    """Disable a login: password, tokens and sessions."""
    with write_account(account_name) as transaction:
        person = people.find(transaction, email)
        if account_name is None:
            logins.disable_everywhere(transaction, person)
            audit.by_command_everywhere(transaction, Kind.PERSON_DISABLED, person.id)
        else:
            logins.disable(transaction, person)
            audit.by_command(transaction, Kind.PERSON_DISABLED, person.id)
    click.echo(f"{email} can no longer sign in {_where(account_name)}.")


@user.command("enable")
@click.argument("email")
@in_one_account
def user_enable(email: str, account_name: str | None) -> None:
    """Enable a disabled login."""
    with write_account(account_name) as transaction:
        person = people.find(transaction, email)
        if account_name is None:
            logins.enable_everywhere(transaction, person)
            audit.by_command_everywhere(transaction, Kind.PERSON_ENABLED, person.id)
        else:
            logins.enable(transaction, person)
            audit.by_command(transaction, Kind.PERSON_ENABLED, person.id)
        kept = account_login_store.disabled_in(transaction, person.id)
        accounts_kept = [each.name for each in account_store.list_all(transaction) if each.id in kept]
    click.echo(f"{email} can sign in {_where(account_name)} again.")
    for name in accounts_kept:
        click.echo(f"It stays disabled in the account {name}; use --account to enable it there.")


def _where(account_name: str | None) -> str:
    return "on this server" if account_name is None else f"in the account {account_name}"


@click.group(cls=Group)
def member() -> None:
    """Add and remove members of projects."""


@member.command("add")
@project_option
@somebody_options
@account_option
def member_add(project_id: int, account_name: str | None) -> None:
    """Add a person or a service user to a project."""
    with write_account(account_name) as transaction:
        person = somebody(transaction)
        if project_store.one(transaction, project_id) is None:
            raise NotFound(f"There is no project {project_id}")
        news = people_store.join_project(transaction, project_id, person.id)
        if news:
            _record(transaction, Type.MEMBER_ADDED, person.id, project_id)
    click.echo(f"{person.called} is {'now' if news else 'already'} a member of project {project_id}.")


@member.command("remove")
@project_option
@somebody_options
@account_option
def member_remove(project_id: int, account_name: str | None) -> None:
    """Remove a person or a service user from a project."""
    with write_account(account_name) as transaction:
        person = somebody(transaction)
        if not people_store.leave_project(transaction, project_id, person.id):
            raise NotFound(f"{person.called} is not a member of project {project_id}")
        _record(transaction, Type.MEMBER_REMOVED, person.id, project_id)
    click.echo(f"{person.called} is no longer a member of project {project_id}.")


def _record(transaction: Transaction, kind: Type, user_id: int, project_id: int | None = None) -> None:
    """Record an event without an actor, because no person of the account runs commands."""
    events.record(Context(transaction), kind, user_id, project_id=project_id, via="cli")
