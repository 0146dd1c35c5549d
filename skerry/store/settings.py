"""Rows of projects' settings, and the update of tickets to new states."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select, union, update

from skerry.database.statements import OneOf, Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.store.projects import LATER
from skerry.store.tables import projects, taggings, tickets, versions
from skerry.text.states import StateDefinition

CHANGED = (
    "name",
    "description",
    "public",
    "archived",
    "license",
    "open_states",
    "closed_states",
    "importance_levels",
    "default_assigned_user_id",
    "default_milestone_id",
    "mail_from_anyone",
)
"""The settings that clients may change."""

_DERIVED = ("description_html", "open_states_list", "closed_states_list")


@dataclass(frozen=True)
class StoredState:
    """A state as stored in tickets or versions of a project."""

    name: str
    closed: bool


_IN_ACCOUNT = (in_account(projects), projects.c.id == bindparam("project_id"))

_CHANGE = Statement(
    update(projects)
    .where(*_IN_ACCOUNT)
    .values(updated_at=LATER, **{name: bindparam(f"new_{name}") for name in CHANGED + _DERIVED})
)


_MAIL_FROM_ANYONE = Statement(select(projects.c.mail_from_anyone).where(*_IN_ACCOUNT))


def _stored(*tables: Any) -> Statement:
    # Distinct in each part: otherwise all rows of both would be sorted together.
    held = (select(each.c.state, each.c.closed).where(in_project(each)).distinct() for each in tables)
    return Statement(union(*held).order_by("state", "closed"))


_LOCKED, _EVER_STORED = _stored(tickets), _stored(tickets, versions)


def _reclassed(table: Any) -> Any:
    held = (in_project(table), table.c.state == bindparam("held"), table.c.closed == bindparam("was"))
    return update(table).where(*held).values(state=bindparam("new_state"), closed=bindparam("new_closed"))


_LOCK = Statement(
    select(tickets.c.number)
    .where(in_project(tickets), OneOf(tickets.c.state, "states"))
    .order_by(tickets.c.number)
    .with_for_update()
)
_TICKETS = Statement(_reclassed(tickets).returning(tickets.c.milestone_id))
_VERSIONS = Statement(_reclassed(versions))
_TAGGINGS = Statement(
    update(taggings)
    .where(
        in_project(taggings),
        taggings.c.closed == bindparam("was"),
        taggings.c.number.in_(
            select(tickets.c.number).where(in_project(tickets), tickets.c.state == bindparam("new_state"))
        ),
    )
    .values(closed=bindparam("new_closed"))
)


def takes_mail_from_anyone(transaction: Transaction, project_id: int) -> bool:
    """Return whether anybody may open tickets of a project by mail."""
    return bool(transaction.value(_MAIL_FROM_ANYONE, project_id=project_id))


def change(transaction: Transaction, project_id: int, **values: Any) -> None:
    """Set the settings of a project."""
    values = {**values, "public": int(values["public"]), "archived": int(values["archived"])}
    values["mail_from_anyone"] = int(values["mail_from_anyone"])
    new = {f"new_{name}": value for name, value in values.items()}
    transaction.run(_CHANGE, project_id=project_id, now=transaction.now, **new)


def stored_states(transaction: Transaction, project_id: int, *, ever: bool) -> list[StoredState]:
    """Return every state that tickets of a project have, or ``ever`` had, and whether it is closed.

    Earlier states are read from all versions, which takes long if there are many.
    """
    rows = transaction.all(_EVER_STORED if ever else _LOCKED, project_id=project_id)
    return [StoredState(name, bool(closed)) for name, closed in rows]


def lock(transaction: Transaction, project_id: int, states: list[str]) -> None:
    """Lock the tickets with some states until the transaction ends."""
    transaction.run(_LOCK, project_id=project_id, states=states)


def reclass(
    transaction: Transaction, project_id: int, held: StoredState, state: StateDefinition
) -> list[int | None]:
    """Change one state of locked tickets and their versions to another; return each ticket's milestone."""
    values = {
        "project_id": project_id,
        "held": held.name,
        "was": int(held.closed),
        "new_state": state.name,
        "new_closed": int(state.closed),
    }
    moved = [row[0] for row in transaction.all(_TICKETS, **values)]
    transaction.run(_VERSIONS, **values)
    if held.closed != state.closed:
        transaction.run(_TAGGINGS, **values)
    return moved
