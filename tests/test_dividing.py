"""The tables may be divided by account: PostgreSQL takes them so, and a statement reads one part of them."""

import pytest

from skerry.store.counts.recount import recount
from tests.conftest import make_instance
from tests.support import migrated_databases
from tests.support.route_matrix import do_everything
from tests.support.spread_tables import PARTS, as_if_spread, divide, parts_read
from tests.support.sql_capture import ACROSS, OF_ACCOUNTS, capture_sql, tables_in


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """An instance on such tables in which everything was done; ``said`` is what it said there."""
    url = migrated_databases.on_postgres()
    divide(url, OF_ACCOUNTS)
    instance, _log = make_instance(as_if_spread(url), tmp_path_factory.mktemp("divided"))
    said = capture_sql(instance.database)
    with instance:
        do_everything(instance)
        instance.clean_up()
        object.__setattr__(instance, "said", said.copy())
        yield instance


def test_everything_can_be_done_on_tables_divided_by_account_and_the_deep_check_agrees(instance):
    checks = recount(instance.database, instance.blobs)
    assert [difference for check in checks for difference in check.differences] == []


def test_each_statement_on_what_belongs_to_an_account_reads_the_same_part_of_every_table(instance):
    said = {statement: instance.said[statement] for statement in instance.said if tables_in(statement)}
    assert len(said) > 100
    with parts_read(instance.database) as parts:
        across = {each for each in said if any(len(parts(each, values)) > 1 for values in said[each])}
    assert across <= ACROSS


def test_a_statement_that_reads_several_parts_would_be_found(instance):
    with parts_read(instance.database) as parts:
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s AND number = 1", [1])) == 1
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s OR number = 1", [1])) == PARTS
