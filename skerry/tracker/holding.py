"""What is compared with what its reader has seen: held before, so that nobody changes it in between."""

from collections.abc import Callable, Mapping

from skerry.resources.bins import TicketBin
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.projects import Project
from skerry.resources.settings import ProjectSettings
from skerry.resources.tickets import Ticket, Version
from skerry.resources.users import User
from skerry.store import bins, messages, milestones, tickets, users
from skerry.tracker import projects
from skerry.tracker.visit import Ask, Visit
from skerry.wire.record import Record


def held(visit: Visit, kind: type[Record], ask: Ask) -> Visit:
    """Give the visit in which others are kept from changing what is asked for, until the end.

    What is of a kind that is never changed, or has nothing to it but one value, is not held.
    """
    if kind in (Project, ProjectSettings):
        return projects.held(visit)
    hold = _HOLDS.get(kind)
    if hold:
        hold(visit, ask)
    return visit


_HOLDS: Mapping[type[Record], Callable[[Visit, Ask], object]] = {
    Message: lambda visit, ask: messages.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    Milestone: lambda visit, ask: milestones.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    Ticket: lambda visit, ask: tickets.hold(visit.transaction, visit.project_id, ask.ids["number"]),
    TicketBin: lambda visit, ask: bins.hold(visit.transaction, visit.project_id, ask.ids["id"]),
    User: lambda visit, _ask: users.hold(visit.transaction, visit.author.user_id),
    Version: lambda visit, ask: tickets.hold(visit.transaction, visit.project_id, ask.ids["number"]),
}
