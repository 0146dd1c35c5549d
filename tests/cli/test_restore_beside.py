"""Backups and restores of a database with foreign tables, such as those of an extension."""

import pytest
from sqlalchemy import NullPool, create_engine, event, inspect

from skerry.database.database import Database
from skerry.store import schema
from skerry.store.tables import BOOKS, metadata
from tests.cli.archives import KINDS, content, empty_place, names

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
    run(shared, "backup", tmp_path / "shared.tar")
    assert content(tmp_path / "shared.tar").keys() == content(small[1]).keys()
    assert names(shared) == ["Small"]
    with elsewhere(shared) as connection:
        assert [connection.exec_driver_sql(f"SELECT srid FROM {name}").all() for name in FOREIGN] == [
            [(4326,)],
            [(4326,)],
        ]
        # PostgreSQL knows how much was restored.
        known = "SELECT reltuples FROM pg_class WHERE relname = 'accounts'"
        assert connection.exec_driver_sql(known).scalar() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_tables_of_every_schema_are_known(kind, tmp_path):
    database, met = Database(empty_place(kind, tmp_path)[1]), []

    def look(connection, _cursor, statement, *_more):
        # So Alembic notes what it has applied.
        if statement.startswith(("INSERT INTO alembic_version", "UPDATE alembic_version")):
            met.append(set(inspect(connection).get_table_names()))
            assert kind == "sqlite" or set(schema.ours(connection)) == met[-1]

    missing = schema.pending(database)
    with schema.changing(database) as connection:
        event.listen(connection, "after_cursor_execute", look)
        for name in (missing[0], None):
            schema.upgrade(connection, name)
        assert {each.name for each in schema.stored_on(connection)} == met[-1] & metadata.tables.keys()
    assert len(met) == len(missing)
    for there in met:
        assert {name for name in there - metadata.tables.keys() if not name.startswith("search_")} == {BOOKS}
    database.close()
