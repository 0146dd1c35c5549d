"""Rows that say which tickets the texts of a ticket name."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, func, insert, select

from skerry.database.statements import OneOf, Statement, in_account, in_project, inline_literal, matching
from skerry.database.transactions import Transaction
from skerry.store import projects
from skerry.store.projects import Visibility
from skerry.store.tables import backlinks, tickets, versions
from skerry.store.tables import projects as project_table
from skerry.store.ticket_rows.moved_tickets import Place

LINKED = "/tickets/"
"""Stands in the HTML of each text that names a ticket."""


class Mention(NamedTuple):
    """A ticket whose text names another one, with the name of its project."""

    project_id: int
    number: int
    title: str
    state: str
    project: str


_THIS = and_(in_project(backlinks), backlinks.c.number == bindparam("of_number"))
_FORGET = Statement(delete(backlinks).where(_THIS))
_INSERT = Statement(insert(backlinks))

_NAMING = and_(in_project(versions), versions.c.body_html.contains(LINKED))
_HTMLS = Statement(select(versions.c.body_html).where(_NAMING, versions.c.number == bindparam("of_number")))
_NUMBERS = Statement(select(versions.c.number).where(_NAMING, OneOf(versions.c.number, "numbers")).distinct())
_NAMES_IN = Statement(
    select(versions.c.number).where(
        _NAMING, versions.c.number == bindparam("of_number"), versions.c.version == bindparam("of_version")
    )
)

# Apart from the table in the condition on visible projects.
_homes = project_table.alias("homes")

_OF = Statement(
    select(
        *(tickets.c[name] for name in ("project_id", "number", "title", "state")),
        _homes.c.name,
        func.count().over(),
    )
    .select_from(
        backlinks.join(tickets, matching(tickets, backlinks, "project_id", "number")).join(
            _homes, matching(_homes, backlinks, id="project_id")
        )
    )
    .where(
        in_account(backlinks),
        backlinks.c.to_project_id == bindparam("to_project_id"),
        backlinks.c.to_number == bindparam("to_number"),
        backlinks.c.project_id.in_(projects.VISIBLE_IDS),
    )
    .order_by(tickets.c.updated_at.desc(), tickets.c.project_id, tickets.c.number)
    .limit(inline_literal("some"))
)


def of(
    transaction: Transaction, place: Place, visibility: Visibility, some: int
) -> tuple[list[Mention], int]:
    """Return the visible tickets whose texts name a ticket, the last changed first, and their number."""
    named = {"to_project_id": place.project_id, "to_number": place.number}
    rows = transaction.all(_OF, some=some, **named, **visibility._asdict())
    return [Mention(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def names_others(transaction: Transaction, place: Place, version: int) -> bool:
    """Return whether the text of a version may name a ticket."""
    key = {"project_id": place.project_id, "of_number": place.number, "of_version": version}
    return transaction.one(_NAMES_IN, **key) is not None


def naming(transaction: Transaction, project_id: int, numbers: Sequence[int]) -> list[int]:
    """Return those of some tickets whose texts may name others."""
    return [number for (number,) in transaction.all(_NUMBERS, project_id=project_id, numbers=numbers)]


def htmls(transaction: Transaction, place: Place) -> Iterable[str]:
    """Return the HTML of the texts of a ticket that may name others."""
    rows = transaction.all(_HTMLS, project_id=place.project_id, of_number=place.number)
    return (html for (html,) in rows)


def replace(transaction: Transaction, place: Place, named: Iterable[Place]) -> None:
    """Replace the tickets that the texts of a ticket name."""
    transaction.run(_FORGET, project_id=place.project_id, of_number=place.number)
    rows = [{**place._asdict(), "to_project_id": each.project_id, "to_number": each.number} for each in named]
    transaction.run_many(_INSERT, rows)
