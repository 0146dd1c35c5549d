"""Resolves the names of states, people, milestones and days in commands."""

from datetime import date
from functools import cached_property

from skerry.store import calendar, milestones
from skerry.store.milestones import MilestoneName
from skerry.store.people import people
from skerry.store.people.person import StoredPerson
from skerry.text.queries.query_tree import MYSELF, NEXT
from skerry.text.queries.query_values import as_written
from skerry.text.states import StateDefinition
from skerry.text.words import folded
from skerry.tracker.context import Context
from skerry.tracker.projects import levels_of, states_of

_BY_ID = "id#"
_MAX_ID_LENGTH = 18


class UnknownName(Exception):
    """An unknown or ambiguous name; the message is a sentence without capital and full stop."""


class NameResolver:
    """The states, people and milestones of the current project, each read once.

    With ``looking`` nothing is locked, so milestones may disappear before the end.
    """

    def __init__(self, context: Context, *, looking: bool = False) -> None:
        self._context = context
        self._looking = looking

    @property
    def project_id(self) -> int:
        """The id of the current project."""
        return self._context.project_id

    def state(self, name: str) -> StateDefinition:
        """Return a state by its name in any case; raises UnknownName."""
        state = states_of(self._context.project).find(name)
        if state is None:
            raise UnknownName(f"there is no state {as_written(name)}")
        return state

    @property
    def first_closed(self) -> StateDefinition:
        """The state that closes a ticket when none is named."""
        return states_of(self._context.project).first_closed

    def level(self, name: str) -> int:
        """Return the number of a level of importance by its name in any case; raises UnknownName."""
        level = levels_of(self._context.project).find(name)
        if level is None:
            raise UnknownName(f"there is no importance {as_written(name)}")
        return level.number

    def level_name(self, number: int) -> str | None:
        """Return the name of a level of importance."""
        return levels_of(self._context.project).name_of(number)

    def person(self, text: str) -> int:
        """Return the id of a person who works in the project; raises UnknownName.

        People are given by id, login, full name or first name; the first match in this order is taken.
        """
        wanted = folded(text)
        if wanted == MYSELF:
            return self._myself()
        for names in ("id", "email", "name", "first"):
            people_ids = [person.id for person in self._people if _called(person, names) == wanted]
            if len(people_ids) > 1:
                raise UnknownName(f"several people here are called {as_written(text)}")
            if people_ids:
                return people_ids[0]
        raise UnknownName(f"nobody here is called {as_written(text)}")

    def _myself(self) -> int:
        if not any(person.id == self._context.author.user_id for person in self._people):
            raise UnknownName("you are not a member here")
        return self._context.author.user_id

    @cached_property
    def _people(self) -> list[StoredPerson]:
        return people.workers(self._context.transaction, self._context.project_id)

    @property
    def workers(self) -> set[int]:
        """The ids of the people who work in the project."""
        return {person.id for person in self._people}

    def name(self, user_id: int | None) -> str | None:
        """Return the name of a person who works in the project."""
        return next((person.name for person in self._people if person.id == user_id), None)

    def title(self, milestone_id: int | None) -> str | None:
        """Return the title of a milestone."""
        return next((each.title for each in self._milestones if each.id == milestone_id), None)

    def milestone(self, text: str) -> int:
        """Return the id of a milestone, locked until the transaction ends.

        It is given by title or as ``id#7``; ``next`` is the open one due first from today on. If several have
        the same title, the open one is taken. Raises UnknownName.
        """
        wanted = folded(text)
        milestone_id = self._next() if wanted == NEXT else self._titled(text, wanted)
        self.check_milestone(milestone_id, text)
        return milestone_id

    def check_milestone(self, milestone_id: int, text: str = "") -> None:
        """Lock a milestone until the transaction ends; raises UnknownName if it does not exist."""
        if not self._has(milestone_id):
            raise UnknownName(f"there is no milestone {as_written(text or f'{_BY_ID}{milestone_id}')}")

    def _has(self, milestone_id: int) -> bool:
        if self._looking:
            return any(milestone.id == milestone_id for milestone in self._milestones)
        return milestones.exists(self._context.transaction, self._context.project_id, milestone_id)

    def _next(self) -> int:
        now = self._context.transaction.now
        for milestone in self._milestones:
            if not milestone.closed and milestones.is_ahead(milestone.due_on, now):
                return milestone.id
        raise UnknownName("no open milestone is due today or later")

    def _titled(self, text: str, wanted: str) -> int:
        digits = wanted.removeprefix(_BY_ID)
        if digits != wanted and digits.isascii() and digits.isdigit() and len(digits) <= _MAX_ID_LENGTH:
            return int(digits)
        milestones = [milestone for milestone in self._milestones if folded(milestone.title) == wanted]
        if len(milestones) > 1:
            milestones = [milestone for milestone in milestones if not milestone.closed] or milestones
        if not milestones:
            raise UnknownName(f"there is no milestone {as_written(text)}")
        if len(milestones) > 1:
            raise UnknownName(f"several milestones are called {as_written(text)}")
        return milestones[0].id

    @cached_property
    def today(self) -> date:
        """The day where the caller is."""
        return calendar.today(self._context.transaction, self._context.author.user_id)

    @cached_property
    def _milestones(self) -> list[MilestoneName]:
        return milestones.named(self._context.transaction, self._context.project_id)


def _called(person: StoredPerson, names: str) -> str:
    if names == "id":
        return str(person.id)
    if names == "email":
        return person.email.casefold()
    name = folded(person.name)
    return name if names == "name" else name.partition(" ")[0]
