"""Reading from a replica of PostgreSQL: everybody sees what was changed, however late the replica is."""

import io
import socket
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from skerry import app
from skerry.config import SettingError, Settings, load
from skerry.errors import TookTooLong
from skerry.store import projects, schema, search
from skerry.store import replica as replica_store
from skerry.store.statements import Statement
from skerry.tracker import tokens
from skerry.web.log import Log
from tests import own_postgres
from tests.conftest import World, build_world
from tests.programs import PATIENCE, seconds, until
from tests.speaking import call

RECOVERING = Statement(text("SELECT pg_is_in_recovery()"), across_accounts=True)
NOW = "SELECT pg_current_wal_flush_lsn()"
READS = 'skerry_database_transactions_total{kind="replica"}'


@pytest.fixture(scope="module")
def pair():
    """A server and its replica."""
    with own_postgres.running() as primary, primary.replica() as replica:
        yield primary, replica


@pytest.fixture
def servers(pair, tmp_path, monkeypatch):
    """Two of our servers, side by side on one database and its replica, which is left alone by nobody."""
    monkeypatch.setattr(replica_store, "REST_SECONDS", 0)
    urls = {"database_url": pair[0].url, "replica_url": pair[1].url}
    first, second = (
        app.build(Settings(data=tmp_path / name, **urls), Log(stream=io.StringIO())) for name in ("1", "2")
    )
    with first, second:
        schema.migrate(first.database)
        yield first, second


@pytest.fixture
def ada(servers):
    """Ada at the first server, in an account of her own; ``elsewhere`` is Ada at the second."""
    world = build_world(servers[0], None)
    ada = world.people["ada"]
    other = World(servers[1], None, world.account_id, world.host, "json")
    ada.world, ada.elsewhere = world, other.voice(**ada.headers)
    until(lambda: came_from_replica(servers[0], lambda: ada.get("/projects")), "the replica")
    return ada


def replica_reads(house):
    text = call(house.application, "GET", "/metrics").body.decode()
    return float(next(line.split()[-1] for line in text.splitlines() if line.startswith(READS)))


def came_from_replica(house, work):
    before = replica_reads(house)
    work()
    return replica_reads(house) > before


@contextmanager
def paused(replica):
    """Keep a replica where it is."""
    replica.run("SELECT pg_wal_replay_pause()")
    until(lambda: replica.run("SELECT pg_get_wal_replay_pause_state()") == "paused", "the pause")
    try:
        yield
    finally:
        replica.run("SELECT pg_wal_replay_resume()")


@pytest.fixture
def patient(monkeypatch):
    """Whoever reads waits for the replica even on a busy machine, where its word may come late."""
    monkeypatch.setattr(replica_store, "ANSWER_SECONDS", PATIENCE)
    monkeypatch.setattr(replica_store, "PAUSES", (0.01,) * 100 * PATIENCE)


def titles(voice, project):
    return [ticket["title"] for ticket in voice.get(f"/projects/{project}/tickets").items]


def test_what_is_read_comes_from_the_replica(servers, ada):
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak"}})
    until(lambda: came_from_replica(servers[0], lambda: titles(ada, project)), "the replica")
    assert titles(ada, project) == ["Leak"]


def test_everybody_sees_what_was_changed_while_the_replica_is_late(pair, servers, ada):
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    with paused(pair[1]):
        ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak"}})
        for house, voice in zip(servers, (ada, ada.elsewhere), strict=True):
            assert not came_from_replica(house, lambda voice=voice: titles(voice, project))
            assert titles(voice, project) == ["Leak"]
        ada.elsewhere.put(f"/projects/{project}/tickets/1", {"ticket": {"title": "Drip"}})
        assert titles(ada, project) == ["Drip"]
    until(lambda: came_from_replica(servers[1], lambda: titles(ada.elsewhere, project)), "the replica")
    assert titles(ada.elsewhere, project) == ["Drip"]


def test_a_token_that_is_revoked_opens_nothing_while_the_replica_is_late(pair, ada):
    world = ada.world
    token = world.token(ada.user_id)
    with paused(pair[1]):
        with world.write() as transaction:
            tokens.revoke(transaction, token)
        assert world.voice(**{"X-ServiceToken": token}).get("/projects").status == 401


def test_a_replica_that_is_away_is_done_without(pair, servers, ada):
    pair[1].stop("immediate")
    try:
        assert not came_from_replica(servers[0], lambda: ada.get("/projects"))
        assert [ada.get("/projects").status for _ in range(20)] == [200] * 20
    finally:
        pair[1].start()
    until(lambda: came_from_replica(servers[0], lambda: ada.get("/projects")), "the replica")


def test_a_replica_that_stands_still_is_hardly_waited_for(pair, servers, ada):
    with pair[1].frozen():
        # Each waits for a tenth of a second; without a limit the first one would for ever.
        assert seconds(lambda: [ada.get("/projects") for _ in range(10)]) < PATIENCE / 3
        assert ada.get("/projects").status == 200
    until(lambda: came_from_replica(servers[0], lambda: ada.get("/projects")), "the replica")


@pytest.mark.usefixtures("patient")
def test_what_a_replica_was_asked_before_it_stood_still_is_asked_elsewhere(pair, ada, tmp_path, monkeypatch):
    asked = []

    def look_where_nothing_moves(transaction, *_, **__):
        asked.append(transaction.value(RECOVERING))
        if len(asked) == 1:
            with pair[1].frozen():
                transaction.value(RECOVERING)
        return []

    settings = Settings(
        data=tmp_path / "3", database_url=pair[0].url, replica_url=pair[1].url, read_seconds=1
    )
    with app.build(settings, Log(stream=io.StringIO())) as house:
        voice = World(house, None, ada.world.account_id, ada.world.host, "json").voice(**ada.headers)
        until(lambda: came_from_replica(house, lambda: voice.get("/projects")), "the replica")
        monkeypatch.setattr(projects, "seen", look_where_nothing_moves)
        assert voice.get("/projects").items == []
    assert asked == [True, False]


def test_a_replica_that_is_late_is_left_alone_for_a_while(pair, servers, ada, monkeypatch):
    monkeypatch.setattr(replica_store, "REST_SECONDS", 3600)
    with paused(pair[1]):
        ada.post("/projects", {"project": {"name": "Roof"}})
        ada.get("/projects")
    assert not came_from_replica(servers[0], lambda: ada.get("/projects"))


@pytest.fixture
def mute(pair, tmp_path):
    """A server whose replica takes connections and says nothing until the end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = listening.getsockname()[1]
        at = f"postgresql+psycopg://127.0.0.1:{place}/x?connect_timeout={PATIENCE}"
        settings = Settings(data=tmp_path, database_url=pair[0].url, replica_url=at)
        with app.build(settings, Log(stream=io.StringIO())) as house:
            schema.migrate(house.database)
            yield house
            listening.close()


def test_nobody_waits_for_a_replica_that_takes_connections_and_says_nothing(mute):
    ada = build_world(mute, None).people["ada"]
    assert seconds(lambda: [ada.get("/projects") for _ in range(10)]) < PATIENCE / 3
    assert ada.get("/projects").status == 200


def test_nobody_waits_for_a_connection_to_a_replica(servers, ada):
    pool = servers[0].replica._pool
    taken = [pool.take() for _ in range(servers[0].settings.connections)]
    assert seconds(lambda: ada.get("/projects")) < PATIENCE / 3
    assert not came_from_replica(servers[0], lambda: ada.get("/projects"))
    for connection in taken:
        pool.give_back(connection)
    until(lambda: came_from_replica(servers[0], lambda: ada.get("/projects")), "the replica")


def test_what_is_no_replica_is_never_read_from(pair, tmp_path):
    url = pair[0].url
    with app.build(
        Settings(data=tmp_path, database_url=url, replica_url=url), Log(stream=io.StringIO())
    ) as house:
        schema.migrate(house.database)
        ada = build_world(house, None).people["ada"]
        assert not came_from_replica(house, lambda: ada.get("/projects"))
        assert ada.get("/projects").status == 200


def test_a_replica_of_one_of_several_machines_is_never_read_from(pair, servers, ada, tmp_path):
    one_of_several = f"{pair[1].url}&options=-c%20citus.shard_count%3D32"
    settings = Settings(data=tmp_path / "3", database_url=pair[0].url, replica_url=one_of_several)
    with app.build(settings, Log(stream=io.StringIO())) as house:
        voice = World(house, None, ada.world.account_id, ada.world.host, "json").voice(**ada.headers)
        assert not came_from_replica(house, lambda: voice.get("/projects"))
        assert voice.get("/projects").status == 200


@pytest.mark.usefixtures("patient")
def test_what_takes_too_long_is_not_asked_again_elsewhere(pair, ada, tmp_path, monkeypatch):
    asked = []

    def search_slowly(transaction, *_, **__):
        asked.append(transaction.value(RECOVERING))
        transaction.sql("SELECT pg_sleep(60)", [])

    monkeypatch.setattr(search, "found", search_slowly)
    settings = Settings(
        data=tmp_path / "3", database_url=pair[0].url, replica_url=pair[1].url, read_seconds=1
    )
    with app.build(settings, Log(stream=io.StringIO())) as house:
        voice = World(house, None, ada.world.account_id, ada.world.host, "json").voice(**ada.headers)
        project = voice.post("/projects", {"project": {"name": "Roof"}}).item["id"]
        until(lambda: came_from_replica(house, lambda: titles(voice, project)), "the replica")
        assert voice.get(f"/projects/{project}/tickets?q=leak").errors == [TookTooLong.default]
    assert asked == [True]


@pytest.mark.parametrize("primary", ["", "sqlite:///x"])
def test_a_replica_needs_postgresql(primary):
    with pytest.raises(SettingError, match="SKERRY_REPLICA_URL"):
        load({"SKERRY_REPLICA_URL": "postgresql://host/x", "SKERRY_DATABASE_URL": primary})


@contextmanager
def reading_from(url, pair, tmp_path):
    """Ada at a server of ours that has been told to read from there."""
    settings = Settings(data=tmp_path / "3", database_url=pair[0].url, replica_url=url)
    with app.build(settings, Log(stream=io.StringIO())) as house:
        schema.migrate(house.database)
        yield house, build_world(house, None).people["ada"]


def test_another_database_of_the_replica_is_not_read(pair, tmp_path):
    pair[0].database("elsewhere")
    until(lambda: pair[1].run("SELECT count(*) FROM pg_database WHERE datname = 'elsewhere'"), "the copy")
    url = pair[1].url.replace("/postgres?", "/elsewhere?")
    with reading_from(url, pair, tmp_path) as (house, ada):
        assert not came_from_replica(house, lambda: [ada.get("/projects") for _ in range(5)])
        assert ada.get("/projects").status == 200


def test_a_replica_of_another_server_is_not_read_however_far_it_has_come(pair, tmp_path):
    with own_postgres.running() as other:
        while other.run(f"SELECT pg_current_wal_flush_lsn() < '{pair[0].run(NOW)}'::pg_lsn + 100000000"):
            other.run("CREATE TABLE IF NOT EXISTS filler (x integer)")
            other.run("INSERT INTO filler VALUES (1)")
            other.run("SELECT pg_switch_wal()")
        with other.replica() as replica, reading_from(replica.url, pair, tmp_path) as (house, ada):
            assert not came_from_replica(house, lambda: [ada.get("/projects") for _ in range(5)])
            assert ada.get("/projects").status == 200


def test_what_was_a_replica_once_is_not_read_any_more(pair, tmp_path):
    with pair[0].replica(2) as former, reading_from(former.url, pair, tmp_path) as (house, ada):
        until(lambda: came_from_replica(house, lambda: ada.get("/projects")), "the replica")
        former.run("SELECT pg_promote()")
        assert not came_from_replica(house, lambda: [ada.get("/projects") for _ in range(5)])
