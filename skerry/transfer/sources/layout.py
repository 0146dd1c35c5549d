"""Writes the projects of a source as an archive in the layout of an export."""

import io
import re
import tarfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from skerry.errors import Invalid
from skerry.store.disk_space import DiskSpace
from skerry.store.transfer import archive
from skerry.text.levels import write_levels
from skerry.text.states import MAX_TEXT_LENGTH, spellable
from skerry.text.tags import read_tags, write_tags
from skerry.text.words import folded
from skerry.transfer.sources import earlier_texts, files, history
from skerry.transfer.sources.links import Links
from skerry.transfer.sources.numbering import Place, Places
from skerry.transfer.sources.records import Attachment, Milestone, Person, Project, Ticket, Values
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.rewriting import Rewriter
from skerry.wire import exports as names
from skerry.wire import json

_OPEN_COLORS = ("f17f11", "3b7dd8", "8e5ac8", "2a9d8f", "b0853a", "888888")
_CLOSED_COLORS = ("66aa00", "888888", "aa3300", "5f6b7a")
_NO_LETTERS = re.compile(r"^[\W\d_]+")
_PLACEHOLDERS = "{n} {person has|people have} no address in the export; for --people, their keys are"

Tree = dict[str, Any]


class ArchiveWriter:
    """Writes an archive into a file, one small file after the other."""

    def __init__(self, root: str, file: IO[bytes], folder: Path) -> None:
        """Begin an archive; ``root`` names the origin of its people."""
        self._root, self._space = names.distinct_slug(root), DiskSpace(folder)
        self._tar = tarfile.open(fileobj=file, mode="w:")  # noqa: SIM115 - closed by ``close``

    def add(self, name: str, tree: Tree) -> None:
        """Add a JSON file."""
        content = json.encode(tree)
        self.copy(name, len(content), io.BytesIO(content))

    def copy(self, name: str, size: int, content: IO[bytes]) -> None:
        """Add a file; raises Conflict if the disk is full."""
        self._space.take(size)
        info = tarfile.TarInfo(f"{self._root}/{name}")
        info.size = size
        self._tar.addfile(info, content)
        archive.forget(self._tar)

    def close(self) -> None:
        """Write the end of the archive."""
        self._tar.close()


class People:
    """The people of an archive with their ids, in the order in which they are named."""

    def __init__(self) -> None:
        self.known: dict[str, Person] = {}
        self._ids: dict[str, int] = {}

    def __len__(self) -> int:
        """Return how many people were named."""
        return len(self._ids)

    def id(self, key: str) -> int | None:
        """Return the id of a person, or None for nobody."""
        return self._ids.setdefault(key, len(self._ids) + 1) if key else None

    def write(self, writer: ArchiveWriter, report: Report) -> None:
        """Write everybody who was named, and report those without an address."""
        for key, number in self._ids.items():
            person = self.known.get(key) or Person(key, key)
            if not person.email:
                report.change(_PLACEHOLDERS, key if person.name == key else f"{key} ({person.name})")
            name = f"users/{names.numbered(number, person.name)}/user.json"
            user = {"id": number, "name": person.name}
            writer.add(name, {"user": user, "details": {"email": person.email, "key": key}})


class ProjectWriter:
    """Writes one project; ``place`` is its id in the archive."""

    def __init__(
        self,
        writer: ArchiveWriter,
        people: People,
        project: Project,
        report: Report,
        places: Places,
        place: int,
    ) -> None:
        """Create a writer; nothing is written yet."""
        self._writer, self._people, self._project, self._report = writer, people, project, report
        self._folder = f"projects/{names.numbered(place, project.name)}"
        self._place, self._numbers = place, places.numbers[place - 1]
        self._rewriter = Rewriter(project.references, places, place, project.people, report)
        self._milestones: dict[str, int] = {}
        self._states: dict[str, str] = {}
        self._closed: set[str] = set()
        self._levels: dict[str, int] = {}

    def write(self, links: Links, tell: Callable[[int, int], object]) -> None:
        """Write everything; ``tell`` is called with how many tickets are done, and how many there are."""
        project, report = self._project, self._report
        self._people.known.update(project.people)
        self._milestones = {key: number for number, key in enumerate(project.milestones, 1)}
        self._levels = {name: len(project.levels) - at for at, name in enumerate(project.levels)}
        self._closed = {folded(spellable(name)) for name in project.closed_states}
        for name in (*project.open_states, *project.closed_states):
            self._state(name)
        earliest = project.created_at
        total = len(self._numbers.in_order)
        for done, ticket in enumerate(project.tickets()):
            if done >= total:
                raise Invalid(f"{project.name}: the source has more tickets than it named")
            self._add_ticket(self._numbers.in_order[done], ticket, links)
            earliest = min(earliest or ticket.created_at, ticket.created_at)
            tell(done + 1, total)
        # A source may find people in its tickets.
        self._people.known.update(project.people)
        report.keep("{n} {ticket|tickets}", total)
        self._add_milestones(earliest or 0)
        self._add_project(earliest or 0)

    def _add_project(self, created_at: int) -> None:
        project = self._project
        stated = {
            "open_states": self._state_lines(_OPEN_COLORS, closed=False) or "open/f17f11",
            "closed_states": self._state_lines(_CLOSED_COLORS, closed=True) or "closed/66aa00",
        }
        shown: Tree = {
            "id": self._place,
            "name": project.name,
            "description": self._rewriter.rewritten(project.description),
            "archived": project.archived,
            **stated,
        }
        if project.levels:
            shown["importance_levels"] = write_levels(
                {number: self._level_name(name) for name, number in self._levels.items()}
            )
        details = {"created_at": created_at, "updated_at": created_at, "last_number": self._numbers.highest}
        self._writer.add(f"{self._folder}/project.json", {"project": shown, "details": details})

    def _state_lines(self, colors: tuple[str, ...], *, closed: bool) -> str:
        wanted = [name for key, name in self._states.items() if (key in self._closed) == closed]
        lines = (f"{name}/{colors[min(at, len(colors) - 1)]}" for at, name in enumerate(wanted))
        text = ""
        for line in lines:
            if len(text) + len(line) < MAX_TEXT_LENGTH:
                text = f"{text}\n{line}".lstrip()
        return text

    def _level_name(self, name: str) -> str:
        """Return a name that begins with a letter, such as Critical for "1 - Critical"."""
        written = _NO_LETTERS.sub("", name) or f"P{name}"
        if written != name:
            sentence = "{n} {level of importance has|levels of importance have} another name"
            self._report.change(sentence, f"{name} is {written}")
        return written

    def _add_milestones(self, created_at: int) -> None:
        """Add all milestones; those whose creation is not known are as old as the project."""
        for key, number in self._milestones.items():
            milestone = self._project.milestones[key]
            name = f"{self._folder}/milestones/{names.numbered(number, milestone.title)}.json"
            self._writer.add(name, self._milestone(number, milestone, milestone.created_at or created_at))
        self._report.keep("{n} {milestone|milestones}", len(self._milestones))

    def _milestone(self, number: int, milestone: Milestone, created_at: int) -> Tree:
        details = {
            "id": number,
            "user_id": self._people.id(milestone.author),
            "created_at": created_at,
            "updated_at": created_at,
            "completed_at": milestone.completed_at,
        }
        shown = {
            "id": number,
            "title": milestone.title,
            "goals": self._rewriter.rewritten(milestone.goals),
            "due_on": milestone.due_on and f"{milestone.due_on}T00:00:00Z",
        }
        return {"milestone": shown, "details": details}

    def _add_ticket(self, number: int, ticket: Ticket, links: Links) -> None:
        found = history.versions(ticket, self._report)
        self._report.keep("{n} {comment|comments}", sum(bool(each.body) for each in found[1:]))
        self._report.keep("{n} {change|changes} of values", sum(bool(each.before) for each in found))
        folder = f"{self._folder}/tickets/{names.numbered(number, ticket.values.title)}"
        files = [*self._files(folder, ticket, found)]
        seen = {"private": ticket.private}
        self._report.keep(
            "{n} private {ticket|tickets}, which only members, the author and the assignee see",
            ticket.private,
        )
        versions = [self._version(place, each) | seen for place, each in enumerate(found, 1)]
        edited = earlier_texts.of(ticket, self._people.id, self._rewriter.rewritten, self._report)
        versions[0] |= edited.version
        shown = {
            **self._values(ticket.values),
            **seen,
            "number": number,
            "creator_id": self._people.id(ticket.author),
            "watchers_ids": [self._people.id(key) for key in dict.fromkeys(ticket.watchers) if key],
            "versions": versions,
            "attachments": [shown for shown, _ in files],
        }
        moments = [
            {"version": place, "created_at": each.at, "updated_at": each.at}
            for place, each in enumerate(found, 1)
        ]
        details = {
            "created_at": ticket.created_at,
            "updated_at": max(ticket.updated_at or 0, found[-1].at),
            "versions": [moments[0] | edited.details, *moments[1:]],
            "earlier_texts": edited.texts,
            "attachments": [details for _, details in files],
            "links": list(links.of(Place(self._place, number), ticket)),
        }
        self._writer.add(f"{folder}/{names.TICKET}", {"ticket": shown, "details": details})

    def _version(self, place: int, version: history.StoredVersion) -> Tree:
        body = self._rewriter.rewritten(version.body)
        return {
            **self._values(version.values),
            "version": place,
            "user_id": self._people.id(version.author),
            "body": body,
            "body_html": self._rewriter.html_of(body),
            "diffable_attributes": {
                _CALLED.get(name, name): self._old(name, value) for name, value in version.before.items()
            },
        }

    def _values(self, values: Values) -> Tree:
        return {
            "title": values.title,
            "state": self._state(values.state),
            "tag": write_tags(_tags(values.tags)),
            "assigned_user_id": self._people.id(values.assignee),
            "milestone_id": self._milestone_id(values.milestone),
            "importance": self._levels.get(values.level, 0),
            "due_on": values.due_on,
            "closed": folded(spellable(values.state)) in self._closed,
        }

    def _old(self, name: str, value: Any) -> Any:
        translate: dict[str, Callable[[Any], Any]] = {
            "state": self._state,
            "tags": lambda tags: write_tags(_tags(tags)),
            "assignee": self._people.id,
            "milestone": self._milestone_id,
            "level": lambda level: self._levels.get(level, 0),
        }
        return translate[name](value) if name in translate else value

    def _milestone_id(self, key: str) -> int | None:
        if key and key not in self._milestones:
            self._report.lose("{n} {use|uses} of milestones that are not in the export", key)
        return self._milestones.get(key)

    def _state(self, name: str) -> str:
        written = spellable(name) or "open"
        if folded(written) not in self._states and written != name:
            self._report.change("{n} {state has|states have} another name", f"{name} is {written}")
        return self._states.setdefault(folded(written), written)

    def _files(
        self, folder: str, ticket: Ticket, found: list[history.StoredVersion]
    ) -> Iterator[tuple[Tree, Tree]]:
        taken: set[str] = set()
        for at, attachment in enumerate(ticket.attachments, 1):
            name = names.of_file(attachment.filename, at, taken)
            self._writer.copy(f"{folder}/{name}", attachment.size, files.opened(iter(attachment.pieces())))
            self._report.keep("{n} {file|files}")
            number = self._numbers.next_file()
            yield (
                self._file(number, attachment),
                {
                    "id": number,
                    "file": name,
                    "created_at": attachment.at,
                    "version": history.version_at(attachment.at, found),
                },
            )

    def _file(self, number: int, attachment: Attachment) -> Tree:
        return {
            "id": number,
            "filename": attachment.filename,
            "content_type": attachment.content_type,
            "size": attachment.size,
            "uploader_id": self._people.id(attachment.author),
        }


_CALLED = {"assignee": "assigned_user", "level": "importance", "tags": "tag"}


@lru_cache(maxsize=4096)
def _tags(tags: frozenset[str]) -> list[str]:
    """Return tags in normal form, of which a comma separates words; the import counts too long ones."""
    found = list[str]()
    for tag in tags:
        try:
            found += read_tags(f"{tag.replace(',', ' ')},")
        except ValueError:
            found.append(tag)
    return found
