"""The database that is measured, made for one run and gone after it."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.data import Maker, fill_index
from bench.operations import WRITTEN_PROJECT
from skerry.store import projects, tokens
from skerry.store.database import Database
from skerry.tracker.secrets import hash_token, new_token


@dataclass(frozen=True)
class Sample:
    """A filled database, a member's token, and how many tickets the project has that is written to."""

    url: str
    token: str
    tickets_to_change: int


@contextmanager
def database_url(folder: Path, given: str, *, throw_away: bool) -> Iterator[str]:
    """Give the address of an empty database: SQLite, or PostgreSQL on a given server or one of our own."""
    if not (given or throw_away):
        yield f"sqlite:///{folder / 'skerry.sqlite3'}"
        return
    from tests import postgres  # noqa: PLC0415 - it needs the driver

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


def filled(url: str, count: int) -> Sample:
    """Make the data: so many tickets, searchable."""
    with closing(Database(url)) as database:
        maker = Maker(database, count, seed=1)
        maker.make()
        fill_index(database, maker.account_id)
        token = new_token()
        with database.write(maker.account_id) as transaction:
            person = maker.users[1]
            tokens.add(transaction, person, hash_token(token), project_id=None, read_only=False, note="")
            tickets = projects.tickets_count(transaction, [WRITTEN_PROJECT])
        _settle(database)
    return Sample(url, token, tickets)


def _settle(database: Database) -> None:
    """Let PostgreSQL do now what it would do by itself within a minute, while we measure."""
    if database.engine.dialect.name == "postgresql":
        connection = database.engine.raw_connection()
        connection.cursor().execute("VACUUM ANALYZE")
        connection.close()
