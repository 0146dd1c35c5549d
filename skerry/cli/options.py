"""The data folder, the database and the account that a command uses."""

import os
import pwd
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click

from skerry import settings as config
from skerry.errors import Conflict, NotFound, SerializationFailure
from skerry.settings import Settings
from skerry.store import accounts as account_store
from skerry.store.accounts import Account
from skerry.store.engine import schema
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.store.files import folder_lock
from skerry.store.files.blobs import Blobs
from skerry.store.ticket_rows import texts
from skerry.text.numbers import counted
from skerry.tracker import accounts
from skerry.wire.values import MAX_SIZE

Command = Callable[..., Any]


def _note(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().meta[str(option.name)] = value


def common_options(command: Command) -> Command:
    """Add the options for the data folder and the database, which every command takes in any position."""
    data = click.option(
        "--data",
        metavar="DIR",
        expose_value=False,
        callback=_note,
        help="The data folder; default: SKERRY_DATA, or ./data.",
    )
    database = click.option(
        "--database",
        metavar="URL",
        expose_value=False,
        callback=_note,
        help="The database; default: SKERRY_DATABASE_URL, or SQLite in the data folder.",
    )
    return data(database(command))


account_option = click.option(
    "--account",
    "account_name",
    metavar="NAME",
    help="The name of the account; default: the first account.",
)
admin_option = click.option(
    "--admin", is_flag=True, help="Make them an administrator, who can see and do everything in the account."
)
email_option = click.option("--email", required=True, help="The login.")
name_option = click.option("--name", required=True, help="The person's name.")
password_option = click.option("--password", required=True, help="The password, at least 8 characters.")
PROJECT = click.IntRange(1, MAX_SIZE)
project_option = click.option(
    "--project", "project_id", type=PROJECT, required=True, help="The id of the project."
)


def settings_now() -> Settings:
    """Return the settings; options override the environment, also for the server's workers.

    Raises Conflict if this user should not work in the data folder.
    """
    meta = click.get_current_context().find_root().meta
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
    try:
        migrate_and_advise(database)
        _make_account(database)
        yield database
    finally:
        database.close()


def migrate_and_advise(database: Database) -> list[str]:
    """Migrate the database to the newest schema, print remaining steps, and return the migrations."""
    done = schema.migrate(database)
    if texts.RENDERED_SINCE in done:
        advise_rerendering(database)
    return done


def advise_rerendering(database: Database) -> None:
    """Print how to render existing texts again, if there are any."""
    with database.read() as transaction:
        found = texts.count(transaction)
    if found:
        sentence = "Run 'skerry rerender' to update the HTML of the {n} existing {text|texts}"
        click.echo("Texts are rendered differently now: line breaks are kept, and no text is lost.", err=True)
        click.echo(f"{counted(sentence, found)}; the server can keep running.", err=True)


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
    settings = settings_now()
    file = Path(unquote(settings.database.removeprefix("sqlite:///")))
    # SQLite creates an empty file even for a reader.
    if settings.is_embedded and not (file.exists() and file.stat().st_size):
        raise NotFound(f"There is no database at {file}; create one with 'skerry serve', or check --data")
    with prepared() as database:
        yield database


@contextmanager
def write_account(name: str | None = None) -> Iterator[Transaction]:
    """Yield a write transaction for the account with this name, or the first one."""
    with ready() as database, database.write() as transaction:
        transaction.account_id = chosen(transaction, name).id
        # A server must not remove a person while a command adds them to a project.
        account_store.lock(transaction)
        yield transaction


@contextmanager
def read_account(name: str | None = None) -> Iterator[Transaction]:
    """Yield a read transaction for an account, chosen as above; others can write meanwhile."""
    with ready() as database, database.read() as transaction:
        transaction.account_id = chosen(transaction, name).id
        yield transaction


def chosen(transaction: Transaction, name: str | None) -> Account:
    """Return the account with this name, or the first one; raises NotFound."""
    found = account_store.list_all(transaction)
    if name is None:
        return found[0]
    for account in found:
        if account.name == name:
            return account
    raise NotFound(f"There is no account called {name}")
