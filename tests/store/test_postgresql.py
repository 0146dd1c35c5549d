"""What holds of PostgreSQL alone: connections that die, lag behind or are left in the middle of something."""

import gc
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest
from sqlalchemy import bindparam, select, text

from skerry.errors import Collision, Missing, Unavailable
from skerry.store import schema
from skerry.store.database import Database
from skerry.store.statements import Statement
from tests import postgres
from tests.store.test_database import NAMES, add, names

SINGLE = Statement(select(bindparam("number", 1) + 0), across_accounts=True)
SAID = Statement(text("SELECT CAST(:said AS text)"), across_accounts=True)


@pytest.fixture
def elsewhere():
    database = Database(postgres.fresh() if postgres.url() else pytest.skip(postgres.reason()))
    schema.migrate(database)
    yield database
    database.close()


def activity(database, what):
    """What PostgreSQL says of the connections to a database, other than the one that asks."""
    with postgres.connect() as connection:
        return connection.exec_driver_sql(
            f"SELECT {what} FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
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


def test_a_connection_that_waits_holds_no_moment_of_the_database(elsewhere):
    elsewhere.ping()
    add(elsewhere, "One")
    with pytest.raises(Missing), elsewhere.write():
        raise Missing
    # What comes after the end of the transactions on the same connection.
    elsewhere.ping()
    with elsewhere.read() as transaction:
        transaction.all(NAMES)
    with elsewhere.write() as transaction:
        assert transaction.all(NAMES) == [("One",)]
    assert {state for (state,) in activity(elsewhere, "state")} == {"idle"}


def test_after_a_collision_every_statement_can_be_carried_out_again(elsewhere):
    single, plain, count = (
        Statement(text(each), across_accounts=True)
        for each in (
            "INSERT INTO single VALUES (:number)",
            "INSERT INTO plain VALUES (:number)",
            "SELECT count(*) FROM plain",
        )
    )
    with elsewhere.write() as transaction:
        for table in ("single (number INTEGER PRIMARY KEY)", "plain (number INTEGER)"):
            transaction.run(Statement(text(f"CREATE TABLE {table}"), across_accounts=True))
    elsewhere.close()
    with pytest.raises(Missing), elsewhere.write():
        raise Missing

    def carry_out(*statements):
        with elsewhere.write() as transaction:
            for statement in statements:
                transaction.run(statement, number=1)
            return transaction.value(count)

    carry_out(single)
    # The driver prepares what it has carried out so often, here in the middle of a pipeline that breaks.
    for _ in range(5):
        carry_out(plain)
    with pytest.raises(Collision):
        carry_out(single, plain)
    assert carry_out(plain) == 6


def test_a_read_whose_end_failed_spoils_no_write(elsewhere, monkeypatch):
    def cancelled(connection):
        """End a read as it ends if somebody cancels the COMMIT."""
        connection.cursor.execute("SELECT 1/0")
        connection.cursor.leave()

    with monkeypatch.context() as patched:
        patched.setattr(elsewhere._kind, "end_read", cancelled)
        elsewhere.ping()
    add(elsewhere, "One")
    assert names(elsewhere) == ["One"]


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


def test_a_server_that_gives_a_transaction_up_is_unavailable(elsewhere):
    def read_until_it_is_gone():
        with elsewhere.read() as transaction:
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


def test_a_machine_that_is_gone_without_a_word_is_not_waited_for_long(late):
    with (
        closing(late.engine.raw_connection()) as connection,
        socket.socket(fileno=os.dup(connection.dbapi_connection.fileno())) as found,
    ):
        silent = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        unheard = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
    assert (silent, unheard) == (10, 20_000)


def test_while_one_waits_for_the_end_of_what_was_read_others_go_on(late):
    late.ping()
    stopped, beats = threading.Event(), []

    def beat():
        while not stopped.wait(0.01):
            beats.append(time.monotonic())

    other = threading.Thread(target=beat)
    other.start()
    began = time.monotonic()
    with late.write() as transaction:
        transaction.all(NAMES)
        waited = time.monotonic() - began
    stopped.set()
    other.join()
    assert waited > 0.5
    assert len([moment for moment in beats if moment < began + waited]) > 10


# --- What is sent together -------------------------------------------------------------------------


@pytest.fixture
def messages(elsewhere):
    """A list that grows with each message to the database."""
    from skerry.store.conversation import Conversation  # noqa: PLC0415 - only where there is the driver

    sent = []

    class Counted(Conversation):
        def _send(self):
            sent.append(1)
            super()._send()

    elsewhere._kind.cursor = Counted
    elsewhere.close()
    return sent


def test_what_is_expected_comes_with_another_answer(elsewhere, messages):
    add(elsewhere, "One")
    with elsewhere.read() as transaction:
        transaction.expect(NAMES)
        transaction.expect(NAMES)
        transaction.value(SINGLE)
        messages.clear()
        assert transaction.all(NAMES) == [("One",)]
        assert not messages
        assert transaction.all(NAMES) == [("One",)]
        assert messages


def test_what_was_expected_and_never_asked_is_not_the_answer_of_a_later_transaction(elsewhere):
    for begin in (elsewhere.read, elsewhere.write):
        with begin() as transaction:
            transaction.expect(NAMES)
    add(elsewhere, "One")
    assert names(elsewhere) == ["One"]


def recalled(database, *numbers):
    """Recall things on one trail."""
    with database.read() as transaction:
        transaction.follow(7)
        return [
            transaction.recall(number, lambda n=number: transaction.value(SINGLE, number=n), early=True)
            for number in numbers
        ]


def test_what_is_needed_early_is_asked_at_once_the_second_time(elsewhere, messages):
    add(elsewhere, "One")
    counts = []
    for numbers in ((1, 2, 3), (1, 2, 3), (1, 2, 4)):
        messages.clear()
        assert recalled(elsewhere, *numbers) == list(numbers)
        counts.append(len(messages))
        add(elsewhere, f"Another {numbers}{len(counts)}")
    # The moment, each question or all of them, and the end.
    assert counts == [5, 3, 4]


def test_more_statements_than_stay_prepared_are_all_answered(elsewhere, monkeypatch):
    monkeypatch.setattr("skerry.store.conversation.PREPARED", 3)
    several = [Statement(text(f"SELECT {n} + :number"), across_accounts=True) for n in range(5)]
    with elsewhere.write() as transaction:
        for _ in range(3):
            for n, statement in enumerate(several):
                assert transaction.value(statement, number=n) == 2 * n


def test_what_is_larger_than_any_buffer_goes_both_ways_at_once(elsewhere):
    large = "x" * 3_000_000
    with elsewhere.read() as transaction:
        for _ in range(5):
            transaction.run(SAID, said=large)
        assert transaction.value(SAID, said=large) == large


@pytest.mark.parametrize("statements", [1, 2, 3, 4])
def test_what_only_reads_begins_at_one_moment_whatever_was_prepared_before(
    elsewhere, monkeypatch, statements
):
    monkeypatch.setattr("skerry.store.conversation.PREPARED", statements)
    add(elsewhere, "One")
    assert [names(elsewhere) for _ in range(3)] == [["One"]] * 3


def test_many_changes_that_nobody_asks_about_do_not_pile_up(elsewhere, messages):
    with elsewhere.write() as transaction:
        for _ in range(1000):
            transaction.run(SINGLE, number=1)
        assert len(messages) > 3
