"""The database that is measured, made for one run and gone after it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.data import SHARES, Maker, fill_index
from bench.operations import MEMBER, PER_PAGE, READ_PROJECT, WRITTEN_PROJECT
from skerry.database.database import Database
from skerry.store import accounts, projects, schema
from skerry.store.auth import tokens
from skerry.store.people import people
from skerry.tracker.secrets import hash_token, new_token

LATEST = 200
_NOT_OURS = "This is not the sample data"


@dataclass(frozen=True)
class Sample:
    """A filled database and a member's token.

    ``tickets_to_change`` are those of the project that is written to, ``pages`` the full ones of the other,
    up to ``LATEST``.
    """

    url: str
    token: str
    tickets_to_change: int
    pages: int = 1


@contextmanager
def database_url(folder: Path, given: str, *, throw_away: bool) -> Iterator[str]:
    """Return the address of an empty database: SQLite, or PostgreSQL on a given server or one of our own."""
    if not (given or throw_away):
        yield f"sqlite:///{folder / 'skerry.sqlite3'}"
        return
    from tests.support import postgres  # noqa: PLC0415 - it needs the driver

    if given:
        os.environ[postgres.GIVEN] = given
    config: Any = SimpleNamespace(stash={})
    postgres.start(config)
    try:
        url = postgres.url()
        if url is None:
            raise SystemExit(postgres.reason())
        yield url
    finally:
        postgres.stop(config)


def another() -> str:
    """Return the address of one more empty database on the PostgreSQL of ``database_url``."""
    from tests.support import postgres  # noqa: PLC0415 - it needs the driver

    return postgres.fresh()


def filled(url: str, count: int, shares: Sequence[float] = SHARES) -> Sample:
    """Make the data: so many tickets, searchable, in projects of these shares."""
    with closing(Database(url)) as database:
        maker = Maker(database, count, seed=1, shares=shares)
        maker.make()
        fill_index(database, maker.account_id)
        made = _opened(database, maker.account_id)
        _settle(database)
    return made


def kept(url: str) -> Sample:
    """Use data that bench/data.py made before; the schema becomes the present one."""
    with closing(Database(url)) as database:
        schema.migrate(database)
        with database.read() as transaction:
            found = accounts.list_all(transaction)
        if not found:
            raise SystemExit(_NOT_OURS)
        return _opened(database, found[0].id)


def _opened(database: Database, account_id: int) -> Sample:
    token = new_token()
    with database.write(account_id) as transaction:
        person = people.with_email(transaction, MEMBER)
        if person is None:
            raise SystemExit(_NOT_OURS)
        tokens.add(transaction, person.id, hash_token(token), project_id=None, read_only=False, note="")
        tickets = projects.tickets_count(transaction, [WRITTEN_PROJECT])
        pages = projects.tickets_count(transaction, [READ_PROJECT]) // PER_PAGE
    url = database.engine.url.render_as_string(hide_password=False)
    return Sample(url, token, tickets, min(pages, LATEST))


def _settle(database: Database) -> None:
    """Let PostgreSQL do now what it would do by itself within a minute, while we measure."""
    if database.engine.dialect.name == "postgresql":
        connection = database.engine.raw_connection()
        connection.cursor().execute("VACUUM ANALYZE")
        connection.close()
