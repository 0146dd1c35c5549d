"""Backups and restores in a database in which there are tables of somebody else, as those of an extension."""

import pytest
from sqlalchemy import NullPool, create_engine, inspect

from skerry.store.engine import schema
from skerry.store.engine.database import Database
from skerry.store.engine.tables import BOOKS
from tests.cli.archives import content, empty_place, names
from tests.support.instances import url_of

FOREIGN = ("spatial_ref_sys", "search_engines")


@pytest.fixture
def shared(tmp_path):
    """The place of an installation that is not there yet, where others have tables."""
    place = empty_place("postgres", tmp_path / "shared")
    with elsewhere(place) as connection:
        for name in FOREIGN:
            connection.exec_driver_sql(f"CREATE TABLE {name} (srid INTEGER PRIMARY KEY)")
            connection.exec_driver_sql(f"INSERT INTO {name} VALUES (4326)")
    return place


def elsewhere(place):
    return create_engine(place[1], poolclass=NullPool).begin()


def test_tables_of_others_are_in_no_backup_and_stay_at_a_restore(shared, small, run, tmp_path):
    for force in ([], ["--force"]):
        run(shared, "restore", small[1], *force)
        run(shared, "backup", tmp_path / "shared.tar", "--force")
        assert content(tmp_path / "shared.tar").keys() == content(small[1]).keys()
    with elsewhere(shared) as connection:
        assert [connection.exec_driver_sql(f"SELECT srid FROM {name}").all() for name in FOREIGN] == [
            [(4326,)],
            [(4326,)],
        ]
    run(empty_place("postgres", tmp_path / "other"), "restore", tmp_path / "shared.tar")
    assert names(shared) == ["Small"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_tables_of_every_schema_are_known(kind, tmp_path):
    url = url_of(kind, tmp_path) or pytest.skip("no PostgreSQL")
    database = Database(url)
    for revision in schema.pending(database):
        with schema.changing(database) as connection:
            schema.upgrade(connection, revision)
        with schema.changing(database) as connection:
            kept = {table.name for table in schema.stored_on(connection)}
            there = set(inspect(connection).get_table_names())
            assert {name for name in there - kept if not name.startswith("search_")} == {BOOKS}
            assert kind == "sqlite" or set(schema.ours(connection)) == there
    database.close()
