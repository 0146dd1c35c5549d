"""PostgreSQL session parameters that others set do not change results."""

import os
from contextlib import closing
from uuid import uuid4

import pytest
from sqlalchemy import NullPool, create_engine, text

from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.store import schema
from tests.database.test_database import NAMES, add, names
from tests.support import migrated_databases, postgres
from tests.support.instances import world_in
from tests.web.searching import found, open_ticket

LIMITS = ("statement_timeout", "idle_in_transaction_session_timeout")


def address_of(database):
    return database.engine.url.render_as_string(hide_password=False)


def set_for_all(url, *settings):
    """Let every new connection to a database have settings."""
    name = url.rpartition("/")[2].partition("?")[0]
    with postgres.connect() as connection:
        for setting in settings:
            connection.exec_driver_sql(f"ALTER DATABASE {name} SET {setting}")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A client, the number of a project, and the address of their database, whose settings are unusual."""
    with migrated_databases.lent("postgres") as url:
        often = ("gin_fuzzy_search_limit = 2", "enable_seqscan = off", "client_encoding = latin1")
        set_for_all(url, *often, "standard_conforming_strings = off", "datestyle = 'German, DMY'")
        world = world_in(tmp_path_factory.mktemp("odd"), url)
        ada = world.people["ada"]
        yield ada, ada.post("/projects", {"project": {"name": "Çatı 🌧"}}).item["id"], url
        world.database.close()


def test_all_tickets_with_a_word_are_found_however_many_a_session_may_find(odd):
    ada, project_id, url = odd
    titles = [f"Tiles {number}" for number in range(40)]
    for title in titles:
        open_ticket(ada, project_id, title)
    # What is new stands beside the index until then, and is found whole.
    with create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE search_documents")
    assert found(ada, project_id, "tiles&limit=100") == titles[::-1]


def test_every_character_is_kept_whatever_encoding_a_session_has(odd):
    ada, project_id, _ = odd
    title = "Łeak – İ 😀 \\x41 'quoted'"
    number = open_ticket(ada, project_id, title)
    assert ada.get(f"/projects/{project_id}/tickets/{number}").item["title"] == title
    assert ada.get(f"/projects/{project_id}").item["name"] == "Çatı 🌧"


def test_every_character_is_kept_whatever_encoding_the_address_names(elsewhere):
    latin = elsewhere.engine.url.update_query_dict({"client_encoding": "latin1"})
    with closing(Database(latin.render_as_string(hide_password=False))) as database:
        add(database, "Łódź")
        assert names(database) == ["Łódź"]
    assert names(elsewhere) == ["Łódź"]


@pytest.mark.parametrize("level", ["serializable", "repeatable read"])
def test_concurrent_writes_of_others_are_no_conflict_at_any_isolation_level(elsewhere, level):
    add(elsewhere, "One")
    set_for_all(address_of(elsewhere), f"default_transaction_isolation = '{level}'")
    rename = Statement(text("UPDATE accounts SET name = name || :more"), across_accounts=True)
    with closing(Database(address_of(elsewhere))) as here, closing(Database(address_of(elsewhere))) as there:
        with here.write() as transaction:
            transaction.all(NAMES)
            with there.write() as other:
                other.run(rename, more=" there")
            assert transaction.all(NAMES) == [("One there",)]
            transaction.run(rename, more=" here")
        with schema.changing(here) as connection:
            found_before = connection.exec_driver_sql("SELECT name FROM accounts").scalar()
            with there.write() as other:
                other.run(rename, more=" again")
            found_then = connection.exec_driver_sql("SELECT name FROM accounts").scalar()
    assert (found_before, found_then) == ("One there here", "One there here again")


def test_backslashes_in_texts_stand_for_themselves_in_every_session(elsewhere):
    set_for_all(address_of(elsewhere), "standard_conforming_strings = off")
    asked = r"SELECT 'a\b', current_setting('standard_conforming_strings')"
    with closing(Database(address_of(elsewhere))) as database:
        with database.write() as transaction:
            assert transaction.sql(asked, []) == [(r"a\b", "on")]
        with schema.changing(database) as connection:
            assert connection.exec_driver_sql(asked).all() == [(r"a\b", "on")]


def test_commands_and_migrations_have_no_time_limit(elsewhere):
    set_for_all(address_of(elsewhere), *(f"{limit} = '2min'" for limit in LIMITS))
    with closing(Database(address_of(elsewhere))) as command:
        with schema.changing(command) as connection:
            assert [connection.exec_driver_sql(f"SHOW {limit}").scalar() for limit in LIMITS] == ["0", "0"]
        with command.write() as transaction:
            assert [shown(transaction, limit) for limit in LIMITS] == ["0", "0"]
    with closing(Database(address_of(elsewhere), read_seconds=20)) as server:
        with server.write() as transaction:
            assert [shown(transaction, limit) for limit in LIMITS] == ["2min", "2min"]
        with server.read() as transaction:
            assert [shown(transaction, limit) for limit in LIMITS] == ["20s", "2min"]


def shown(transaction, setting):
    return transaction.value(Statement(text(f"SHOW {setting}"), across_accounts=True))


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_without_all_characters_is_refused_with_a_sentence(elsewhere, encoding):
    name = f"{os.environ[postgres.PREFIX]}{uuid4().hex[:12]}"
    with postgres.connect() as connection:
        connection.exec_driver_sql(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'"
        )
    url = elsewhere.engine.url.set(database=name).render_as_string(hide_password=False)
    refusal = f"^Skerry needs a database with .* UTF8, .* has {encoding}; .*createdb --encoding=UTF8"
    with closing(Database(url)) as narrow, pytest.raises(schema.SchemaError, match=refusal):
        schema.migrate(narrow)
