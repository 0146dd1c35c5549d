"""The data folder, the database and the account that a command uses."""

import os
import pwd
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click

from skerry import env_files
from skerry import settings as config
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, NotFound, SerializationFailure
from skerry.files import folder_lock
from skerry.files.blobs import Blobs
from skerry.settings import Settings
from skerry.store import accounts as account_store
from skerry.store import schema
from skerry.store.accounts import StoredAccount
from skerry.store.people.person import StoredPerson
from skerry.text.slugs import leading_number
from skerry.tracker import accounts
from skerry.tracker.auth import service_users
from skerry.tracker.people import people
from skerry.wire.values import MAX_INTEGER

Command = Callable[..., Any]


def _note(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().meta[str(option.name)] = value


COMMON_OPTIONS = (
    click.Option(
        ["--data"],
        metavar="DIR",
        expose_value=False,
        callback=_note,
        help="The data folder; default: SKERRY_DATA, or ./data.",
    ),
    click.Option(
        ["--database"],
        metavar="URL",
        expose_value=False,
        callback=_note,
        help="The database; default: SKERRY_DATABASE_URL, or SQLite in the data folder.",
    ),
    click.Option(
        ["--env-file"],
        metavar="FILE",
        expose_value=False,
        callback=_note,
        help="A file with settings, one NAME=value a line; they override the environment.",
    ),
)
"""The options for the settings, which every command takes in any position."""


class Group(click.Group):
    """A group whose commands all take the common options."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the common options after its own."""
        cmd.params.extend(COMMON_OPTIONS)
        super().add_command(cmd, name)


account_option = click.option(
    "--account", "account_name", metavar="NAME", help="The name of the account; default: the first account."
)
admin_option = click.option(
    "--admin", is_flag=True, help="Make them an administrator, who can see and do everything in the account."
)
email_option = click.option("--email", required=True, help="The login.")
name_option = click.option("--name", required=True, help="The person's name.")
PROJECT = click.IntRange(1, MAX_INTEGER)
project_option = click.option(
    "--project", "project_id", type=PROJECT, required=True, help="The id of the project."
)


def somebody_options(command: Command) -> Command:
    """Add the options that name a person or a service user, whom ``somebody`` finds."""
    login = click.option("--email", expose_value=False, callback=_note, help="The login.")
    program = click.option(
        "--service-user",
        "service_user",
        metavar="ID",
        expose_value=False,
        callback=_note,
        help="Instead of a login: the id of a service user.",
    )
    return login(program(command))


def somebody(transaction: Transaction) -> StoredPerson:
    """Return the person or the service user that the options name; raises NotFound."""
    meta = click.get_current_context().find_root().meta
    if ("email" in meta) == ("service_user" in meta):
        raise click.UsageError("Use either --email or --service-user")
    if "email" in meta:
        return people.find(transaction, meta["email"])
    return service_users.one(transaction, leading_number(meta["service_user"]) or 0)


def password_options(command: Command) -> Command:
    """Add the options for a password, which ``read_password`` reads."""
    given = click.option(
        "--password",
        help="The password, at least 12 characters; everybody on this machine can see it meanwhile. "
        "Default: prompt on a terminal, otherwise read from standard input.",
    )
    from_stdin = click.option(
        "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
    )
    return given(from_stdin(command))


def read_password(given: str | None, *, from_stdin: bool) -> str:
    """Return a password from an option, standard input or a prompt."""
    if given is not None and from_stdin:
        raise click.UsageError("Use either --password or --password-stdin")
    if given is not None:
        return given
    if not from_stdin and sys.stdin.isatty():
        prompted: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return prompted
    try:
        line = sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise click.UsageError("The password on standard input is not UTF-8") from error
    if not line:
        raise click.UsageError("There is no password on standard input; use --password-stdin or --password")
    return line


def settings_now() -> Settings:
    """Return the settings; options override a file, and that the environment, also for the server's workers.

    Raises Conflict if this user should not work in the data folder.
    """
    meta = click.get_current_context().find_root().meta
    if "env_file" in meta:
        os.environ.update(env_files.read(Path(meta["env_file"])))
    if "data" in meta:
        os.environ["SKERRY_DATA"] = str(Path(meta["data"]).absolute())
    if "database" in meta:
        os.environ["SKERRY_DATABASE_URL"] = meta["database"]
    settings = config.load()
    _check_user(settings.data)
    return replace(settings, data=settings.data.absolute())


def _check_user(data: Path) -> None:
    """Raise Conflict for root if the service runs as another user, who could not use root's files."""
    user = folder_lock.user_of(data)
    if os.geteuid() == 0 != user:
        name = _name(user)
        raise Conflict(
            f"The service uses {data} as {name}, who cannot use files created by root; "
            f"run this command as {name}: 'runuser -u {name} -- skerry …'"
        )


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def make_folder(data: Path) -> None:
    """Create the data folder if it does not exist."""
    # Private to the user, because it contains password hashes and private projects.
    data.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def prepared() -> Iterator[Database]:
    """Yield the database, created if necessary, with the newest schema and an account.

    Raises Conflict if the data folder is not writable.
    """
    settings = settings_now()
    make_folder(settings.data)
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise Conflict(f"The data folder {settings.data} is not writable")
    # Fail here rather than in each worker.
    Blobs(settings.data, settings.blobs)
    database = Database(settings.database, durable=settings.durability == "full")
    database.keys = settings.keys
    try:
        schema.migrate(database)
        _make_account(database)
        yield database
    finally:
        database.close()


def _make_account(database: Database) -> None:
    """Create the first account if there is none."""
    # If another process creates it at the same time, this transaction fails, and the account exists.
    with suppress(SerializationFailure), database.write() as transaction:
        accounts.first(transaction)


@contextmanager
def ready() -> Iterator[Database]:
    """Yield the database of an existing installation; raises NotFound if there is none.

    A mistyped folder must not create a new installation.
    """
    check_there(settings_now())
    with prepared() as database:
        yield database


def check_there(settings: Settings) -> None:
    """Raise NotFound if there is no database of SQLite, which would create an empty file for any reader."""
    file = Path(unquote(settings.database.removeprefix("sqlite:///")))
    if settings.is_embedded and not (file.exists() and file.stat().st_size):
        raise NotFound(f"There is no database at {file}; create one with 'skerry serve', or check --data")


@contextmanager
def write_account(name: str | None) -> Iterator[Transaction]:
    """Yield a write transaction for the account with this name, or the first one."""
    with ready() as database, database.write() as transaction:
        transaction.account_id = chosen(transaction, name).id
        # A server must not remove a person while a command adds them to a project.
        account_store.lock(transaction)
        yield transaction


@contextmanager
def read_account(name: str | None) -> Iterator[Transaction]:
    """Yield a read transaction for an account, chosen as above; others can write meanwhile."""
    with ready() as database, database.read() as transaction:
        transaction.account_id = chosen(transaction, name).id
        yield transaction


def chosen(transaction: Transaction, name: str | None) -> StoredAccount:
    """Return the account with this name, or the first one; raises NotFound."""
    accounts = account_store.list_all(transaction)
    if name is None:
        return accounts[0]
    for account in accounts:
        if account.name == name:
            return account
    raise NotFound(f"There is no account called {name}")
