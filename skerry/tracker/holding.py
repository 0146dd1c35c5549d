"""What is compared with what its reader has seen: held before, so that nobody changes it in between."""

from collections.abc import Callable, Mapping

from skerry.resources.accounts import Account
from skerry.resources.bins import TicketBin
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.changesets import Changeset
from skerry.resources.invitations import Invitation, Welcome
from skerry.resources.memberships import Membership
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.people import Person
from skerry.resources.projects import Project
from skerry.resources.set_ups import SetUp
from skerry.resources.settings import ProjectSettings
from skerry.resources.tickets import Ticket, Version
from skerry.resources.tokens import Token
from skerry.resources.users import User
from skerry.store import accounts, bins, bulk_edits, messages, milestones, tickets, users
from skerry.tracker import projects
from skerry.tracker.visit import Ask, Visit
from skerry.wire.record import Record

Hold = Callable[[Visit, Ask], object]


def held(visit: Visit, kind: type[Record], ask: Ask, *, removes: bool) -> Visit:
    """Return the context with the request's rows locked until the end.

    What somebody ``removes`` is held with all that goes with it. A kind of which nothing is said here is held
    with its whole project, as its own changes must do too.
    """
    hold = (_TO_REMOVE.get(kind) if removes else None) or HOLDS.get(kind, _hold_project)
    entered = hold(visit, ask)
    return entered if isinstance(entered, Visit) else visit


def hold_lists(visit: Visit) -> None:
    """Keep others who compare a list that is in no project from adding to it until the end."""
    accounts.hold(visit.transaction)


def _hold_ticket(visit: Visit, ask: Ask) -> None:
    tickets.hold(visit.transaction, visit.project_id, ask.ids["number"])


def _hold_project(visit: Visit, _ask: Ask) -> Visit:
    return projects.held(visit)


def _hold_nothing(_visit: Visit, _ask: Ask) -> None:
    """What is made and removed and never changed need not be held."""


HOLDS: Mapping[type[Record], Hold] = {
    Account: lambda visit, _ask: accounts.hold(visit.transaction),
    BulkEdit: lambda visit, ask: bulk_edits.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    Changeset: _hold_nothing,
    Invitation: _hold_nothing,
    Membership: _hold_nothing,
    Message: lambda visit, ask: messages.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    Milestone: lambda visit, ask: milestones.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    Person: lambda visit, _ask: accounts.hold(visit.transaction),
    Project: _hold_project,
    ProjectSettings: _hold_project,
    SetUp: _hold_nothing,
    Ticket: _hold_ticket,
    TicketBin: lambda visit, _ask: bins.hold(visit.transaction, visit.project_id),
    Token: _hold_nothing,
    User: lambda visit, _ask: users.hold(visit.transaction, visit.author.user_id),
    Version: _hold_ticket,
    Welcome: _hold_nothing,
}
"""How each kind is held that can be compared."""

_TO_REMOVE: Mapping[type[Record], Hold] = {
    Milestone: lambda visit, ask: milestones.hold_with_tickets(
        visit.transaction, visit.project_id, ask.ids["id"]
    ),
}
