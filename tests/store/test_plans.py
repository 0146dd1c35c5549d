"""Which statements PostgreSQL plans once, and not anew each time."""

import pytest
from sqlalchemy import Text, text

from skerry.store import activities, neighbours, ticket_lists
from skerry.store.statements import Statement
from skerry.store.tables import tickets as table


def said(words):
    """A statement in words."""
    return Statement(text(words), across_accounts=True)


@pytest.fixture
def transaction(elsewhere):
    """A transaction in an account whose second project has few of its tickets, as PostgreSQL knows."""
    columns = [column for column in table.c if not column.nullable]
    values = [
        {"number": "n", "project_id": "1 + n / 19970"}.get(
            each.name, "'1'" if isinstance(each.type, Text) else "1"
        )
        for each in columns
    ]
    names = ", ".join(column.name for column in columns)
    with elsewhere.write(1) as transaction:
        transaction.run(said("SET LOCAL session_replication_role TO replica"))
        transaction.run(
            said(f"INSERT INTO tickets ({names}) SELECT {', '.join(values)} FROM generate_series(1, 20000) n")
        )
        transaction.run(said("ANALYZE tickets"))
        yield transaction


def plans(transaction, part):
    """Give the numbers of kept and of new plans that all prepared statements with a part have."""
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
        neighbours.beside(transaction, 2, number)
    assert plans(transaction, "> ((SELECT") == plans(transaction, "< ((SELECT") == (15, 5)


def test_what_happened_last_has_one_plan_whatever_project_it_was_in(transaction):
    for _ in range(20):
        activities.latest(transaction, [2], 20)
    assert plans(transaction, "LIMIT 20) AS newest JOIN versions") == (15, 5)


def test_tickets_by_their_numbers_have_one_plan_for_lists_of_any_length(transaction):
    for many in range(30, 10, -1):
        transaction.known_tickets.clear()
        ticket_lists.those(transaction, [(1, number) for number in range(many)])
    parts = (
        "tickets.version \nFROM",
        "tickets.watchers_ids AS watchers_ids, tickets.revision",
        "users.id = ANY",
    )
    assert {plans(transaction, part) for part in parts} == {(15, 5)}
