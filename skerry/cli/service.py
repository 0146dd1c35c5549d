"""Set up and run the service."""

import sys
from contextlib import closing

import click

from skerry.cli.options import (
    email_option,
    make_folder,
    name_option,
    password_options,
    prepared,
    read_password,
    ready,
    settings_now,
)
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import Conflict
from skerry.failures import Failures
from skerry.settings import MAX_THREADS
from skerry.store import accounts as account_store
from skerry.store import rendered_texts as texts
from skerry.store import schema
from skerry.store.auth import identities
from skerry.store.people import people as people_store
from skerry.store.search import index as search_index
from skerry.text.numbers import counted
from skerry.tracker import accounts, secret_keys, secrets
from skerry.tracker.accounts import FirstSignIn
from skerry.tracker.auth import setup_links
from skerry.tracker.texts import rerendering
from skerry.web.log import Log
from skerry.web.metrics import MetricsFiles

_SIGN_IN = """\
Created an account and its administrator. This is shown only once, so keep it:

  login     {sign_in.email}
  password  {sign_in.password}
  token     {sign_in.token}

Open {address}/ in a browser and sign in, or start with a program:

  curl -u {sign_in.email}:{sign_in.password} {address}/projects.json

"""

_LINK = """\
Open this link in a browser to set up the tracker. It works once, for seven days or until the next start:

  {address}/set-up/{code}

"""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port to listen on."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help="The number of worker processes; default: one per processor, at most four.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, MAX_THREADS),
    help="The number of threads in each worker for the database; default: 4.",
)
@click.option(
    "--set-up-page", is_flag=True, help="Print a link to a page that creates the first administrator."
)
def serve(host: str, port: int, workers: int | None, threads: int | None, set_up_page: bool) -> None:
    """Start the server.

    Migrates the database to the newest schema first.
    """
    from skerry import server  # noqa: PLC0415 - other commands start faster without it

    # Nothing is migrated or set up if the server cannot listen.
    with server.listen(host, port) as listening:
        _prepare(server.address(host, port), set_up_page=set_up_page)
        server.become(listening, host=host, workers=workers, threads=threads)


def _prepare(address: str, *, set_up_page: bool) -> None:
    """Migrate the database to the newest schema, and print instructions at the first start."""
    with prepared() as database:
        warning = secret_keys.prepare(database)
        _bind_identities(database)
        _begin(database, address, set_up_page=set_up_page)
        for sentence in filter(None, (warning, schema.warning(database))):
            Log(settings_now().log_format).event("database", warning=sentence)


def _bind_identities(database: Database) -> None:
    """Bind links that were made before their issuers were stored to the issuers in the settings now."""
    with database.read() as transaction:
        waits = not all(each.issuer for each in identities.linked(transaction))
    if waits:
        with database.write() as transaction:
            identities.bind(transaction, {each.name: each.issuer for each in settings_now().providers})


def _begin(database: Database, address: str, *, set_up_page: bool) -> None:
    """Clear what the previous server left, and print instructions at the first start."""
    with database.write() as transaction:
        MetricsFiles(settings_now().data).clear()
        Failures(settings_now().data).clear()
        transaction.account_id = account_store.list_all(transaction)[0].id
        # If several servers start at the same time, only one of them sets anything up.
        account_store.lock(transaction)
        said = _first_words(transaction, settings_now().base_url or address, set_up_page=set_up_page)
        # If printing the password fails, the transaction is rolled back.
        click.echo(said, nl=False)


def _first_words(transaction: Transaction, address: str, *, set_up_page: bool) -> str:
    """Return instructions for the first sign-in; empty if there are people already."""
    if not setup_links.waits(transaction):
        return ""
    if set_up_page:
        return _LINK.format(address=address, code=setup_links.open_link(transaction))
    sign_in = accounts.make_administrator(
        transaction, email="admin@localhost", name="Administrator", password=secrets.new_password()
    )
    return _SIGN_IN.format(address=address, sign_in=sign_in)


@click.command()
@click.option("--account", "account_name", required=True, metavar="NAME", help="The name of the account.")
@email_option
@name_option
@password_options
def init(account_name: str, email: str, name: str, password: str | None, password_stdin: bool) -> None:
    """Create the first account and its administrator."""
    password = read_password(password, from_stdin=password_stdin)
    settings = settings_now()
    make_folder(settings.data)
    with closing(Database(settings.database)) as database:
        database.keys = settings.keys
        sign_in = _set_up(database, account_name, email, name, password)
    click.echo(f"Created the account {account_name} and its administrator {email}.")
    click.echo(f"Token, shown once: {sign_in.token}")


def _set_up(database: Database, account_name: str, email: str, name: str, password: str) -> FirstSignIn:
    accounts.check_name(account_name)
    schema.migrate(database)
    with database.write() as transaction:
        if people_store.anybody(transaction):
            raise Conflict("This data folder is already set up")
        transaction.account_id = accounts.first(transaction).id
        account_store.rename(transaction, account_name)
        return accounts.make_administrator(transaction, email=email, name=name, password=password)


@click.command()
def migrate() -> None:
    """Migrate the database to the newest schema.

    The serve command does this automatically.
    """
    settings = settings_now()
    make_folder(settings.data)
    with closing(Database(settings.database)) as database:
        done = schema.migrate(database)
    click.echo(f"Migrated: {', '.join(done)}." if done else "The schema is up to date.")


@click.command()
def reindex() -> None:
    """Rebuild the search index; the server can keep running."""
    with ready() as database:
        done = search_index.reindex(database)
    click.echo(counted("Reindexed {n} {ticket|tickets}.", done))


@click.command()
def rerender() -> None:
    """Render all texts to HTML again; the server can keep running.

    A new version can render texts differently. You can stop this command at any time and run it again.
    """
    looked_at, changed = 0, 0
    with ready() as database:
        with database.read() as transaction:
            total = texts.count(transaction)
        with click.progressbar(length=total, label="Texts", show_pos=True, file=sys.stderr) as bar:
            for some, of_them in rerendering.rerender(database):
                looked_at, changed = looked_at + some, changed + of_them
                bar.update(some)
    click.echo(counted("Updated the HTML of {n} {text|texts}", changed) + f" of {looked_at}.")
