"""Changes of many tickets of one project in one transaction."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from skerry.store import associations, moves
from skerry.store import batches as store
from skerry.store.associations import Tagged
from skerry.store.batches import Held
from skerry.store.events import Changes
from skerry.store.rows import Columns
from skerry.store.search import index as search_index
from skerry.text.tags import read_tags
from skerry.tracker import changes, events
from skerry.tracker.changes import Values
from skerry.tracker.counting import Tally
from skerry.tracker.events import Type
from skerry.tracker.visit import Visit


@dataclass
class _Course:
    """What has become of one ticket so far."""

    held: Held
    values: Values
    watchers: set[int] = field(default_factory=set)
    version: int = 0


class Batch:
    """Gives tickets new versions, which are kept together at the end.

    All tickets are held from the beginning, and the counts are moved last. One that is ``looking`` on
    only holds nothing, and nothing of it is kept.
    """

    def __init__(self, visit: Visit, numbers: Iterable[int], *, via: str, looking: bool = False) -> None:
        """Hold those of the tickets that exist."""
        self._visit, self._via = visit, via
        find = store.look if looking else store.hold
        self._courses = {
            held.number: _Course(held, held.ticket, set(held.ticket.watchers_ids), held.last_version)
            for held in find(visit.transaction, visit.project_id, numbers)
        }
        self._versions: list[Columns] = []
        self._told: list[tuple[int, int, Changes]] = []

    @property
    def numbers(self) -> list[int]:
        """The numbers of the tickets that exist, in order."""
        return list(self._courses)

    def values(self, number: int) -> Values:
        """Give a ticket's values as they stand now."""
        return self._courses[number].values

    def held(self, number: int) -> Held:
        """Give a ticket as it stood at the beginning."""
        return self._courses[number].held

    def add(
        self, number: int, after: Values, body: str, body_html: str, *, watching: Iterable[int] = ()
    ) -> int:
        """Give a ticket a version by the caller and more watchers; give the version's number."""
        course = self._courses[number]
        course.version += 1
        course.watchers.update(watching)
        if after.assigned_user_id not in (None, course.values.assigned_user_id):
            course.watchers.add(after.assigned_user_id or 0)
        self._versions.append(
            {
                "number": number,
                "version": course.version,
                "user_id": self._visit.author.user_id,
                "attachments_count": course.held.ticket.attachments_count,
                "watchers_ids": sorted(course.watchers),
                "diffable_attributes": changes.difference(course.values, after),
                "body": body,
                "body_html": body_html,
                **changes.as_columns(after),
            }
        )
        self._told.append((number, course.version, changes.told(course.values, after, body=body)))
        course.values = after
        return course.version

    def keep_watchers(self, allowed: Collection[int]) -> None:
        """Drop the watchers who are not among these people, before versions are added."""
        for course in self._courses.values():
            course.watchers.intersection_update(allowed)

    def keep(self) -> None:
        """Write everything; nothing is added afterwards."""
        self._write(self._visit.project_id, {number: number for number in self._courses})
        tally = Tally()
        for course in self._courses.values():
            tally.move(self._visit.project_id, course.held.ticket, course.values)
        tally.keep(self._visit.transaction)

    def move(self, project_id: int) -> dict[int, int]:
        """Write everything, but in another project; give the new numbers by the old ones."""
        transaction, tally = self._visit.transaction, Tally()
        for course in self._courses.values():
            tally.move(self._visit.project_id, course.held.ticket, None)
            tally.move(project_id, None, course.values)
        last = tally.keep(transaction, {project_id: len(self._courses)}).get(project_id, 0)
        numbers = dict(zip(self._courses, range(last - len(self._courses) + 1, last + 1), strict=True))
        moves.move(transaction, self._visit.project_id, project_id, numbers)
        self._write(project_id, numbers)
        return numbers

    def _write(self, project_id: int, numbers: Mapping[int, int]) -> None:
        transaction = self._visit.transaction
        touched = {
            numbers[course.held.number]: course
            for course in self._courses.values()
            if course.version > course.held.last_version
        }
        moments = {number: max(transaction.now, course.held.updated_at) for number, course in touched.items()}
        store.change(
            transaction,
            project_id,
            (
                {**self._row(number, course), "updated_at": moments[number]}
                for number, course in touched.items()
            ),
        )
        added = ({**version, "number": numbers[version["number"]]} for version in self._versions)
        store.add_versions(transaction, project_id, added, moments)
        self._write_tags(project_id, touched)
        watchers = {
            number: sorted(course.watchers)
            for number, course in touched.items()
            if course.watchers != set(course.held.ticket.watchers_ids)
        }
        associations.set_watchers(transaction, project_id, watchers)
        search_index.index_several(transaction, project_id, list(touched))
        self._record(project_id, numbers)

    def _record(self, project_id: int, numbers: Mapping[int, int]) -> None:
        here, kind = self._visit.project_id, Type.TICKET_UPDATED
        for number, version, told in self._told:
            if project_id != here:
                kind = Type.TICKET_MOVED
                # Milestones of the old project are nobody's business in the new one.
                told.pop("milestone_id", None)
                told |= {"project_id": [here, project_id], "number": [number, numbers[number]]}
            events.record(
                self._visit,
                kind,
                numbers[number],
                changes=told,
                version=version,
                via=self._via,
                project_id=project_id,
            )

    def _write_tags(self, project_id: int, touched: Mapping[int, _Course]) -> None:
        new: dict[Tagged, Iterable[str]] = {}
        kept = []
        for number, course in touched.items():
            before, after = course.held.ticket, course.values
            if after.tag != before.tag:
                new[changes.tagged(number, after)] = read_tags(after.tag or "")
            elif after.tag and changes.tagged(number, after) != changes.tagged(number, before):
                kept.append(changes.tagged(number, after))
        associations.set_tags(self._visit.transaction, project_id, new)
        associations.follow(self._visit.transaction, project_id, kept)

    def _row(self, number: int, course: _Course) -> Columns:
        return {
            "number": number,
            "user_id": self._visit.author.user_id,
            "version": course.version,
            "last_version": course.version,
            "watchers_ids": sorted(course.watchers),
            **changes.as_columns(course.values),
        }
