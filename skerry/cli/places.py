"""Where a command works: the data folder, the database, and one account in it."""

import os
import pwd
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click

from skerry import config
from skerry.config import Settings
from skerry.errors import Collision, Conflict, Missing
from skerry.store import accounts as account_store
from skerry.store import folder_lock, schema, texts
from skerry.store.accounts import Account
from skerry.store.blobs import Blobs
from skerry.store.database import Database
from skerry.store.transactions import Transaction
from skerry.text.numbers import counted
from skerry.tracker import accounts
from skerry.wire.values import LARGEST

Command = Callable[..., Any]


def _note(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().meta[str(option.name)] = value


def places(command: Command) -> Command:
    """Every command takes the data folder and the database, wherever among its words they stand."""
    data = click.option(
        "--data",
        metavar="DIR",
        expose_value=False,
        callback=_note,
        help="The data folder, ./data without it (SKERRY_DATA).",
    )
    database = click.option(
        "--database",
        metavar="URL",
        expose_value=False,
        callback=_note,
        help="The database, SQLite in the data folder without it (SKERRY_DATABASE_URL).",
    )
    return data(database(command))


account_option = click.option(
    "--account",
    "account_name",
    metavar="NAME",
    help="Which account, if there are several; the first without it.",
)
admin_option = click.option(
    "--admin", is_flag=True, help="Make them an administrator, who sees and does everything in the account."
)
email_option = click.option("--email", required=True, help="The login.")
name_option = click.option("--name", required=True, help="The person's name.")
password_option = click.option("--password", required=True, help="The password, of at least 8 characters.")
PROJECT = click.IntRange(1, LARGEST)
project_option = click.option(
    "--project", "project_id", type=PROJECT, required=True, help="The project's number."
)


def settings_now() -> Settings:
    """Give the settings; what stands on the command line wins, and the server's workers see it too.

    Raises Conflict for a user who should not do anything there.
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
    """Raise Conflict for root where the service is somebody else, who could not use what root makes there."""
    user = folder_lock.user_of(data)
    if os.geteuid() == 0 != user:
        name = _name(user)
        raise Conflict(
            f"The service works in {data} as {name}, who could not use what root makes there; "
            f"run this as {name}: 'runuser -u {name} -- skerry …'"
        )


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def make_folder(data: Path) -> None:
    """Make a data folder unless it is there."""
    # What is in it is nobody else's: hashes of passwords, private projects.
    data.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def prepared() -> Iterator[Database]:
    """Give the database, made if need be, brought to the newest schema and with an account in it.

    Raises Conflict if the data folder cannot be written to.
    """
    settings = settings_now()
    make_folder(settings.data)
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise Conflict(f"The data folder {settings.data} cannot be written to")
    # No worker starts with files that cannot be.
    Blobs(settings.data, settings.blobs)
    database = Database(settings.database, durable=settings.durability == "full")
    try:
        migrate_and_advise(database)
        _make_account(database)
        yield database
    finally:
        database.close()


def migrate_and_advise(database: Database) -> list[str]:
    """Bring the database to the newest schema, say what is left to do, and return the migrations it took."""
    done = schema.migrate(database)
    if texts.RENDERED_SINCE in done:
        advise_rerendering(database)
    return done


def advise_rerendering(database: Database) -> None:
    """Say how the texts that are there get the HTML that they would get now, if there are any."""
    with database.read() as transaction:
        found = texts.count(transaction)
    if found:
        sentence = "'skerry rerender' makes that of the {n} {text|texts} that {is|are} here already"
        click.echo("Texts are shown otherwise now: line ends are kept, and nothing is left out.", err=True)
        click.echo(f"{counted(sentence, found)}; the server may run meanwhile.", err=True)


def _make_account(database: Database) -> None:
    """Make the first account unless there is one."""
    # Two that make it at the same moment collide, and then it is there.
    with suppress(Collision), database.write() as transaction:
        accounts.first(transaction)


@contextmanager
def ready() -> Iterator[Database]:
    """Give the database of a tracker that is there already; raises Missing where there is none.

    Whoever names another folder by mistake shall not work in a new tracker that nobody knows.
    """
    settings = settings_now()
    file = Path(unquote(settings.database.removeprefix("sqlite:///")))
    # SQLite makes an empty file for whoever only looks.
    if settings.is_embedded and not (file.exists() and file.stat().st_size):
        raise Missing(f"There is no tracker at {file}; 'skerry serve' makes one, --data names another folder")
    with prepared() as database:
        yield database


@contextmanager
def in_account(name: str | None = None) -> Iterator[Transaction]:
    """Give a transaction that changes one account: the one named, else the first."""
    with ready() as database, database.write() as transaction:
        transaction.account_id = chosen(transaction, name).id
        # Nobody is taken out of it at a server while a command lets them in somewhere.
        account_store.hold(transaction)
        yield transaction


@contextmanager
def looking_at(name: str | None = None) -> Iterator[Transaction]:
    """Give a transaction that only reads one account, chosen as above; others may write meanwhile."""
    with ready() as database, database.read() as transaction:
        transaction.account_id = chosen(transaction, name).id
        yield transaction


def chosen(transaction: Transaction, name: str | None) -> Account:
    """Give the account of a name, the first without one; raises Missing."""
    found = account_store.listed(transaction)
    if name is None:
        return found[0]
    for account in found:
        if account.name == name:
            return account
    raise Missing(f"There is no account called {name}")
