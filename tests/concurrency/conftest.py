"""Two servers that share only a PostgreSQL and a bucket."""

import io
from functools import partial

import pytest
from sqlalchemy import make_url

from skerry import app
from skerry.settings import Settings
from skerry.store.auth import passkeys
from skerry.store.auth.passkeys import NewPasskey
from skerry.web.log import Log
from tests.concurrency.meanwhile import meanwhile_at, password
from tests.conftest import World, build_world
from tests.support import migrated_databases, postgres

A_MINUTE = 30
"""How many requests each server lets through in a minute."""


@pytest.fixture(scope="module")
def servers(tmp_path_factory, bucket):
    """Both servers, which the tests of a file share."""
    url = migrated_databases.on_postgres()
    with postgres.connect() as connection:
        # Rows are read as they lie, as those of large projects are.
        for scan in ("indexscan", "bitmapscan"):
            connection.exec_driver_sql(f"ALTER DATABASE {make_url(url).database} SET enable_{scan} TO off")
    common = {"database_url": url, "blobs": bucket, "requests_per_minute": A_MINUTE}
    folder = tmp_path_factory.mktemp("servers")
    first, second = (
        app.build(Settings(data=folder / name, **common), Log(stream=io.StringIO())) for name in ("1", "2")
    )
    with first, second:
        yield first, second


@pytest.fixture
def pair(servers):
    """Ada at both, in an account of this test."""
    world = build_world(servers[0], None)
    other = World(servers[1], None, world.account_id, world.host, "json")
    ada = world.people["ada"]
    ada.world = world
    return ada, other.client(**ada.headers)


@pytest.fixture
def meanwhile(pair, monkeypatch):
    """Return what lets somebody do something at one server in the middle of something at the other."""
    database = pair[0].world.instance.database.engine.url.database
    return partial(meanwhile_at, database, monkeypatch)


@pytest.fixture
def furnished(pair):
    """Both, in person, with a project that has one of everything."""
    ada, elsewhere = pair
    ada.post("/projects", {"project": {"name": "Roof"}})
    for name, kind in (("milestones", "milestone"), ("messages", "message"), ("tickets", "ticket")):
        ada.post(f"/projects/1/{name}", {kind: {"title": "Leak"}})
    ada.post("/projects/1/hooks", {"hook": {"url": "https://hooks.example/skerry"}})
    with ada.world.write() as transaction:
        passkeys.add(transaction, ada.user_id, "Phone", NewPasskey("", "", 0, "", backed_up=False))
    return password(ada), password(elsewhere)
