"""The tracker as the tools see it: the routes of its interface, and what they answer."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

Data = dict[str, Any]
"""A resource, or the content of an answer, as JSON has it."""

PROJECT = "/projects/{project_id}"
TICKETS = f"{PROJECT}/tickets"
TICKET = f"{TICKETS}/{{number}}"

_NAMED = 20


class Refused(Exception):
    """The tracker or a tool refuses; the sentences are for the model and its person."""

    def __init__(self, sentences: str | Iterable[str]) -> None:
        self.sentences = [sentences] if isinstance(sentences, str) else [*sentences]
        super().__init__("; ".join(self.sentences))


class Answer(NamedTuple):
    """The content of an answer, the number of items of all pages, and the cursor after the last one."""

    content: Any
    total: int | None = None
    last: str | None = None


class Tracker(Protocol):
    """Reaches the tracker for one caller."""

    @property
    def is_read_only(self) -> bool:
        """Return whether the caller may only read."""

    @property
    def project(self) -> str:
        """Return the project that is used where none is named; empty if there is none."""

    async def call(
        self,
        method: str,
        path: str,
        ids: Mapping[str, int] | None = None,
        query: Mapping[str, str] | None = None,
        values: Data | None = None,
    ) -> Answer:
        """Call a route of the interface; raises Refused."""


def item(answer: Answer) -> Data:
    """Return the resource in an answer."""
    content = answer.content
    if isinstance(content, dict) and len(content) == 1:
        (content,) = content.values()
    return content if isinstance(content, dict) else {}


def items(answer: Answer) -> list[Data]:
    """Return the resources of a list."""
    content = answer.content
    if isinstance(content, dict):
        content = next((part for part in content.values() if isinstance(part, list)), [])
    return [item(Answer(each)) for each in content or []]


async def project_of(tracker: Tracker, given: str) -> Data:
    """Return a project by its id or name, or the only one; raises Refused."""
    projects = items(await tracker.call("GET", "/projects"))
    wanted = (given or tracker.project).strip()
    if not wanted and len(projects) == 1:
        return projects[0]
    for each in projects:
        called = (str(each.get("id")), str(each.get("name")).casefold(), str(each.get("permalink")))
        if wanted and wanted.casefold() in called:
            return each
    names = ", ".join(str(each.get("name")) for each in projects[:_NAMED])
    known = f"You see {names}" if projects else "You see no project"
    raise Refused(f"There is no project {wanted[:80]!r}. {known}" if wanted else f"Name a project. {known}")


async def place_of(tracker: Tracker, project: str, number: int | None = None) -> dict[str, int]:
    """Return the ids in the path of a project or of its ticket; raises Refused."""
    ids = {"project_id": int((await project_of(tracker, project))["id"])}
    return ids if number is None else {**ids, "number": number}
