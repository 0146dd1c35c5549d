"""The tables may be divided by account: PostgreSQL takes them so, and a statement reads one part of them."""

import pytest

from skerry.store.recount import recount
from tests import migrated
from tests.conftest import make_house
from tests.dividing import PARTS, as_if_spread, divide, parts_read
from tests.overhearing import ACROSS, OF_ACCOUNTS, overhear, tables_in
from tests.walking import do_everything


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house on such tables in which everything was done; ``said`` is what it said there."""
    url = migrated.on_postgres()
    divide(url, OF_ACCOUNTS)
    house, _log = make_house(as_if_spread(url), tmp_path_factory.mktemp("divided"))
    said = overhear(house.database)
    with house:
        do_everything(house)
        house.sweep()
        object.__setattr__(house, "said", said.copy())
        yield house


def test_everything_can_be_done_on_tables_divided_by_account_and_the_deep_check_agrees(house):
    checks = recount(house.database, house.blobs)
    assert [difference for check in checks for difference in check.differences] == []


def test_each_statement_on_what_belongs_to_an_account_reads_the_same_part_of_every_table(house):
    said = {statement: house.said[statement] for statement in house.said if tables_in(statement)}
    assert len(said) > 100
    with parts_read(house.database) as parts:
        across = {each for each in said if any(len(parts(each, values)) > 1 for values in said[each])}
    assert across <= ACROSS


def test_a_statement_that_reads_several_parts_would_be_found(house):
    with parts_read(house.database) as parts:
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s AND number = 1", [1])) == 1
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s OR number = 1", [1])) == PARTS
