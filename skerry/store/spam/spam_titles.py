"""Titles of tickets of spammers in which others wrote."""

from collections.abc import Mapping

from sqlalchemy import Table, bindparam, update

from skerry.database.statements import Statement, in_project
from skerry.database.transactions import Transaction
from skerry.store.tables import tickets, versions
from skerry.text.slugs import permalink

NO_TITLE = "Title removed"
"""The title that such a ticket gets."""


def _retitle(table: Table) -> Statement:
    """Change the title in a ticket or its versions where nobody else has chosen another one."""
    return Statement(
        update(table)
        .where(
            in_project(table), table.c.number == bindparam("number"), table.c.title == bindparam("present")
        )
        .values(title=bindparam("new_title"))
    )


_RETITLE = (_retitle(tickets), _retitle(versions))
_SET_PERMALINK = Statement(
    update(tickets)
    .where(in_project(tickets), tickets.c.number == bindparam("number"))
    .values(permalink=bindparam("new_permalink"))
)


def take(transaction: Transaction, key: Mapping[str, int], title: str) -> None:
    """Take the title that a spammer chose out of a ticket."""
    _change(transaction, key, title, NO_TITLE, permalink(NO_TITLE))


def put_back(transaction: Transaction, key: Mapping[str, int], title: str, its_permalink: str) -> None:
    """Put a title and its permalink back."""
    _change(transaction, key, NO_TITLE, title, its_permalink)


def _change(transaction: Transaction, key: Mapping[str, int], present: str, new: str, slug: str) -> None:
    for statement in _RETITLE:
        transaction.run(statement, **key, present=present, new_title=new)
    transaction.run(_SET_PERMALINK, **key, new_permalink=slug)
