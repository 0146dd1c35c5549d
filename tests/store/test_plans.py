"""Statements that PostgreSQL plans once, and the quality of these plans."""

import re
from contextlib import closing
from itertools import count

import pytest
from sqlalchemy import Text, text

from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.store import activities, comments, messages, projects
from skerry.store.people import users
from skerry.store.tables import project_counters, project_members, versions, watchers
from skerry.store.tables import projects as projects_table
from skerry.store.tables import tickets as table
from skerry.store.tables import users as users_table
from skerry.store.ticket_rows import ticket_lists, ticket_pages
from tests.support import migrated_databases


def said(words):
    """A statement in words."""
    return Statement(text(words), across_accounts=True)


def fill(transaction, table, count, **values):
    """Put rows into a table, n from 1 on, with what values say in SQL and ones in all other columns."""
    columns = [column for column in table.c if not column.nullable]
    said_of = [values.get(each.name, "'1'" if isinstance(each.type, Text) else "1") for each in columns]
    names = ", ".join(column.name for column in columns)
    transaction.run(said("SET LOCAL session_replication_role TO replica"))
    rows = f"SELECT {', '.join(said_of)} FROM generate_series(1, {count}) n"
    transaction.run(said(f"INSERT INTO {table.name} ({names}) {rows}"))
    transaction.run(said(f"ANALYZE {table.name}"))


@pytest.fixture(scope="module")
def filled():
    """The address of a database with an account whose second project has few of its tickets."""
    with migrated_databases.lent("postgres") as url:
        with closing(Database(url)) as database, database.write(1) as transaction:
            fill(transaction, table, 20000, number="n", project_id="1 + n / 19970")
        yield url


@pytest.fixture
def transaction(filled):
    """A transaction in that account on a connection that has prepared nothing."""
    with closing(Database(filled)) as database, database.write(1) as transaction:
        yield transaction


def plans(transaction, part):
    """Return the numbers of kept and of new plans that all prepared statements with a part have."""
    rows = transaction.sql("SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements", [])
    (found,) = {(kept, new) for statement, kept, new in rows if part in statement}
    return found


@pytest.mark.parametrize("project_id", [1, 2])
def test_all_pages_of_a_length_have_one_plan(transaction, project_id):
    for page in range(20):
        ticket_lists.of_project(transaction, project_id, limit=30, offset=30 * page)
    assert plans(transaction, "LIMIT 30 OFFSET") == (15, 5)


def test_neighbours_have_one_plan_whatever_project_they_are_in(transaction):
    for number in range(19971, 19991):
        ticket_pages.neighbours(transaction, 2, number)
    assert plans(transaction, "> ((SELECT") == plans(transaction, "< ((SELECT") == (15, 5)


def test_the_latest_activity_has_one_plan_for_every_project(transaction):
    for _ in range(20):
        activities.latest(transaction, activities.Filter([2]), 20)
    assert plans(transaction, "LIMIT 20) AS newest JOIN versions") == (15, 5)


def test_tickets_by_their_numbers_have_one_plan_for_lists_of_any_length(transaction):
    for many in range(30, 10, -1):
        transaction.known_tickets.clear()
        ticket_lists.with_keys(transaction, [(1, number) for number in range(many)])
    parts = (
        "tickets.version \nFROM",
        "AS body_edited_by_name, tickets.revision",
        "users.id = ANY",
    )
    assert {plans(transaction, part) for part in parts} == {(15, 5)}


def visited(plan):
    """How many rows the steps of a plan gave or left out, all together."""
    left = sum(rows for name, rows in plan.items() if name.startswith("Rows Removed by"))
    rows = (plan["Actual Rows"] + left) * plan["Actual Loops"]
    return rows + sum(map(visited, plan.get("Plans", ())))


def explained(transaction, statement, values):
    """What happens when the kept plan of a statement is carried out."""
    words, values = statement.on(transaction.dialect).with_values({"account_id": 1, **values})
    numbers = count(1)
    transaction.run(said(f"PREPARE kept AS {re.sub('%s', lambda _: f'${next(numbers)}', words)}"))
    transaction.run(said("SET LOCAL plan_cache_mode TO force_generic_plan"))
    execute = f"EXECUTE kept({', '.join(map(str, values))})"
    ((plan,),) = transaction.all(said(f"EXPLAIN (ANALYZE, FORMAT JSON) {execute}"))
    transaction.run(said("DEALLOCATE kept"))
    return plan[0]["Plan"]


def test_the_kept_plan_for_what_somebody_sees_does_not_look_through_all_projects_for_each(elsewhere):
    with elsewhere.write(1) as transaction:
        for each in (projects_table, project_counters):
            fill(transaction, each, 1000, id="n", project_id="n", public="0")
        # Most people are in one project, so that PostgreSQL thinks that everybody is in few.
        own = {"project_id": "least(n, 1001)", "user_id": "greatest(n, 1000)"}
        fill(transaction, project_members, 4000, id="n", **own)
        sight = projects.Visibility(user_id=1000)._asdict()
        for statement in (projects._SEEN, projects._SEEN_IDS):
            plan = explained(transaction, statement, sight)
            assert plan["Actual Rows"] == 1000
            assert visited(plan) < 20_000


def test_a_person_without_texts_is_found_without_scanning_the_texts_of_others(elsewhere):
    with elsewhere.write(1) as transaction:
        fill(transaction, users_table, 100, id="100000 + n")
        for each in (versions, watchers):
            fill(transaction, each, 20_000, number="n", user_id="100001 + n % 9")
        plan = explained(transaction, users._MET, {"user_id": 100_100})
        assert plan["Actual Rows"] == 0
        assert visited(plan) < 100


def test_the_last_commenter_is_found_without_reading_all_comments(elsewhere):
    with elsewhere.write(1) as transaction:
        fill(transaction, users_table, 100, id="100000 + n")
        fill(transaction, messages.messages, 20_000, id="n", user_id="100001")
        transaction.run(said("UPDATE messages SET parent_id = id % 10 + 1 WHERE id > 10"))
        transaction.run(said("ANALYZE messages"))
        values = {"project_id": "1", "message_ids": "'{1,2,3,4,5,6,7,8,9,10}'"}
        for statement in (comments._LAST_IDS, comments._LAST_COMMENTS):
            plan = explained(transaction, statement, values)
            assert plan["Actual Rows"] == 10
            assert visited(plan) < 100
