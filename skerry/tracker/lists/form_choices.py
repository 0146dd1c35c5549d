"""What a ticket of the project may be given: the choices that stand in its forms."""

from dataclasses import dataclass

from skerry.resources.tickets import PLAIN
from skerry.store import milestones
from skerry.store.milestones import Named
from skerry.store.person import Person
from skerry.text.states import States
from skerry.tracker import people
from skerry.tracker.context import Context
from skerry.tracker.projects import states_of
from skerry.wire.record import Field


@dataclass(frozen=True)
class Choices:
    """The states of the project that was entered, who works in it, its milestones, the next one first.

    The ``plain`` fields of tickets take what is written in them.
    """

    states: States
    people: list[Person]
    milestones: list[Named]
    plain: tuple[Field, ...] = PLAIN


def choices(context: Context) -> Choices:
    """Return the values that tickets of the project may have; raises Invalid if its states cannot be read."""
    return Choices(
        states=states_of(context.project),
        people=people.workers(context),
        milestones=milestones.named(context.transaction, context.project_id),
    )
