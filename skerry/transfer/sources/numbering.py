"""The numbers of the tickets of a project: those of the source where they are free."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skerry.store.transfer.imports import HIGHEST
from skerry.text.project_words import NamedProject, word_of
from skerry.text.slugs import permalink
from skerry.transfer.sources.records import Project, TicketName
from skerry.transfer.sources.report import Report


class Numbers:
    """Numbers the tickets; a number that is taken or missing becomes the next free one."""

    def __init__(self, names: Iterator[TicketName], last: int, report: Report) -> None:
        """Number all tickets; ``last`` is a number up to which all are taken by what does not come."""
        self.in_order: list[int] = []
        self.by_key: dict[str, int] = {}
        self._files = 0
        named = list(names)
        taken: set[int] = set()
        self.highest = max((each.number or 0 for each in named if (each.number or 0) <= HIGHEST), default=0)
        self.highest = max(self.highest, last)
        for key, wanted in named:
            number = wanted
            if number is None or number in taken or not 0 < number <= HIGHEST:
                number = self.highest = self.highest + 1
                if wanted is not None:
                    sentence = "{n} {ticket has|tickets have} another number, because the old one is taken"
                    report.change(sentence, f"{key} is {number}")
                elif key:
                    report.change(
                        "{n} {ticket without a number has|tickets without numbers have} one now",
                        f"{key} is {number}",
                    )
            taken.add(number)
            self.in_order.append(number)
            if key:
                self.by_key.setdefault(key, number)

    def next_file(self) -> int:
        """Return the id of the next attached file."""
        self._files += 1
        return self._files


class Place(NamedTuple):
    """The project of a ticket, by its place in the archive, and its number."""

    project: int
    number: int


class Places:
    """The places of the tickets of all projects of a source; ``words`` has what texts call the projects."""

    def __init__(self, projects: Sequence[Project], report: Report) -> None:
        """Number the tickets of all projects."""
        self.numbers = [Numbers(project.names(), project.last_number, report) for project in projects]
        named = [
            NamedProject(place, project.name, permalink(project.name))
            for place, project in enumerate(projects, 1)
        ]
        self.words = {each.id: word_of(each, named) for each in named}
        self._elsewhere: dict[str, Place] = {}
        shared = set[str]()
        for place, numbers in enumerate(self.numbers if len(projects) > 1 else (), 1):
            shared.update(self._elsewhere.keys() & numbers.by_key.keys())
            self._elsewhere.update((key, Place(place, number)) for key, number in numbers.by_key.items())
        # The same key of two projects does not say which one it means.
        for key in shared:
            del self._elsewhere[key]

    def of(self, project: int, key: str) -> Place | None:
        """Return the place of a ticket that a project names: its own one, or that of another project."""
        number = self.numbers[project - 1].by_key.get(key)
        return self._elsewhere.get(key) if number is None else Place(project, number)
