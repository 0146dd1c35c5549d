"""Statements: what they must name."""

import pytest
from sqlalchemy import bindparam, delete, insert, select

from skerry.store.engine.statements import Statement, in_project
from skerry.store.engine.tables import taggings, tickets, tokens

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
def test_a_statement_about_what_is_in_projects_names_one(clause):
    with pytest.raises(ValueError, match="does not name a project"):
        Statement(clause)
    Statement(clause, across_projects=True)


def test_what_is_in_a_project_is_written_and_read_there():
    Statement(insert(tickets))
    Statement(select(tickets.c.title).where(in_project(tickets)))


def test_a_table_of_the_account_needs_no_project():
    Statement(select(tokens.c.id).where(tokens.c.account_id == bindparam("account_id")))
