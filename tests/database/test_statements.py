"""Statements must name the account, and the project of rows in projects."""

import pytest
from sqlalchemy import bindparam, delete, func, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite

from skerry.database.statements import Statement, in_project
from skerry.store.projects import VISIBLE_IDS
from skerry.store.tables import events, projects, taggings, tickets, tokens

DIALECTS = [sqlite.dialect(), postgresql.dialect()]
HERE = tickets.c.account_id == bindparam("account_id")


@pytest.mark.parametrize(
    "clause",
    [
        select(tickets.c.title).where(HERE),
        delete(tickets).where(HERE),
        select(projects.c.name).where(projects.c.account_id == bindparam("account_id")),
        select(func.count()).select_from(events).where(events.c.account_id == bindparam("account_id")),
        text("SELECT title FROM tickets WHERE account_id = :account_id"),
        select(tokens.c.id).where(
            tokens.c.account_id == bindparam("account_id"), select(taggings.c.tag).exists()
        ),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_statement_about_what_is_in_projects_names_one(dialect, clause):
    with pytest.raises(ValueError, match="does not name a project"):
        Statement(clause).on(dialect)
    assert Statement(clause, across_projects="upkeep").on(dialect).text


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "clause",
    [
        insert(tickets),
        select(tickets.c.title).where(in_project(tickets)),
        select(tickets.c.title).where(HERE, tickets.c.project_id.in_(VISIBLE_IDS)),
    ],
)
def test_statements_that_name_the_project_or_what_a_caller_sees_are_accepted(dialect, clause):
    assert Statement(clause).on(dialect).text


def test_a_table_of_the_account_needs_no_project():
    clause = select(tokens.c.id).where(tokens.c.account_id == bindparam("account_id"))
    assert Statement(clause).on(DIALECTS[0]).text


def test_a_statement_that_is_refused_stays_refused():
    statement = Statement(select(tokens.c.id))
    for _ in range(2):
        with pytest.raises(ValueError, match="does not name an account"):
            statement.on(DIALECTS[0])
