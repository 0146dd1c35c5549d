"""What goes to PostgreSQL together, what is prepared there, and what is not."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from sqlalchemy import bindparam, select, text

from skerry.errors import TookTooLong
from skerry.store.statements import Statement
from skerry.store.tables import accounts as account_table
from tests.store.test_database import NAMES, add, names

SINGLE = Statement(select(bindparam("number", 1) + 0), across_accounts=True)
SAID = Statement(text("SELECT CAST(:said AS text)"), across_accounts=True)


@pytest.fixture
def messages(elsewhere):
    """A list that grows with each message to the database."""
    from skerry.store.pipeline import Pipeline  # noqa: PLC0415 - only where there is the driver

    sent = []

    class Counted(Pipeline):
        def _send(self):
            sent.append(1)
            super()._send()

    elsewhere._kind.cursor = Counted
    elsewhere.close()
    return sent


def test_more_statements_than_stay_prepared_are_all_answered(elsewhere, monkeypatch):
    monkeypatch.setattr("skerry.store.pipeline.PREPARED", 3)
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
    monkeypatch.setattr("skerry.store.pipeline.PREPARED", statements)
    add(elsewhere, "One")
    assert [names(elsewhere) for _ in range(3)] == [["One"]] * 3


def test_many_changes_that_nobody_asks_about_do_not_pile_up(elsewhere, messages):
    with elsewhere.write() as transaction:
        for _ in range(1000):
            transaction.run(SINGLE, number=1)
        assert len(messages) > 3


def test_of_a_list_no_plan_is_kept(elsewhere):
    those = Statement(
        select(account_table.c.name).where(account_table.c.id.in_(bindparam("ids", expanding=True))),
        across_accounts=True,
    )
    with elsewhere.read() as transaction:
        for ids in ([1], [1, 2], [1, 2]):
            transaction.all(those, ids=ids)
        kept = transaction.sql("SELECT statement FROM pg_prepared_statements", [])
    assert [statement[-7:] for (statement,) in kept if "IN (" in statement] == ["IN ($1)"]


def test_an_interrupt_ends_what_waits_even_where_the_server_cannot_be_told(elsewhere, monkeypatch):
    import psycopg  # noqa: PLC0415 - only where there is the driver

    def interrupted(_milliseconds=None):
        raise KeyboardInterrupt

    def gone(_connection, **_how):
        raise psycopg.OperationalError("connection refused")

    def ask():
        with elsewhere.read() as transaction:
            monkeypatch.setattr(transaction._cursor, "_coming", SimpleNamespace(poll=interrupted))
            transaction.value(SINGLE)

    for name in ("cancel", "cancel_safe"):
        monkeypatch.setattr(psycopg.Connection, name, gone)
    with pytest.raises(KeyboardInterrupt):
        ask()
    assert elsewhere.connections_in_use() == 0


def test_what_the_server_has_kept_before_it_went_is_made(elsewhere):
    from psycopg import OperationalError  # noqa: PLC0415 - only where there is the driver

    from skerry.store.pipeline import Pipeline  # noqa: PLC0415 - as above

    class Going(Pipeline):
        def _take(self, result):
            super()._take(result)
            if result.command_status == b"COMMIT":
                raise OperationalError("The server is gone")

    elsewhere._kind.cursor = Going
    elsewhere.close()
    add(elsewhere, "One")
    add(elsewhere, "Two")
    assert names(elsewhere) == ["One", "Two"]


def test_a_statement_given_up_when_its_answer_has_just_gone_leaves_the_transaction_usable(elsewhere):
    from psycopg.pq import ExecStatus  # noqa: PLC0415 - only where there is the driver

    with closing(elsewhere.engine.raw_connection()) as other:
        given_up = other.driver_connection.pgconn.exec_(b"SET statement_timeout = 1; SELECT pg_sleep(1)")
    assert given_up.status == ExecStatus.FATAL_ERROR
    with elsewhere.read() as transaction:
        pipeline, held, said = transaction._cursor, [], [given_up]
        really = pipeline._next

        def late():
            result = held.pop() if held else really()
            if said and result.status == ExecStatus.PIPELINE_SYNC:
                # The mark that ends the answers comes after the error.
                held.append(result)
                return said.pop()
            return result

        pipeline._next = late
        with pytest.raises(TookTooLong), transaction._limit.attempt():
            transaction.value(SINGLE)
        assert transaction.all(NAMES) == []
