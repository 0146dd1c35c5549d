"""Transactions, the schema and its history, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import UniqueConstraint, bindparam, insert, inspect, select

from skerry.errors import Collision, Missing, Unavailable
from skerry.store import accounts, counters, people, schema
from skerry.store import database as databases
from skerry.store import tickets as ticket_store
from skerry.store.database import Database
from skerry.store.statements import Statement
from skerry.store.tables import accounts as account_table
from skerry.store.tables import metadata, users
from tests import postgres

# What belongs to no account: who has a login, the accounts themselves, and what the migrations keep.
OF_THE_SERVICE = {"accounts", "users", "logins", "alembic_version"}

NAMES = Statement(select(account_table.c.name).order_by(account_table.c.id), across_accounts=True)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.sqlite3'}"
    return postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())


@pytest.fixture
def empty(url):
    database = Database(url)
    yield database
    database.close()


@pytest.fixture
def database(empty):
    schema.migrate(empty)
    return empty


@pytest.fixture
def sqlite(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'only.sqlite3'}")
    schema.migrate(database)
    yield database
    database.close()


def names(database):
    with database.read() as transaction:
        return [row[0] for row in transaction.all(NAMES)]


# --- Transactions ----------------------------------------------------------------------------------


def test_what_is_written_is_there_afterwards(database):
    with database.write() as transaction:
        accounts.add(transaction, "One", None)
    assert names(database) == ["One"]


@pytest.mark.parametrize("error", [Missing, ZeroDivisionError, KeyboardInterrupt, GeneratorExit])
def test_after_any_error_nothing_has_changed(database, error):
    def fail():
        with database.write() as transaction:
            accounts.add(transaction, "One", None)
            people.add(transaction, "ada@example.org", "Ada", "hash")
            raise error

    with pytest.raises(error):
        fail()
    assert names(database) == []
    with database.write() as transaction:
        assert accounts.add(transaction, "Two", None).id == 1


def test_a_read_sees_one_moment(database):
    with database.read() as reading:
        assert reading.all(NAMES) == []
        with database.write() as writing:
            accounts.add(writing, "One", None)
        assert reading.all(NAMES) == []
    assert names(database) == ["One"]


def test_two_who_make_the_same_thing_collide_in_words(database):
    def add_twice():
        with database.write() as transaction:
            people.add(transaction, "ada@example.org", "Ada", "hash")
            people.add(transaction, "ADA@example.org", "Ada", "hash")

    with database.write() as transaction:
        accounts.add(transaction, "One", None)
    with pytest.raises(Collision):
        add_twice()
    with database.read() as transaction:
        assert people.login(transaction, "ada@example.org") is None


def test_ids_are_never_given_twice(database):
    with database.write() as transaction:
        account_id = accounts.add(transaction, "One", None).id
    barrier = Barrier(6)

    def take(_number):
        barrier.wait()
        found = []
        for _ in range(10):
            with database.write(account_id) as transaction:
                found.append(counters.next_id(transaction, "projects"))
        return found

    with ThreadPoolExecutor(6) as pool:
        taken = [number for found in pool.map(take, range(6)) for number in found]
    assert sorted(taken) == list(range(1, 61))


def test_a_transaction_has_one_clock(database):
    with database.write() as transaction:
        first = transaction.now
        accounts.add(transaction, "One", None)
        assert transaction.now == first


def test_a_statement_must_name_its_account():
    with pytest.raises(ValueError, match="does not name an account"):
        Statement(select(users.c.id))


def test_a_value_that_is_missing_is_an_error_and_not_null(database):
    with database.read() as transaction, pytest.raises(KeyError):
        transaction.one(
            Statement(select(users.c.id).where(users.c.id == bindparam("user_id")), across_accounts=True)
        )


def test_an_empty_list_of_values_finds_nothing(database):
    wanted = bindparam("wanted", expanding=True)
    statement = Statement(
        select(account_table.c.id).where(account_table.c.id.in_(wanted)), across_accounts=True
    )
    with database.write() as transaction:
        made = accounts.add(transaction, "One", None).id
        assert transaction.all(statement, wanted=[]) == []
        assert transaction.all(statement, wanted=[made, made + 1]) == [(made,)]


def test_foreign_keys_are_kept(database):
    rows = {"account_id": 5, "project_id": 5, "tag": "x", "number": 5}
    statement = Statement(insert(metadata.tables["taggings"]).values(rows), across_accounts=True)
    with pytest.raises(Collision), database.write() as transaction:
        transaction.run(statement, **rows)


# --- When the database is away ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://skerry@127.0.0.1:1/nothing",
        "sqlite:////nowhere/at/all.sqlite3",
        "sqlite:////dev/null/x",
    ],
)
def test_a_database_that_does_not_answer_is_unavailable(address):
    database = Database(address)
    for work in (database.ping, lambda: database.write().__enter__()):
        with pytest.raises(Unavailable):
            work()
    database.close()


def test_a_file_that_is_no_database_is_unavailable(tmp_path):
    (tmp_path / "odd").write_bytes(b"no database at all, but long enough to be looked at " * 50)
    database = Database(f"sqlite:///{tmp_path / 'odd'}")
    with pytest.raises(Unavailable):
        database.ping()
    database.close()


def test_when_all_connections_are_taken_for_long_the_service_is_unavailable(monkeypatch):
    monkeypatch.setattr(databases, "PATIENCE_SECONDS", 0.05)
    database = Database(postgres.url() or pytest.skip(postgres.reason()), connections=1)
    with database.read(), pytest.raises(Unavailable):
        database.ping()
    database.ping()
    database.close()


def test_a_writer_waits_for_another_one_only_so_long(sqlite, monkeypatch):
    monkeypatch.setattr(databases, "PATIENCE_SECONDS", 0.05)
    with sqlite.write(), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: sqlite.write().__enter__())
        assert isinstance(waiting.exception(), Unavailable)
    with sqlite.write():
        pass


def test_a_connection_that_died_in_the_pool_is_replaced():
    database = Database(postgres.fresh() if postgres.url() else pytest.skip(postgres.reason()))
    database.ping()
    with postgres.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s",
            (database.engine.url.database,),
        )
    database.ping()
    database.close()


# --- The schema ------------------------------------------------------------------------------------


def test_the_migrations_make_exactly_the_tables(database):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_name": is_ours, "compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def is_ours(name, kind, _parents):
    # What serves the search is made by SQL of its own, different on the two databases.
    return not (kind == "table" and name.startswith("search_"))


def test_every_rule_of_what_belongs_to_an_account_begins_with_the_account():
    checked = 0
    for table in metadata.tables.values():
        if table.name in OF_THE_SERVICE:
            continue
        rules = [list(table.primary_key.columns)]
        rules += [list(rule.columns) for rule in table.constraints if isinstance(rule, UniqueConstraint)]
        rules += [list(index.columns) for index in table.indexes]
        rules += [[element.parent for element in key.elements] for key in table.foreign_key_constraints]
        for columns in rules:
            assert columns[0].name == "account_id", (table.name, columns)
            checked += 1
    assert checked > 40


def test_the_same_holds_in_the_database_itself(database):
    found = inspect(database.engine)
    for table in found.get_table_names():
        if table in OF_THE_SERVICE or table.startswith("search_"):
            continue
        rules = [found.get_pk_constraint(table)["constrained_columns"]]
        rules += [rule["column_names"] for rule in found.get_unique_constraints(table)]
        rules += [index["column_names"] for index in found.get_indexes(table)]
        rules += [key["constrained_columns"] for key in found.get_foreign_keys(table)]
        assert {columns[0] for columns in rules} == {"account_id"}, table


def test_migrating_again_does_nothing(empty):
    done = schema.migrate(empty)
    assert done[0] == "0001"
    assert (schema.migrate(empty), schema.pending(empty)) == ([], [])


def test_what_is_pending_is_what_migrating_does(empty):
    pending = schema.pending(empty)
    assert pending == schema.migrate(empty)


def test_programs_that_start_at_once_migrate_once(empty):
    barrier = Barrier(4)

    def start(_number):
        barrier.wait()
        return schema.migrate(empty)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(start, range(4)))
    assert sorted(map(bool, done)) == [False, False, False, True]


def test_a_migration_that_fails_leaves_nothing_behind(empty, monkeypatch):
    kept = schema.command.upgrade

    def fails_at_the_end(*arguments):
        kept(*arguments)
        raise ZeroDivisionError

    monkeypatch.setattr(schema.command, "upgrade", fails_at_the_end)
    with pytest.raises(ZeroDivisionError):
        schema.migrate(empty)
    assert inspect(empty.engine).get_table_names() == []


def test_a_database_of_a_newer_program_is_refused_in_words(database):
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for work in (schema.migrate, schema.pending):
        with pytest.raises(schema.SchemaError, match=r"newer than this program .* install a newer skerry"):
            work(database)


# --- Lists come off an index -----------------------------------------------------------------------


def plan(database, statement, **values):
    """Give the steps in which SQLite would run a statement."""
    compiled = statement.on(database.engine.dialect)
    text, ordered = compiled.with_values(values)
    with database.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", tuple(ordered)).all()
    return [row[-1] for row in rows]


@pytest.mark.parametrize(
    ("statement", "values", "index"),
    [
        (ticket_store._OF_PROJECT, {"project_id": 1}, "ix_tickets_account_id_project_id_updated_at_number"),
        (ticket_store._OF_PROJECTS, {"project_ids": [1, 2, 3]}, "ix_tickets_account_id_"),
    ],
    ids=["a project's", "all"],
)
def test_the_list_of_tickets_is_read_off_an_index_in_its_order(sqlite, statement, values, index):
    steps = plan(sqlite, statement, account_id=1, limit=30, offset=60, **values)
    page = [step for step in steps if "tickets" in step]
    assert f"USING COVERING INDEX {index}" in page[0]
    # Only the page itself, a hundred rows at most, is ever walked or put in order.
    assert not [step for step in steps if step.startswith("SCAN") and "page" not in step], steps


def test_finding_a_ticket_a_token_and_a_login_needs_no_scan(sqlite):
    from skerry.store import tokens  # noqa: PLC0415

    for statement, values in (
        (ticket_store._ONE, {"project_id": 1, "number": 1}),
        (tokens._BY_HASH, {"hash": "x"}),
        (people._LOGIN, {"email": "x"}),
    ):
        steps = plan(sqlite, statement, account_id=1, **values)
        assert not [step for step in steps if step.startswith("SCAN")], steps
