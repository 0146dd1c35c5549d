"""The target of an imported project: its new id, its people, its states, and the rendering of texts."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from skerry.database.transactions import microseconds
from skerry.resources.projects import Project
from skerry.store.transfer.imports import HIGHEST
from skerry.text import markdown
from skerry.text.levels import LevelsError, read_levels, write_levels
from skerry.text.slugs import permalink
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT, States, StatesError, read_states, spellable
from skerry.transfer.importing import report as say
from skerry.transfer.importing.people import People
from skerry.transfer.importing.project_references import ProjectReferences
from skerry.visibility import is_visible
from skerry.wire.record import changed
from skerry.wire.values import named_day

MAX_TITLE_LENGTH = 255
UNTITLED = "Untitled"


@dataclass
class ImportTarget:
    """The context in which the rows of a project are created; ``now`` is in microseconds.

    The ``first`` member, by the id in the archive, becomes the author of rows without one.
    """

    project: Project
    states: States
    people: People
    user_ids: Mapping[int, int]
    placeholders: Collection[int]
    ids: Mapping[str, Mapping[int, int]]
    milestones: Collection[int]
    revisions: Collection[str]
    told: Counter[str]
    now: int
    elsewhere: ProjectReferences
    first: int

    @property
    def project_id(self) -> int:
        """Return the new id of the project."""
        return self.ids["projects"][self.project.id or 0]

    @property
    def projects_here(self) -> dict[int, int]:
        """Return the ids here of the projects of the archive, as far as they are here or to come."""
        return {**self.elsewhere.here, **self.ids["projects"]}

    def author(self, user_id: int | None) -> int:
        """Return the id of the author of an object, of a user called Unknown if necessary."""
        if not user_id:
            self.told[say.AUTHORS] += 1
        return self.user_ids[self.people.author(user_id)]

    def somebody(self, user_id: int | None, unknown: str) -> int | None:
        """Return the id of the named person, or None for nobody and for unknown people, who are counted."""
        user = self.known(user_id)
        self.told[unknown] += bool(user_id) and user is None
        return user

    def known(self, user_id: int | None) -> int | None:
        """Return the id of the named person, or None for unknown people and for nobody (None or 0)."""
        return self.user_ids.get(user_id) if user_id else None

    def watchers(self, user_ids: list[int]) -> list[int]:
        """Return the ids of the known watchers, sorted."""
        watchers = {self.somebody(user_id, say.WATCHERS) for user_id in user_ids}
        return sorted(each for each in watchers if each is not None)

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
        said = (name or "").strip()
        wanted = spellable(said)
        self.told[say.STATE_NAMES] += wanted != unicodedata.normalize("NFC", said)
        state = self.states.find(wanted) if wanted else self.states.default
        if state is None:
            self.told[say.STATES] += 1
            return wanted, int(closed)
        return state.name, int(state.closed)

    def title(self, said: str) -> str:
        """Return a title, shortened and not blank."""
        kept = said[:MAX_TITLE_LENGTH]
        if not is_visible(kept):
            self.told[say.BLANK_TITLES] += 1
            return UNTITLED
        self.told[say.LONG_TITLES] += kept != said
        return kept

    def position(self, said: int) -> int:
        """Return a number that is valid as a list position."""
        self.told[say.POSITIONS] += not 0 <= said <= HIGHEST
        return max(0, min(said, HIGHEST))

    def permalink(self, said: str | None, title: str) -> str:
        """Return a record's permalink, or that of its title."""
        return permalink(said or title)[:MAX_TITLE_LENGTH]

    def text(self, said: str, html: str | None) -> tuple[str, str]:
        """Return a text whose references keep their meaning, and its safe HTML, given that in the archive."""
        self.elsewhere.note_unlinked(said, html)
        text, projects = self.elsewhere.rewritten(said, html)
        return text, markdown.render(text, self.project_id, self.revisions.__contains__, projects=projects)

    def timestamp(self, exact: int | None, shown: datetime | None, otherwise: int) -> int:
        """Return when something happened, exactly or to the second.

        Missing times, and times before 1970 or in the future, are replaced and counted.
        """
        timestamp = microseconds(shown) if exact is None and shown is not None else exact
        if timestamp is None or not 0 <= timestamp <= self.now:
            self.told[say.TIMESTAMPS] += 1
            return otherwise
        return timestamp


def day(exact: datetime | None) -> int | None:
    """Return a day, which may be in the future."""
    return None if exact is None else microseconds(named_day(exact))


def with_levels(project: Project, names: Mapping[int, str], told: Counter[str]) -> Project:
    """Return the project with its levels of importance, or else with those that its tickets name."""
    try:
        text = project.importance_levels if read_levels(project.importance_levels) else write_levels(names)
    except LevelsError:
        told[say.LEVEL_TEXTS] += 1
        text = write_levels(names)
    return changed(project, importance_levels=text or None)


def states_of(project: Project, told: Counter[str]) -> tuple[States, Project]:
    """Return the states of a project, and the project with their texts; defaults for damaged ones."""
    try:
        texts = project.open_states or OPEN_DEFAULT, project.closed_states or CLOSED_DEFAULT
        states = read_states(*texts)
    except StatesError:
        told[say.STATE_TEXTS] += 1
        texts = OPEN_DEFAULT, CLOSED_DEFAULT
        states = read_states(*texts)
    return states, changed(project, open_states=texts[0], closed_states=texts[1])
