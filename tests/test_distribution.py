"""The database can be spread by account, as docs/scale.md says: what that rests on, and its statements."""

import io
import re
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from skerry.database.database import Database
from skerry.store import accounts
from skerry.store.transfer.backup import backup
from tests.cli.archives import content
from tests.conftest import PASSWORD, build_world, make_instance
from tests.support import postgres
from tests.support.browser_client import WebClient
from tests.support.route_matrix import do_everything
from tests.support.spread_tables import as_if_spread
from tests.support.sql_capture import (
    ACROSS,
    OF_ACCOUNTS,
    OF_THE_SERVICE,
    across,
    capture_sql,
    functions_in,
    missing_accounts,
    of_the_program,
    planning,
    refused,
    strangers,
    tables_in,
)

GUIDE = Path(__file__).parents[1] / "docs" / "scale.md"
BOOKS = "alembic_version"


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """An instance of its own on such a database; ``said`` is what it says there."""
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    instance, _log = make_instance(as_if_spread(url), tmp_path_factory.mktemp("distribution"))
    object.__setattr__(instance, "said", capture_sql(instance.database))
    with instance:
        yield instance


def rules_of(found, table):
    """Return the columns of every key, unique rule and foreign key of a table as the database has it."""
    yield found.get_pk_constraint(table)["constrained_columns"]
    for rule in found.get_unique_constraints(table):
        yield rule["column_names"]
    for index in found.get_indexes(table):
        if index["unique"]:
            yield index["column_names"]
    for key in found.get_foreign_keys(table):
        yield key["constrained_columns"]
        yield key["referred_columns"]


def rows(instance, sql):
    with instance.database.engine.connect() as connection:
        return connection.execute(text(sql)).all()


def test_every_key_unique_rule_and_foreign_key_contains_the_account(instance):
    found = inspect(instance.database.engine)
    assert set(found.get_table_names()) == OF_ACCOUNTS | OF_THE_SERVICE | {BOOKS}
    for table in OF_ACCOUNTS:
        rules = list(rules_of(found, table))
        assert rules[0], table
        for columns in rules:
            assert "account_id" in columns, (table, columns)


OURS = "'public'::regnamespace"


@pytest.mark.parametrize(
    "of_the_database",
    [
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
        "SELECT rulename FROM pg_rules WHERE schemaname = 'public'",
        f"SELECT proname FROM pg_proc WHERE pronamespace = {OURS}",
        f"SELECT relname FROM pg_class WHERE relnamespace = {OURS} AND relkind NOT IN ('r', 'i')",
        f"SELECT relname FROM pg_class WHERE relnamespace = {OURS} AND relpersistence <> 'p'",
        f"SELECT 1 FROM pg_constraint WHERE connamespace = {OURS} AND contype NOT IN ('p', 'u', 'f', 'n')",
        f"SELECT 1 FROM pg_constraint WHERE connamespace = {OURS} AND condeferrable",
        "SELECT 1 FROM pg_attribute WHERE attidentity <> '' OR attgenerated <> ''",
    ],
)
def test_the_database_holds_nothing_but_tables_indexes_and_keys(instance, of_the_database):
    assert rows(instance, of_the_database) == []


def test_foreign_keys_cascade_when_rows_go_and_have_the_account_in_the_same_place(instance):
    found = inspect(instance.database.engine)
    for table in OF_ACCOUNTS | OF_THE_SERVICE:
        for key in found.get_foreign_keys(table):
            assert key["options"] == {"ondelete": "CASCADE"}, key
            assert (key["referred_table"] in OF_THE_SERVICE) == (table in OF_THE_SERVICE), key
            if table in OF_ACCOUNTS:
                places = [
                    key[side].index("account_id") for side in ("constrained_columns", "referred_columns")
                ]
                assert places[0] == places[1], key


@pytest.fixture(scope="module")
def said(instance):
    """Every different statement of what the instance does, with lists of values for it."""
    do_everything(instance)
    instance.clean_up()
    on_tables = {statement: instance.said[statement] for statement in instance.said if tables_in(statement)}
    assert len(on_tables) > 100
    return on_tables


def test_no_statement_on_what_belongs_to_an_account_goes_without_it(said):
    assert strangers(said) == []


def test_the_planner_knows_for_every_table_which_account_is_meant(instance, said):
    with planning(instance.database) as unplaced:
        unknown = {each for each in said if any(unplaced(each, values) for values in said[each])}
    assert unknown <= ACROSS


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM tickets WHERE account_id = %s OR number = 1",
        "DELETE FROM sessions WHERE user_id = 1 AND NOT (account_id = %s AND id = 2)",
        "SELECT (SELECT b.name FROM bins b WHERE b.account_id = a.id) FROM accounts a WHERE a.id = %s",
        (
            "SELECT d.bin_id FROM bins b LEFT JOIN default_bins d ON d.account_id = b.account_id"
            " AND d.user_id = NULL WHERE b.account_id = %s"
        ),
        (
            "SELECT 1 FROM tickets t WHERE t.account_id = %s AND NOT EXISTS"
            " (SELECT 1 FROM versions v WHERE v.account_id = 1 AND (1 = 0))"
        ),
    ],
)
def test_a_statement_of_which_the_planner_knows_no_account_would_be_found(instance, statement):
    with planning(instance.database) as unplaced:
        assert unplaced(statement, [1])
        assert not unplaced("SELECT 1 FROM tickets WHERE account_id = %s AND (number = 1 OR body = ')')", [1])


def test_functions_in_changes_give_the_same_for_the_same_values(instance, said, program):
    changes = [each for each in {*said, *program} if not each.startswith(("SELECT", "WITH"))]
    called = functions_in(changes)
    functions = f"SELECT proname, provolatile FROM pg_proc WHERE proname = ANY ('{{{','.join(called)}}}')"
    found = rows(instance, functions)
    assert {"array_to_tsvector", "string_to_array"} <= {name for name, _ in found}
    assert {how for _, how in found} == {"i"}


def test_the_lock_timeout_is_propagated_to_the_other_machines(instance):
    with instance.database.write() as transaction:
        accounts.list_all(transaction)
    assert "SET LOCAL lock_timeout TO '20s'" in instance.said


def test_signing_in_locks_nothing_that_is_replicated_to_every_machine(instance):
    world = build_world(instance, io.StringIO(), "json")
    web = WebClient(instance.application, world.host)
    # The first time it is learnt from the browser in which language somebody is written to.
    web.sign_in(world.people["ada"].email, PASSWORD)
    web.submit(web.get("/"), "/sign-out")
    instance.said.clear()
    assert web.sign_in(world.people["ada"].email, PASSWORD).path == "/"
    assert any(statement.startswith("INSERT INTO sessions") for statement in instance.said)
    locks = re.compile(
        rf"(UPDATE|INTO|DELETE FROM) ({'|'.join(OF_THE_SERVICE)})\b|\bFOR (SHARE|UPDATE|NO|KEY)\b"
    )
    assert [statement for statement in instance.said if locks.search(statement)] == []


def test_a_backup_asks_for_the_rows_of_one_account_after_the_other(instance, said, tmp_path):
    backup(instance.database, instance.blobs, tmp_path / "spread.tar", overwrite=False)
    whole = instance.database.engine.url.difference_update_query(["options"])
    with closing(Database(whole.render_as_string(hide_password=False))) as database:
        backup(database, instance.blobs, tmp_path / "whole.tar", overwrite=False)
    assert content(tmp_path / "spread.tar") == content(tmp_path / "whole.tar")
    pages = [statement for statement in instance.said if "LIMIT %s" in statement]
    assert any("FROM counters WHERE account_id = %s ORDER BY name LIMIT" in page for page in pages)
    assert strangers(pages) == []


@pytest.fixture(scope="module")
def program(instance):
    """Every statement of the program by its text, also those of the background and of the command line."""
    return of_the_program(instance.database.engine.dialect)


def test_every_statement_of_the_program_names_the_account_or_says_that_all_are_meant(program):
    assert len(program) > 500
    assert set(strangers(program)) <= across(program)


def test_no_statement_of_the_program_is_one_that_spread_tables_refuse(program):
    assert [(each, reason) for each in sorted(program) if (reason := refused(each))] == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT owner FROM leases WHERE expires_at < %s FOR UPDATE",
        "SELECT 1 FROM accounts WHERE EXISTS (SELECT * FROM mails WHERE mails.account_id = accounts.id)",
    ],
)
def test_a_statement_that_spread_tables_refuse_would_be_found(statement):
    assert refused(statement)


def test_the_check_finds_a_function_in_a_change():
    assert functions_in(["UPDATE leases SET expires_at = extract(epoch FROM clock_timestamp())"]) == {
        "extract",
        "clock_timestamp",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM tickets WHERE number = %s",
        "SELECT t.title FROM projects AS p JOIN tickets t ON t.project_id = p.id WHERE p.account_id = %s",
        "SELECT 1 FROM accounts, tickets WHERE tickets.project_id = %s",
        "UPDATE tickets SET title = %s WHERE number = %s",
        "DELETE FROM versions WHERE project_id = %s",
        "INSERT INTO tickets (number, account_id) SELECT number, %s FROM versions",
        "INSERT INTO tickets (account_id, number) VALUES (%s, (SELECT 1 FROM bins WHERE account_id = %s))",
        "SELECT 1 FROM tickets t WHERE t.account_id + 0 = %s",
        "SELECT 1 FROM bins WHERE user_id = %s AND account_id != %s",
        "DELETE FROM sessions WHERE user_id = %s AND NOT (sessions.account_id = %s AND sessions.id = %s)",
        (
            "SELECT 1 FROM tickets t WHERE t.account_id = %s AND (t.number = 1 OR EXISTS"
            " (SELECT 1 FROM versions v WHERE v.account_id = t.account_id AND v.number = t.number))"
        ),
        (
            "SELECT (SELECT m.title FROM milestones m WHERE m.account_id = t.account_id)"
            " FROM tickets t WHERE t.account_id = %s"
        ),
        "SELECT 1 FROM tickets WHERE account_id = %s UNION ALL SELECT 1 FROM versions WHERE number = %s",
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
        (
            "INSERT INTO tickets (account_id, number) SELECT tickets.account_id, %s FROM tickets"
            " WHERE tickets.account_id = %s::BIGINT"
        ),
        (
            "SELECT 1 FROM tickets t WHERE t.account_id = %s AND (t.number = 1 OR EXISTS"
            " (SELECT 1 FROM versions v WHERE v.account_id = %s AND v.number = t.number))"
        ),
        "SELECT 1 FROM users LEFT OUTER JOIN bins ON bins.user_id = users.id AND bins.account_id = %s",
        (
            "WITH found AS MATERIALIZED (SELECT number FROM watchers WHERE account_id = %s)"
            " SELECT 1 FROM found CROSS JOIN tickets t WHERE t.account_id = %s AND t.number = found.number"
        ),
        "SELECT name FROM users WHERE id = %s",
    ],
)
def test_a_statement_that_names_the_account_is_accepted(statement):
    assert missing_accounts(statement) == []


def test_the_guide_spreads_every_table_and_each_after_those_that_it_refers_to(instance):
    text = GUIDE.read_text()
    shared = re.findall(r"create_reference_table\('(\w+)'\)", text)
    first = re.findall(r"^SELECT create_distributed_table\('(\w+)', 'account_id'\);", text, re.MULTILINE)
    (query,) = re.findall(r"^SELECT format\(.*?(?=^\\gexec$)", text, re.MULTILINE | re.DOTALL)
    with instance.database.engine.connect() as connection:
        statements = connection.exec_driver_sql(query.replace("%", "%%")).scalars().all()
    named = re.compile(
        r"SELECT create_distributed_table\('(\w+)', 'account_id', colocate_with => 'account_members'\)"
    )
    spread = [*first, *(named.fullmatch(statement)[1] for statement in statements)]
    assert sorted(shared) == sorted(OF_THE_SERVICE)
    assert sorted(spread) == sorted(OF_ACCOUNTS)
    found = inspect(instance.database.engine)
    for table in (*shared, *spread):
        order = [*shared, *spread]
        for key in found.get_foreign_keys(table):
            assert order.index(key["referred_table"]) < order.index(table), table
