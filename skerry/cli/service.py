"""Setting the service up and running it."""

from contextlib import closing

import click

from skerry.cli.places import email_option, places, ready, settings_now
from skerry.errors import Conflict
from skerry.store import accounts as account_store
from skerry.store import people as people_store
from skerry.store import schema, search_index
from skerry.store.database import Database, Transaction
from skerry.tracker import accounts, secrets
from skerry.tracker.accounts import SignIn


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; one for each two cores by default.")
@click.option("--threads", type=click.IntRange(1, 64), help="Requests that each process reads for at a time.")
@places
def serve(host: str, port: int, workers: int | None, threads: int | None) -> None:
    """Bring the database to the newest schema and answer requests."""
    from skerry import server  # noqa: PLC0415 - the other commands start faster without it

    with ready() as database, database.write() as transaction:
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
    click.echo(f"Open {address}/ in a browser and sign in there, or begin with a program:\n")
    click.echo(f"  curl -u {sign_in.email}:{sign_in.password} {address}/projects.json\n")


@click.command()
@click.option("--account", "account_name", required=True, metavar="NAME")
@email_option
@click.option("--name", required=True)
@click.option("--password", required=True)
@places
def init(account_name: str, email: str, name: str, password: str) -> None:
    """Make the first account and its administrator."""
    settings = settings_now()
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(Database(settings.database)) as database:
        sign_in = _set_up(database, account_name, email, name, password)
    click.echo(f"Made the account {account_name} and its administrator {email}.")
    click.echo(f"Token, shown once: {sign_in.token}")


def _set_up(database: Database, account_name: str, email: str, name: str, password: str) -> SignIn:
    schema.migrate(database)
    with database.write() as transaction:
        if people_store.anybody(transaction):
            raise Conflict("This data folder is set up already")
        found = account_store.listed(transaction)
        account = found[0] if found else accounts.add(transaction, account_name, None)
        account_store.rename(transaction, account.id, account_name)
        transaction.account_id = account.id
        return accounts.make_administrator(transaction, email=email, name=name, password=password)


@click.command()
@places
def migrate() -> None:
    """Bring the database to the newest schema."""
    settings = settings_now()
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(Database(settings.database)) as database:
        done = schema.migrate(database)
    click.echo(f"Migrated: {', '.join(done)}." if done else "The schema is the newest.")


@click.command()
@places
def reindex() -> None:
    """Make the search's words anew from every ticket; the server may run meanwhile."""
    with ready() as database:
        done = search_index.reindex(database)
    click.echo(f"Reindexed {done} tickets.")
