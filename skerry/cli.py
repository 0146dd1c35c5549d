"""The command line."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from skerry import config
from skerry.config import Settings
from skerry.errors import Conflict, Missing, Trouble
from skerry.store import accounts as account_store
from skerry.store import people as people_store
from skerry.store import projects as project_store
from skerry.store import schema
from skerry.store import tokens as token_store
from skerry.store.accounts import Account
from skerry.store.database import Database, Transaction
from skerry.tracker import accounts, people, secrets, tokens
from skerry.tracker.accounts import SignIn

Command = Callable[..., Any]


def main() -> None:
    """Run a command; every failure ends with exit code 1 and a sentence on standard error."""
    try:
        commands(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        _fail(error.format_message())
    except click.Abort:
        _fail("Stopped")
    except (Trouble, ValueError, schema.SchemaError, OSError) as error:
        _fail(str(error))


def _fail(sentence: str) -> None:
    click.echo(f"skerry: {sentence}", err=True)
    sys.exit(1)


def _set_data(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().meta["data"] = value


def _set_database(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().meta["database"] = value


def _places(command: Command) -> Command:
    """Every command takes the data folder and the database, before its name or after it."""
    data = click.option(
        "--data", metavar="DIR", expose_value=False, callback=_set_data, help="The data folder (SKERRY_DATA)."
    )
    database = click.option(
        "--database",
        metavar="URL",
        expose_value=False,
        callback=_set_database,
        help="The database (SKERRY_DATABASE_URL); SQLite in the data folder without it.",
    )
    return data(database(command))


_account = click.option(
    "--account", "account_name", metavar="NAME", help="Which account, if there are several."
)
_email = click.option("--email", required=True)
_project = click.option("--project", "project_id", type=int, required=True, help="The project's number.")


def _settings() -> Settings:
    """Give the settings; what stands on the command line wins, and the server's workers see it too."""
    meta = click.get_current_context().find_root().meta
    if "data" in meta:
        os.environ["SKERRY_DATA"] = str(Path(meta["data"]).absolute())
    if "database" in meta:
        os.environ["SKERRY_DATABASE_URL"] = meta["database"]
    settings = config.load()
    return replace(settings, data=settings.data.absolute())


@contextmanager
def _ready() -> Iterator[Database]:
    """Give the database, brought to the newest schema and with an account in it."""
    settings = _settings()
    settings.data.mkdir(parents=True, exist_ok=True)
    database = Database(settings.database)
    try:
        schema.migrate(database)
        with database.write() as transaction:
            accounts.first(transaction)
        yield database
    finally:
        database.close()


@contextmanager
def _in_account(name: str | None = None) -> Iterator[Transaction]:
    """Give a transaction that changes one account: the one named, else the first."""
    with _ready() as database, database.write() as transaction:
        transaction.account_id = _chosen(transaction, name).id
        yield transaction


def _chosen(transaction: Transaction, name: str | None) -> Account:
    found = account_store.listed(transaction)
    if name is None:
        return found[0]
    for account in found:
        if account.name == name:
            return account
    raise Missing(f"There is no account called {name}")


@click.group(name="skerry", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skerry")
@_places
def commands() -> None:
    """Skerry, a self-hosted issue tracker."""


@commands.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; one for each two cores by default.")
@click.option("--threads", type=click.IntRange(1, 64), help="Threads of each process that answer requests.")
@_places
def serve(host: str, port: int, workers: int | None, threads: int | None) -> None:
    """Bring the database to the newest schema and answer requests."""
    from skerry import server  # noqa: PLC0415 - the other commands start faster without it

    with _ready() as database, database.write() as transaction:
        transaction.account_id = account_store.listed(transaction)[0].id
        sign_in = _first_administrator(transaction)
    if sign_in:
        _show(sign_in, f"http://{host}:{port}")
    server.become(host=host, port=port, workers=workers, threads=threads)


def _first_administrator(transaction: Transaction) -> SignIn | None:
    if people_store.anybody(transaction):
        return None
    return accounts.make_administrator(
        transaction, email="admin@localhost", name="Administrator", password=secrets.new_password()
    )


def _show(sign_in: SignIn, address: str) -> None:
    click.echo("Made an account and its administrator. This is shown once; keep it:\n")
    click.echo(f"  login     {sign_in.email}")
    click.echo(f"  password  {sign_in.password}")
    click.echo(f"  token     {sign_in.token}\n")
    click.echo(f"  curl -u {sign_in.email}:{sign_in.password} {address}/projects.json\n")


@commands.command()
@click.option("--account", "account_name", required=True, metavar="NAME")
@_email
@click.option("--name", required=True)
@click.option("--password", required=True)
@_places
def init(account_name: str, email: str, name: str, password: str) -> None:
    """Make the first account and its administrator."""
    settings = _settings()
    settings.data.mkdir(parents=True, exist_ok=True)
    database = Database(settings.database)
    schema.migrate(database)
    with database.write() as transaction:
        if people_store.anybody(transaction):
            raise Conflict("This data folder is set up already")
        found = account_store.listed(transaction)
        account = found[0] if found else accounts.add(transaction, account_name, None)
        account_store.rename(transaction, account.id, account_name)
        transaction.account_id = account.id
        sign_in = accounts.make_administrator(transaction, email=email, name=name, password=password)
    click.echo(f"Made the account {account_name} and its administrator {email}.")
    click.echo(f"Token, shown once: {sign_in.token}")


@commands.group()
def user() -> None:
    """People who can sign in."""


@user.command("add")
@_email
@click.option("--name", required=True)
@click.option("--password", required=True)
@click.option("--admin", is_flag=True, help="Sees and does everything in the account.")
@_account
@_places
def user_add(email: str, name: str, password: str, admin: bool, account_name: str | None) -> None:
    """Add somebody to the account."""
    role = "administrator" if admin else "member"
    with _in_account(account_name) as transaction:
        user_id = people.add(transaction, email=email, name=name, password=password, role=role)
    click.echo(f"Added {email} as user {user_id}, {role} of the account.")


@user.command("list")
@_account
@_places
def user_list(account_name: str | None) -> None:
    """List the people of the account: id, role, login and name, separated by tabs."""
    with _in_account(account_name) as transaction:
        for person in people_store.of_account(transaction):
            click.echo(f"{person.id}\t{person.role or 'project'}\t{person.email}\t{person.name}")


@user.command("password")
@_email
@click.option("--password", help="Asked for, or read from standard input, if it is not given.")
@_places
def user_password(email: str, password: str | None) -> None:
    """Change somebody's password."""
    with _in_account() as transaction:
        people.find(transaction, email)
    if password is None:
        password = click.prompt("New password", hide_input=sys.stdin.isatty(), err=True)
    with _in_account() as transaction:
        people.change_password(transaction, email, password)
    click.echo(f"Changed the password of {email}.")


@commands.group()
def member() -> None:
    """Members of projects."""


@member.command("add")
@_project
@_email
@_account
@_places
def member_add(project_id: int, email: str, account_name: str | None) -> None:
    """Make somebody a member of a project."""
    with _in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if project_store.one(transaction, project_id, None) is None:
            raise Missing(f"There is no project {project_id}")
        news = people_store.join_project(transaction, project_id, person.id)
    click.echo(f"{email} is {'now' if news else 'already'} a member of project {project_id}.")


@member.command("remove")
@_project
@_email
@_account
@_places
def member_remove(project_id: int, email: str, account_name: str | None) -> None:
    """End somebody's membership in a project."""
    with _in_account(account_name) as transaction:
        person = people.find(transaction, email)
        if not people_store.leave_project(transaction, project_id, person.id):
            raise Missing(f"{email} is not a member of project {project_id}")
    click.echo(f"{email} is no longer a member of project {project_id}.")


@commands.group()
def token() -> None:
    """Tokens that open the account, or one project of it."""


@token.command("add")
@_email
@click.option("--project", "project_id", type=int, help="Open this project only.")
@click.option("--read-only", is_flag=True, help="Let nothing be changed with it.")
@click.option("--note", default="", help="What it is for.")
@_account
@_places
def token_add(
    email: str, project_id: int | None, read_only: bool, note: str, account_name: str | None
) -> None:
    """Make a token in somebody's name and print it; it is not shown again."""
    with _in_account(account_name) as transaction:
        owner = people.find(transaction, email)
        made = tokens.add(transaction, owner, project_id=project_id, read_only=read_only, note=note)
    click.echo(made)


@token.command("list")
@_account
@_places
def token_list(account_name: str | None) -> None:
    """List the tokens: id, owner's id, scope, rights, state and note, separated by tabs."""
    with _in_account(account_name) as transaction:
        for kept in token_store.listed(transaction):
            scope = f"project {kept.project_id}" if kept.project_id else "account"
            rights = "read-only" if kept.read_only else "full"
            state = "revoked" if kept.revoked_at else "valid"
            click.echo(f"{kept.id}\t{kept.user_id}\t{scope}\t{rights}\t{state}\t{kept.note}")


@token.command("revoke")
@click.argument("which", metavar="TOKEN-OR-ID")
@_account
@_places
def token_revoke(which: str, account_name: str | None) -> None:
    """End a token at once, named by its value or by its id."""
    with _in_account(account_name) as transaction:
        tokens.revoke(transaction, which)
    click.echo("The token is revoked.")


@commands.group()
def account() -> None:
    """Accounts: the tenants of this server."""


@account.command("add")
@click.argument("name")
@click.option("--host", required=True, help="The host name under which the account is reached.")
@_places
def account_add(name: str, host: str) -> None:
    """Make another account."""
    with _ready() as database, database.write() as transaction:
        if any(account.name == name for account in account_store.listed(transaction)):
            raise Conflict(f"There is an account called {name} already")
        made = accounts.add(transaction, name, host)
    click.echo(f"Made account {made.id}, {name}, at {made.host}.")


@account.command("list")
@_places
def account_list() -> None:
    """List the accounts: id, host and name, separated by tabs."""
    with _ready() as database, database.read() as transaction:
        for found in account_store.listed(transaction):
            click.echo(f"{found.id}\t{found.host or '*'}\t{found.name}")


@commands.command()
@_places
def migrate() -> None:
    """Bring the database to the newest schema."""
    settings = _settings()
    settings.data.mkdir(parents=True, exist_ok=True)
    done = schema.migrate(Database(settings.database))
    click.echo(f"Migrated: {', '.join(done)}." if done else "The schema is the newest.")


@commands.command()
@_places
def check() -> None:
    """Check the settings, the database, the schema and the folders."""
    settings = _settings()
    click.echo("settings: good")
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise Missing(f"The data folder {settings.data} is not there or cannot be written to")
    click.echo(f"data folder: {settings.data} can be written to")
    database = Database(settings.database)
    missing = schema.pending(database)
    click.echo("database: answers")
    if missing:
        raise Conflict(f"The database lacks the migrations {', '.join(missing)}; run 'skerry migrate'")
    click.echo("schema: the newest")
