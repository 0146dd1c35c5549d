"""The database can be spread by account, as docs/scale.md says: what that rests on, and its statements."""

import io
import re
from pathlib import Path

import pytest
from sqlalchemy import inspect

from skerry.web.routes import ROUTES
from tests import postgres
from tests.conftest import make_house
from tests.overhearing import OF_ACCOUNTS, OF_THE_SERVICE, missing_accounts, overhear, strangers, tables_in
from tests.walking import ADMINISTRATOR, MEMBER, ONCE, Town, name_of, signed_in

GUIDE = Path(__file__).parents[1] / "docs" / "scale.md"
BOOKS = "alembic_version"
SEARCHES = ("opal", "'opal' sort:importance", "state:open responsible:me tagged:dry", "number:1 or opal*")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house of its own on PostgreSQL; ``said`` is what it says there."""
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    house, _log = make_house(url, tmp_path_factory.mktemp("distribution"))
    object.__setattr__(house, "said", overhear(house.database))
    with house:
        yield house


def rules_of(found, table):
    """Give the columns of every key, unique rule and foreign key of a table as the database has it."""
    yield found.get_pk_constraint(table)["constrained_columns"]
    for rule in found.get_unique_constraints(table):
        yield rule["column_names"]
    for index in found.get_indexes(table):
        if index["unique"]:
            yield index["column_names"]
    for key in found.get_foreign_keys(table):
        yield key["constrained_columns"]
        yield key["referred_columns"]


def test_every_key_unique_rule_and_foreign_key_contains_the_account(house):
    found = inspect(house.database.engine)
    assert set(found.get_table_names()) == OF_ACCOUNTS | OF_THE_SERVICE | {BOOKS}
    for table in OF_ACCOUNTS:
        rules = list(rules_of(found, table))
        assert rules[0], table
        for columns in rules:
            assert "account_id" in columns, (table, columns)


def walk(house):
    """Go every way of the map, search, sign in and open pages."""
    town = Town(house, io.StringIO(), "json")
    site = town.here.sites["private"]
    member = signed_in(town.here, town.here.world.people["ben"].email)
    assert member.get("/projects").status == 200
    for line in ROUTES:
        once = "{" in line.path and (line.verb == "DELETE" or name_of(line) in ONCE)
        for who in (MEMBER, ADMINISTRATOR):
            answer = (site.fresh(line) if once else site).send(who, line)
            assert answer.status < 500, (name_of(line), answer.body)
    for query in SEARCHES:
        path = f"/projects/{site.values['projects']}/tickets?q={query}"
        assert site.voices[MEMBER].get(path.replace(" ", "%20")).status == 200


def test_no_statement_on_what_belongs_to_an_account_goes_without_it(house):
    walk(house)
    house.sweep()
    on_tables = [statement for statement in house.said if tables_in(statement)]
    assert len(on_tables) > 100
    assert strangers(house.said) == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM tickets WHERE number = %s",
        "SELECT t.title FROM projects AS p JOIN tickets t ON t.project_id = p.id WHERE p.account_id = %s",
        "SELECT 1 FROM accounts, tickets WHERE tickets.project_id = %s",
        "UPDATE tickets SET title = %s WHERE number = %s",
        "DELETE FROM versions WHERE project_id = %s",
        "INSERT INTO tickets (number, account_id) SELECT number, %s FROM versions",
    ],
)
def test_a_statement_that_names_no_account_would_be_found(statement):
    assert missing_accounts(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT t.title FROM tickets t WHERE t.account_id = %s AND t.title = 'from versions'",
        "SELECT 1 FROM bins b JOIN tickets ON tickets.account_id = b.account_id WHERE b.account_id = %s",
        "INSERT INTO tickets (account_id, number) VALUES (%s, %s)",
        "SELECT name FROM users WHERE id = %s",
    ],
)
def test_a_statement_that_names_the_account_is_good(statement):
    assert missing_accounts(statement) == []


def test_the_guide_spreads_every_table_and_each_after_those_that_it_refers_to(house):
    text = GUIDE.read_text()
    shared = re.findall(r"create_reference_table\('(\w+)'\)", text)
    spread = re.findall(r"create_distributed_table\('(\w+)', 'account_id'", text)
    assert sorted(shared) == sorted(OF_THE_SERVICE)
    assert sorted(spread) == sorted(OF_ACCOUNTS)
    found = inspect(house.database.engine)
    for table in (*shared, *spread):
        order = [*shared, *spread]
        for key in found.get_foreign_keys(table):
            assert order.index(key["referred_table"]) < order.index(table), table
