"""The target of an imported project: its new id, its people, its states, and the rendering of texts."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from skerry.resources.projects import Project
from skerry.store.engine.transactions import microseconds
from skerry.store.transfer.imports import HIGHEST
from skerry.text import markdown
from skerry.text.slugs import permalink
from skerry.text.states import States, spellable
from skerry.transfer.importing import report as say
from skerry.transfer.importing.people import People

MAX_TITLE_LENGTH = 255
UNTITLED = "Untitled"


@dataclass
class Target:
    """The context in which the rows of a project are created; ``now`` is in microseconds.

    The ``first`` member, by the id in the archive, becomes the author of rows without one.
    """

    project: Project
    states: States
    people: People
    user_ids: Mapping[int, int]
    ids: Mapping[str, Mapping[int, int]]
    milestones: Collection[int]
    revisions: Collection[str]
    told: Counter[str]
    now: int
    first: int = 0

    @property
    def project_id(self) -> int:
        """Return the new id of the project."""
        return self.ids["projects"][self.project.id or 0]

    def author(self, user_id: int | None) -> int:
        """Return the author of an object, Unknown if necessary."""
        if not user_id:
            self.told[say.AUTHORS] += 1
        return self.user_ids[self.people.author(user_id)]

    def somebody(self, user_id: int | None, unknown: str) -> int | None:
        """Return the named person, or None for nobody and for unknown people, who are counted."""
        found = self.known(user_id)
        self.told[unknown] += bool(user_id) and found is None
        return found

    def known(self, user_id: int | None) -> int | None:
        """Return the named person, or None for unknown people and for nobody, which may be written as 0."""
        return self.user_ids.get(user_id) if user_id else None

    def watchers(self, user_ids: list[int]) -> list[int]:
        """Return the ids of the known watchers, sorted."""
        found = {self.somebody(user_id, say.WATCHERS) for user_id in user_ids}
        return sorted(each for each in found if each is not None)

    def milestone(self, milestone_id: int | None) -> int | None:
        """Return a milestone of the project."""
        if not milestone_id:
            return None
        if milestone_id not in self.milestones:
            self.told[say.MILESTONES] += 1
            return None
        return self.ids["milestones"][milestone_id]

    def state(self, name: str | None, *, closed: bool) -> tuple[str, int]:
        """Return a state with the project's spelling and class, unchanged if the project does not have it."""
        wanted = spellable((name or "").strip())
        state = self.states.find(wanted) if wanted else self.states.default
        if state is None:
            self.told[say.STATES] += 1
            return wanted, int(closed)
        return state.name, int(state.closed)

    def title(self, said: str) -> str:
        """Return a title, shortened and not blank."""
        if not said.strip():
            self.told[say.BLANK_TITLES] += 1
            return UNTITLED
        return said[:MAX_TITLE_LENGTH]

    def permalink(self, said: str | None, title: str) -> str:
        """Return a record's permalink, or that of its title."""
        return permalink(said or title)[:MAX_TITLE_LENGTH]

    def html(self, text: str) -> str:
        """Return the safe HTML of a text."""
        return markdown.render(text, self.project_id, self.revisions.__contains__)

    def timestamp(self, exact: int | None, shown: datetime | None, otherwise: int) -> int:
        """Return when something happened, exactly or to the second.

        Missing times, and times before 1970 or in the future, are replaced and counted.
        """
        found = microseconds(shown) if exact is None and shown is not None else exact
        if found is None or not 0 <= found <= self.now:
            self.told[say.TIMESTAMPS] += 1
            return otherwise
        return found


def day(exact: datetime | None) -> int | None:
    """Return a day, which may be in the future."""
    return None if exact is None else microseconds(exact)


def number(said: int) -> int:
    """Return a number that is valid as a list position."""
    return max(0, min(said, HIGHEST))
