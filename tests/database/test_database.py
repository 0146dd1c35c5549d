"""Transactions, the schema and its history, on both databases."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import bindparam, insert, select, text, update

from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.errors import NotFound, SerializationFailure, Unavailable
from skerry.store import accounts
from skerry.store.auth import logins
from skerry.store.counts import counters
from skerry.store.people import people
from skerry.store.tables import accounts as account_table
from skerry.store.tables import metadata, users
from tests.support import postgres

# What belongs to no account: who has a login, the accounts themselves, and what the migrations keep.
OF_THE_SERVICE = {"accounts", "users", "logins", "alembic_version"}

NAMES = Statement(select(account_table.c.name).order_by(account_table.c.id), across_accounts=True)

ADD_NAMED = Statement(
    insert(account_table).values(id=7, name=bindparam("called"), created_at=0, key="", mail_secret=""),
    across_accounts=True,
)
RENAME = Statement(
    update(account_table)
    .where(account_table.c.name == bindparam("called"))
    .values(name=bindparam("new_name")),
    across_accounts=True,
)


def names(database):
    with database.read() as transaction:
        return [row[0] for row in transaction.all(NAMES)]


def add(database, name):
    with database.write() as transaction:
        accounts.add(transaction, name, f"{name}.example")


# --- Transactions ----------------------------------------------------------------------------------


def test_written_rows_can_be_read_afterwards(database):
    with database.write() as transaction:
        accounts.add(transaction, "One", None)
    assert names(database) == ["One"]


@pytest.mark.parametrize("error", [NotFound, ZeroDivisionError, KeyboardInterrupt, GeneratorExit])
def test_an_error_changes_nothing(database, error):
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


def test_a_connection_that_is_lost_while_writing_takes_what_was_remembered_with_it(database):
    """Another server may have taken over, which lacks the last changes."""
    database.known_tickets["seen"] = database.known_counts["seen"] = 1

    def lose():
        with database.write() as transaction:
            transaction.all(NAMES)
            (getattr(transaction._cursor, "raw", None) or transaction._cursor.connection).close()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lose()
    assert not database.known_tickets
    assert not database.known_counts
    assert names(database) == []


def test_a_read_sees_one_moment(database):
    with database.read() as reading:
        assert reading.all(NAMES) == []
        with database.write() as writing:
            accounts.add(writing, "One", None)
        assert reading.all(NAMES) == []
    assert names(database) == ["One"]


def test_creating_the_same_thing_twice_is_a_conflict_in_words(database):
    def add_twice():
        with database.write() as transaction:
            people.add(transaction, "ada@example.org", "Ada", "hash")
            people.add(transaction, "ADA@example.org", "Ada", "hash")

    with database.write() as transaction:
        accounts.add(transaction, "One", None)
    with pytest.raises(SerializationFailure):
        add_twice()
    with database.read() as transaction:
        assert logins.with_email(transaction, "ada@example.org") is None


def test_a_conflict_of_a_statement_without_a_result_is_raised_at_the_end(database):
    def add_twice():
        with database.write() as transaction:
            transaction.run(ADD_NAMED, called="One")
            transaction.run(ADD_NAMED, called="Two")
            transaction.run(ADD_NAMED, called="Three")

    with pytest.raises(SerializationFailure):
        add_twice()
    assert names(database) == []
    with database.write() as transaction:
        transaction.run(ADD_NAMED, called="One")
    assert names(database) == ["One"]


def test_a_change_reports_its_own_number_of_rows(database):
    with database.write() as transaction:
        accounts.add(transaction, "One", "one.example")
        accounts.add(transaction, "Two", "two.example")
        transaction.run(RENAME, called="Two", new_name="Three")
        assert transaction.changed(RENAME, called="Two", new_name="Four") == 0
        assert transaction.changed(RENAME, called="Three", new_name="One") == 1
        assert transaction.changed(RENAME, called="One", new_name="Both") == 2
    assert names(database) == ["Both", "Both"]


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


def added(database, name):
    with database.write() as transaction:
        accounts.add(transaction, name, f"{name}.example.org")
    return names(database)


def test_a_transaction_has_one_clock(database):
    with database.write() as transaction:
        first = transaction.now
        accounts.add(transaction, "One", None)
        assert transaction.now == first


def test_a_statement_must_name_its_account(database):
    with database.read() as transaction, pytest.raises(ValueError, match="does not name an account"):
        transaction.all(Statement(select(users.c.id)))


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
    rows = {"account_id": 5, "project_id": 5, "tag": "x", "number": 5, "closed": 0, "assigned_user_id": 0}
    statement = Statement(insert(metadata.tables["taggings"]).values(rows), across_accounts=True)
    with pytest.raises(SerializationFailure), database.write() as transaction:
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


@pytest.mark.parametrize("code", ["data_corrupted", "index_corrupted", "internal_error"])
def test_a_database_that_finds_itself_damaged_or_fails_inside_is_unavailable(code):
    database = Database(postgres.url() or pytest.skip(postgres.reason()))
    found = Statement(text(f"DO $$ BEGIN RAISE {code}; END $$"), across_accounts=True)
    with pytest.raises(Unavailable), database.write() as transaction:
        transaction.run(found)
    database.ping()
    database.close()


def test_when_all_connections_are_taken_for_long_the_service_is_unavailable(monkeypatch):
    database = Database(postgres.url() or pytest.skip(postgres.reason()), connections=1)
    database.ping()
    with monkeypatch.context() as hasty, database.read():
        hasty.setattr("skerry.database.postgresql_pool.WAIT_SECONDS", 0.05)
        with pytest.raises(Unavailable):
            database.ping()
    database.ping()
    database.close()


def test_a_writer_waits_a_limited_time_for_another(sqlite, monkeypatch):
    monkeypatch.setattr("skerry.database.writer_locks.TIMEOUT_SECONDS", 0.05)
    with sqlite.write(), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: sqlite.write().__enter__())
        assert isinstance(waiting.exception(), Unavailable)
    with sqlite.write():
        pass


def test_a_connection_that_cannot_roll_back_is_not_reused(database, monkeypatch):
    used = []

    def fail():
        with database.write() as transaction:
            used.append(transaction._cursor)
            raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(database._kind, "undo", lambda connection: connection.nothing)
        with pytest.raises(ZeroDivisionError):
            fail()
    with database.write() as transaction:
        assert transaction._cursor not in used
    add(database, "One")
    assert names(database) == ["One"]


def test_a_read_only_connection_is_not_reused(sqlite):
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED
    for failure, kept in ((KeyError(), 1), (error, 0)):
        with sqlite.write() as transaction:
            transaction._cursor.execute("CREATE TEMP TABLE IF NOT EXISTS seen_here_only (id)")
        with pytest.raises((KeyError, Unavailable)), sqlite.write():
            raise failure
        with sqlite.write() as transaction:
            found = transaction._cursor.execute("SELECT name FROM temp.sqlite_master").fetchall()
        assert len(found) == kept
