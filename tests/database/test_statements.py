"""Statements must name the account, and the project of rows in projects."""

import pytest
from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from skerry.database.statements import Statement, in_project
from skerry.store.tables import taggings, tickets, tokens

DIALECTS = [sqlite.dialect(), postgresql.dialect()]
HERE = tickets.c.account_id == bindparam("account_id")


@pytest.mark.parametrize(
    "clause",
    [
        select(tickets.c.title).where(HERE),
        delete(tickets).where(HERE),
        select(tokens.c.id).where(
            tokens.c.account_id == bindparam("account_id"), select(taggings.c.tag).exists()
        ),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_statement_about_what_is_in_projects_names_one(dialect, clause):
    with pytest.raises(ValueError, match="does not name a project"):
        Statement(clause).on(dialect)
    assert Statement(clause, across_projects=True).on(dialect).text


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("clause", [insert(tickets), select(tickets.c.title).where(in_project(tickets))])
def test_statements_that_name_the_project_are_accepted(dialect, clause):
    assert Statement(clause).on(dialect).text


def test_a_table_of_the_account_needs_no_project():
    clause = select(tokens.c.id).where(tokens.c.account_id == bindparam("account_id"))
    assert Statement(clause).on(DIALECTS[0]).text


def test_a_statement_that_is_refused_stays_refused():
    statement = Statement(select(tokens.c.id))
    for _ in range(2):
        with pytest.raises(ValueError, match="does not name an account"):
            statement.on(DIALECTS[0])
