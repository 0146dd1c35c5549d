"""Links between tickets as rows, each of them seen from either ticket."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, insert, literal_column, or_, select, union_all, update

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_account, in_project, matching
from skerry.database.transactions import Transaction
from skerry.resources.links import KINDS
from skerry.store.counts import counters
from skerry.store.tables import ticket_links as table
from skerry.store.tables import tickets
from skerry.store.ticket_rows.batches import AT_ONCE
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.wire.values import MAX_INTEGER

ONLY_PRESENT = MAX_INTEGER
"""Stands for a version after all others."""


class Link(NamedTuple):
    """A link as the ticket at ``place`` shows it; ``other`` is the place of the other ticket.

    ``added_in`` and ``removed_in`` are versions of the ticket; ``removed_in`` is None for a present link. A
    ``reverse`` link is stored as that of the other ticket.
    """

    id: int
    kind: str
    place: Place
    added_in: int
    removed_in: int | None
    other: Place
    title: str
    state: str
    closed: bool
    reverse: bool


def _seen_from(own: str, other: str) -> Select[Any]:
    """Select the links of tickets, as their own or as those of the others."""
    there = matching(tickets, table, project_id=f"{other}project_id", number=f"{other}number")
    removed_in = table.c[f"{own}removed_in"]
    columns = ("project_id", "number", "added_in", "removed_in")
    return (
        select(
            table.c.id,
            table.c.kind,
            *(table.c[f"{own}{name}"].label(name) for name in columns),
            tickets.c.project_id.label("there"),
            tickets.c.number.label("number_there"),
            tickets.c.title,
            tickets.c.state,
            tickets.c.closed,
            literal_column("1" if own else "0").label("reverse"),
        )
        .select_from(table.join(tickets, there))
        .where(
            in_account(table),
            table.c[f"{own}project_id"] == bindparam("project_id"),
            OneOf(table.c[f"{own}number"], "numbers"),
            or_(removed_in.is_(None), removed_in >= bindparam("since")),
        )
    )


_OF_TICKETS = Statement(union_all(_seen_from("", "other_"), _seen_from("other_", "")))

_LEADING = Statement(
    select(table.c.number, table.c.other_project_id, table.c.other_number).where(
        in_project(table),
        OneOf(table.c.number, "numbers"),
        table.c.kind == bindparam("kind"),
        table.c.removed_in.is_(None),
    )
)

_INSERT = Statement(insert(table))

_REMOVE = Statement(
    update(table)
    .where(in_project(table), table.c.id == bindparam("link_id"))
    .values(removed_in=bindparam("in_version"), other_removed_in=bindparam("in_other_version"))
)


def of_tickets(
    transaction: Transaction, project_id: int, numbers: Iterable[int], since: int = ONLY_PRESENT
) -> list[Link]:
    """Return the links of some tickets, the oldest first, and those removed ``since`` a version."""
    linked = []
    for some in chunks(sorted(set(numbers)), AT_ONCE):
        rows = transaction.all(_OF_TICKETS, project_id=project_id, numbers=some, since=since)
        linked += [_link(*row) for row in rows]
    return sorted(linked)


def linked_projects(
    transaction: Transaction, project_id: int, versions: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], set[int]]:
    """Return the projects of the tickets to which versions changed links, by number and version."""
    wanted = {*versions}
    since = min((version for _, version in wanted), default=ONLY_PRESENT)
    projects: dict[tuple[int, int], set[int]] = {}
    for link in of_tickets(transaction, project_id, {number for number, _ in wanted}, since):
        for version in {link.added_in, link.removed_in} - {None}:
            projects.setdefault((link.place.number, version or 0), set()).add(link.other.project_id)
    return projects


def _link(  # noqa: PLR0913, PLR0917 - the columns of a row
    link_id: int,
    kind: str,
    project_id: int,
    number: int,
    added_in: int,
    removed_in: int | None,
    there: int,
    number_there: int,
    title: str,
    state: str,
    closed: int,
    reverse: int,
) -> Link:
    seen = KINDS[kind] if reverse else kind
    place, other = Place(project_id, number), Place(there, number_there)
    return Link(link_id, seen, place, added_in, removed_in, other, title, state, bool(closed), bool(reverse))


def leading(transaction: Transaction, kind: str, places: Iterable[Place]) -> set[tuple[Place, Place]]:
    """Return the present links of a stored kind that lead from some tickets, each with where it leads."""
    by_project: dict[int, list[int]] = {}
    for place in sorted(places):
        by_project.setdefault(place.project_id, []).append(place.number)
    return {
        (Place(project_id, number), Place(*other))
        for project_id, numbers in by_project.items()
        for some in chunks(numbers, AT_ONCE)
        for number, *other in transaction.all(_LEADING, project_id=project_id, numbers=some, kind=kind)
    }


def add(
    transaction: Transaction, kind: str, place: Place, other: Place, versions: Mapping[Place, int]
) -> None:
    """Add a link of a stored kind, given the versions that add it to both tickets."""
    transaction.run(
        _INSERT,
        id=counters.next_id(transaction, table.name),
        kind=kind,
        project_id=place.project_id,
        number=place.number,
        added_in=versions[place],
        removed_in=None,
        other_project_id=other.project_id,
        other_number=other.number,
        other_added_in=versions[other],
        other_removed_in=None,
    )


def restore(transaction: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add the rows of links with new ids."""
    ids = counters.next_ids(transaction, table.name, len(rows))
    transaction.run_many(_INSERT, [{**row, "id": each} for each, row in zip(ids, rows, strict=True)])


def remove(transaction: Transaction, link: Link, versions: Mapping[Place, int]) -> None:
    """Record that a link was removed, given the versions that remove it from both tickets."""
    place, other = (link.other, link.place) if link.reverse else (link.place, link.other)
    key = {"project_id": place.project_id, "link_id": link.id}
    transaction.run(_REMOVE, **key, in_version=versions[place], in_other_version=versions[other])
