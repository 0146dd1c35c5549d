"""PostgreSQL: connections that are lost, stale or left in the middle of a transaction."""

import gc
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Semaphore

import pytest
from sqlalchemy import text

from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.errors import NotFound, SerializationFailure, Unavailable
from skerry.store import accounts as account_store
from skerry.store import schema
from skerry.tracker import accounts
from tests.database.test_database import NAMES, add, names
from tests.support import postgres
from tests.support.spread_tables import as_if_spread

ONE = Statement(text("SELECT 1"), across_accounts=True)


def activity(database, what):
    """What PostgreSQL says of the connections of clients to a database, other than the one that asks.

    Its own vacuum may be at work in there at any time.
    """
    with postgres.connect() as connection:
        return connection.exec_driver_sql(
            f"SELECT {what} FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'",
            (database.engine.url.database,),
        ).fetchall()


def test_connections_that_died_in_the_pool_are_replaced_without_a_word(elsewhere, caplog):
    for work in (elsewhere.ping, lambda: add(elsewhere, "One"), lambda: add(elsewhere, "Two")):
        with elsewhere.read(), elsewhere.read():
            pass
        assert activity(elsewhere, "pg_terminate_backend(pid, 5000)")
        work()
    assert names(elsewhere) == ["One", "Two"]
    gc.collect()
    assert caplog.messages == []


def test_a_query_whose_connection_was_ended_is_repeated_on_another_one(elsewhere, caplog):
    add(elsewhere, "One")
    with elsewhere.read(snapshot=False) as transaction, elsewhere.read(snapshot=False) as beside:
        for reading in (transaction, beside, transaction):
            assert activity(elsewhere, "pg_terminate_backend(pid, 5000)")
            assert reading.all(NAMES) == [("One",)]
    assert caplog.messages == []


def test_a_snapshot_whose_connection_was_ended_is_unavailable(elsewhere):
    def read_twice():
        with elsewhere.read(snapshot=False) as transaction, transaction.snapshot():
            transaction.all(NAMES)
            assert activity(elsewhere, "pg_terminate_backend(pid, 5000)")
            transaction.all(NAMES)

    with pytest.raises(Unavailable):
        read_twice()
    elsewhere.ping()


def test_queries_see_what_was_committed_meanwhile_but_for_those_of_one_snapshot(elsewhere):
    with elsewhere.read(snapshot=False) as transaction:
        assert transaction.all(NAMES) == []
        add(elsewhere, "One")
        with transaction.snapshot():
            assert transaction.all(NAMES) == [("One",)]
            add(elsewhere, "Two")
            assert transaction.all(NAMES) == [("One",)]
        assert transaction.all(NAMES) == [("One",), ("Two",)]


@pytest.fixture
def spread(elsewhere):
    """The same database, taken for one that is spread over machines, by a server."""
    address = as_if_spread(elsewhere.engine.url.render_as_string(hide_password=False))
    with closing(Database(address, read_seconds=20)) as database:
        database.ping()
        yield database


def test_with_distributed_tables_a_writer_blocks_only_its_own_account(spread, monkeypatch):
    monkeypatch.setattr("skerry.database.postgresql.TIMEOUT_SECONDS", 0.05)
    with spread.write(1) as hanging:
        hanging.one(ONE)
        with spread.write(2) as other:
            assert other.one(ONE) == (1,)
        with pytest.raises(Unavailable), spread.write(1):
            pass
    with spread.write(1) as next_one:
        assert next_one.one(ONE) == (1,)


def test_with_distributed_tables_readers_have_connections_even_if_many_accounts_hang(spread, monkeypatch):
    monkeypatch.setattr("skerry.database.postgresql.TIMEOUT_SECONDS", 0.05)
    with ExitStack() as hanging:
        for account_id in range(1, 6):
            hanging.enter_context(spread.write(account_id))
        with pytest.raises(Unavailable), spread.write(6):
            pass
        with spread.read() as transaction:
            assert transaction.one(ONE) == (1,)


def test_one_of_two_servers_that_start_at_once_creates_the_first_account(elsewhere, monkeypatch):
    listed = account_store.list_all

    def listed_before_another_made_it(transaction):
        found = listed(transaction)
        monkeypatch.undo()
        with elsewhere.write() as meanwhile:
            accounts.first(meanwhile)
        return found

    monkeypatch.setattr(account_store, "list_all", listed_before_another_made_it)
    monkeypatch.setattr(elsewhere._kind, "_writers", Semaphore(2))
    with pytest.raises(SerializationFailure), elsewhere.write() as transaction:
        accounts.first(transaction)
    assert names(elsewhere) == [accounts.FIRST_NAME]


def test_a_waiting_connection_holds_no_snapshot(elsewhere):
    elsewhere.ping()
    add(elsewhere, "One")
    with pytest.raises(NotFound), elsewhere.write():
        raise NotFound
    # What comes after the end of the transactions on the same connection.
    elsewhere.ping()
    with elsewhere.read() as transaction:
        transaction.all(NAMES)
    with elsewhere.write() as transaction:
        assert transaction.all(NAMES) == [("One",)]
    assert {state for (state,) in activity(elsewhere, "state")} == {"idle"}


@pytest.fixture
def two_tables(elsewhere):
    """A database with two tables more."""
    with postgres.connect(elsewhere.engine.url.database) as connection:
        connection.exec_driver_sql("CREATE TABLE single (number INTEGER PRIMARY KEY)")
        connection.exec_driver_sql("CREATE TABLE plain (number INTEGER)")
        yield elsewhere
        connection.exec_driver_sql("DROP TABLE single, plain")


def test_after_a_collision_every_statement_can_be_carried_out_again(two_tables):
    single, plain, count = (
        Statement(text(each), across_accounts=True)
        for each in (
            "INSERT INTO single VALUES (:number)",
            "INSERT INTO plain VALUES (:number)",
            "SELECT count(*) FROM plain",
        )
    )
    with pytest.raises(NotFound), two_tables.write():
        raise NotFound

    def carry_out(*statements):
        with two_tables.write() as transaction:
            for statement in statements:
                transaction.run(statement, number=1)
            return transaction.value(count)

    carry_out(single)
    # The driver prepares what it has carried out so often, here in the middle of a pipeline that breaks.
    for _ in range(5):
        carry_out(plain)
    with pytest.raises(SerializationFailure):
        carry_out(single, plain)
    assert carry_out(plain) == 6


def test_a_search_that_times_out_in_a_write_transaction_does_not_affect_it(elsewhere, monkeypatch):
    monkeypatch.setattr("skerry.database.transactions.SEARCH_TIMEOUT", 0.2)
    rename = Statement(text("UPDATE accounts SET name = :name"), across_accounts=True)
    add(elsewhere, "One")
    for before, after in (("Two", "Three"), ("Four", "Five")):
        with elsewhere.write() as transaction:
            transaction.run(rename, name=before)
            assert (
                transaction.attempt(lambda within=transaction: within.sql("SELECT pg_sleep(20)", [])) is None
            )
            assert transaction.all(NAMES) == [(before,)]
            transaction.run(rename, name=after)
        assert names(elsewhere) == [after]
    with elsewhere.read() as transaction:
        # What was begun to be sent together is ended.
        assert transaction._cursor.raw.info.pipeline_status == 0


def test_one_of_two_deadlocked_writers_may_try_again(elsewhere):
    rename = Statement(text("UPDATE accounts SET name = 'Both' WHERE host = :host"), across_accounts=True)
    met, hosts = threading.Barrier(2, timeout=30), [f"{name}.example" for name in ("one", "two")]

    def rename_both(database, first, second):
        with database.write() as transaction:
            transaction.changed(rename, host=first)
            met.wait()
            transaction.changed(rename, host=second)

    for name in ("one", "two"):
        add(elsewhere, name)
    with closing(Database(elsewhere.engine.url.render_as_string(hide_password=False))) as other:
        with ThreadPoolExecutor(2) as pool:
            works = [
                pool.submit(rename_both, elsewhere, *hosts),
                pool.submit(rename_both, other, *reversed(hosts)),
            ]
        assert {type(work.exception()) for work in works} == {type(None), SerializationFailure}
    assert names(elsewhere) == ["Both", "Both"]


def test_a_pooler_that_mixes_connections_up_is_refused(elsewhere, monkeypatch):
    connect, made = elsewhere.engine.raw_connection, []

    def lent():
        """Connect; who begins on the second one gets what the first one had, which gets another one."""
        made.append(connect())
        if len(made) > 1:
            made[1].driver_connection.execute = lambda _: made[0].driver_connection.execute("DEALLOCATE ALL")
        return made[-1]

    monkeypatch.setattr(elsewhere.engine, "raw_connection", lent)
    with pytest.raises(schema.SchemaError, match="configure it to pool sessions"):
        schema.migrate(elsewhere)


def set_for_all(database, setting):
    """Let every new connection to a database have a setting."""
    with postgres.connect() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {database.engine.url.database} SET {setting}")
    database.close()


def test_a_server_that_takes_no_changes_is_unavailable(elsewhere):
    set_for_all(elsewhere, "default_transaction_read_only = on")
    with pytest.raises(Unavailable):
        add(elsewhere, "One")
    assert names(elsewhere) == []


def test_a_server_that_revokes_our_permissions_is_unavailable(elsewhere):
    def read_as_one_who_may_not():
        with elsewhere.read() as transaction:
            transaction.adjust("SET LOCAL ROLE pg_monitor")
            transaction.all(NAMES)

    add(elsewhere, "One")
    with pytest.raises(Unavailable):
        read_as_one_who_may_not()
    assert names(elsewhere) == ["One"]


def test_a_server_that_aborts_a_transaction_is_unavailable(elsewhere):
    def read_until_it_is_gone():
        address = elsewhere.engine.url.render_as_string(hide_password=False)
        with closing(Database(address, read_seconds=30)) as hurried, hurried.read() as transaction:
            transaction.all(NAMES)
            while activity(elsewhere, "pid"):
                pass
            transaction.all(NAMES)

    set_for_all(elsewhere, "idle_in_transaction_session_timeout = 20")
    with pytest.raises(Unavailable):
        read_until_it_is_gone()


# Stands between a client and PostgreSQL, and hands on what follows the answer to a COMMIT a second later.
LATE = """
import socket, sys, threading, time
host, port = sys.argv[1], int(sys.argv[2])
here = socket.create_server(("127.0.0.1", 0))
print(here.getsockname()[1], flush=True)
client = here.accept()[0]
if host.startswith("/"):
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
else:
    server = socket.create_connection((host, port))
def hand_on(source, sink, end=None):
    while data := source.recv(65536):
        cut = data.find(end) + len(end) if end and end in data else len(data)
        sink.sendall(data[:cut])
        if data[cut:]:
            time.sleep(1)
            sink.sendall(data[cut:])
threading.Thread(target=hand_on, args=(client, server), daemon=True).start()
hand_on(server, client, b"COMMIT" + bytes(1))
"""


@pytest.fixture
def late(elsewhere):
    """The same database, of which a part of some answers comes late."""
    url = elsewhere.engine.url
    host, port = url.host or url.query.get("host", "127.0.0.1"), url.port or url.query.get("port", "5432")
    words = [sys.executable, "-c", LATE, str(host), str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as between:
        here = url.set(host="127.0.0.1", port=int(between.stdout.readline()), query={})
        database = Database(here.render_as_string(hide_password=False))
        yield database
        database.close()
        between.kill()


def test_a_machine_that_disappears_silently_does_not_block_for_long(late):
    with (
        closing(late.engine.raw_connection()) as connection,
        socket.socket(fileno=os.dup(connection.dbapi_connection.fileno())) as found,
    ):
        silent = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        unheard = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
    assert (silent, unheard) == (10, 20_000)
