"""The choices in the forms of a ticket."""

from dataclasses import dataclass

from skerry.resources.tickets import PLAIN
from skerry.store import milestones
from skerry.store.milestones import MilestoneName
from skerry.store.people.person import StoredPerson
from skerry.text.levels import Levels
from skerry.text.states import States
from skerry.tracker.context import Context
from skerry.tracker.people import people
from skerry.tracker.projects import levels_of, states_of
from skerry.wire.record import Field


@dataclass(frozen=True)
class Choices:
    """The states, people, milestones and levels of the current project, the next milestone first.

    ``plain`` are the fields of tickets that are entered as text.
    """

    states: States
    people: list[StoredPerson]
    milestones: list[MilestoneName]
    levels: Levels
    plain: tuple[Field, ...] = PLAIN


def choices(context: Context) -> Choices:
    """Return the possible values for tickets of the project; raises Invalid if its states are malformed."""
    return Choices(
        states=states_of(context.project),
        people=people.workers(context),
        milestones=milestones.named(context.transaction, context.project_id),
        levels=levels_of(context.project),
    )
