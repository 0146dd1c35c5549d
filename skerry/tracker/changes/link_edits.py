"""Changes of links between tickets: checked one after the other, and then written together."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from skerry.database import locks
from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.links import KINDS, MAX_LINKS, STORED
from skerry.store import links as store
from skerry.store.links import Link
from skerry.store.ticket_rows import batches
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.commands import Command, Name, ticket_named, tickets_linked
from skerry.tracker import access
from skerry.tracker.access import Permission
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import NewComment
from skerry.tracker.context import Context
from skerry.tracker.texts import ticket_references

NEW = 0
"""Stands for the number of a ticket that is being created."""

_MAX_STEPS = 1000


class _Key(NamedTuple):
    """A link as it is stored."""

    kind: str
    place: Place
    other: Place


def _key(kind: str, place: Place, other: Place) -> _Key:
    if kind == "relates-to":
        return _Key(kind, *sorted((place, other)))
    return _Key(kind, place, other) if kind in STORED else _Key(KINDS[kind], other, place)


class LinkEdit:
    """Changes links of some tickets, the ``own`` ones, to others that are named or linked already.

    The caller is a member of the projects of the own tickets, and locks nothing but projects before. With
    ``looking``, nothing is locked or may be written. Refusals are Invalid or Forbidden.
    """

    def __init__(
        self,
        context: Context,
        own: Iterable[Place],
        names: Collection[Name] = (),
        *,
        unlinked: Collection[int] = (),
        others: Iterable[Place] = (),
        looking: bool = False,
    ) -> None:
        """Lock the own tickets, the others, and those at the ends of the links with the ids ``unlinked``.

        The names are those of the current project. The parents of the own tickets are locked as well.
        """
        self._context, self._looking = context, looking
        self._own = {*own}
        self._named = ticket_references.places(context, names) if names else {}
        self._entered: dict[int, Context | Forbidden | NotFound] = {}
        self._existing: set[Place] = set()
        self._present: dict[_Key, Link | None] = {}
        self._counts: Counter[Place] = Counter()
        self._added: list[_Key] = []
        self._removed: dict[_Key, Link] = {}
        self._lock({*self._named.values(), *others}, unlinked)

    @classmethod
    def of_commands(
        cls, context: Context, own: Iterable[Place], commands: Collection[Command], *, looking: bool = False
    ) -> "LinkEdit | None":
        """Return the edit for the commands that change links, if there are any."""
        names = tickets_linked(commands)
        if not names and not any(each.key == "parent" for each in commands):
            return None
        return cls(context, own, names, looking=looking)

    def _lock(self, others: set[Place], unlinked: Collection[int]) -> None:
        ends = self._own | others
        self._enter(ends)
        if not self._looking:
            locks.lock_links(self._context.transaction)
        for link in self._read(self._own):
            if link.kind == "parent" or link.id in unlinked:
                ends.add(link.other)
        self._enter(ends)
        find = batches.look if self._looking else batches.lock
        for project_id, numbers in sorted(_by_project(ends).items()):
            found = find(self._context.transaction, project_id, numbers)
            self._existing.update(Place(project_id, each.number) for each in found)
        self._existing.update(place for place in self._own if place.number == NEW)
        self._read(ends - self._own)

    def _enter(self, places: Iterable[Place]) -> None:
        for project_id in sorted({place.project_id for place in places} - self._entered.keys()):
            self._entered[project_id] = self._context_in(project_id)

    def _context_in(self, project_id: int) -> Context | Forbidden | NotFound:
        if project_id == self._context.project_id:
            return self._context
        try:
            writes = not self._looking
            return access.enter(self._context, project_id, Permission.CONTRIBUTE, writes=writes)
        except (Forbidden, NotFound) as error:
            return error

    def _read(self, places: Iterable[Place]) -> list[Link]:
        found = [
            link
            for project_id, numbers in _by_project(places).items()
            for link in store.of_tickets(self._context.transaction, project_id, numbers)
        ]
        for link in found:
            self._present[_key(link.kind, link.place, link.other)] = link
            self._counts[link.place] += 1
        return found

    def has(self, place: Place) -> bool:
        """Return whether a ticket exists."""
        return place in self._existing

    def other(self, name: Name) -> Place:
        """Return the place of a ticket that the caller may link."""
        place = self._named.get(name)
        if place is None or place not in self._existing:
            word, number = name
            raise Invalid(f"There is no ticket {word}#{number}")
        self._check_member(place)
        return place

    def _check_member(self, place: Place) -> None:
        entered = self._entered[place.project_id]
        if isinstance(entered, Forbidden) and str(entered) == access.ARCHIVED:
            raise Forbidden("The project of the other ticket is archived")
        if isinstance(entered, Forbidden | NotFound):
            raise Forbidden("Only members of both projects may link their tickets")

    def obey(self, place: Place, command: Command) -> None:
        """Do what a command says to the links of a ticket."""
        name = ticket_named(str(command.value))
        if name is None:
            self._remove_parent(place)
        elif command.negated:
            self.remove(place, command.key, self.other(name))
        else:
            self.add(place, command.key, self.other(name))

    def add(self, place: Place, kind: str, other: Place) -> None:
        """Add a link, unless there is one already."""
        key = _key(kind, place, other)
        if key in self._present:
            return
        if place == other:
            raise Invalid("A ticket cannot be linked to itself")
        self._check_member(other)
        for end in (place, other):
            if self._counts[end] >= MAX_LINKS:
                raise Invalid(f"Ticket #{end.number} has {MAX_LINKS} links already, and no room for more")
        self._check_order(key)
        self._counts.update((place, other))
        # A link that this edit removed before stays as it was.
        self._present[key] = self._removed.pop(key, None)
        if self._present[key] is None:
            self._added.append(key)

    def _check_order(self, key: _Key) -> None:
        if key.kind == "parent" and self._parents(key.place):
            raise Invalid(f"Ticket #{key.place.number} has a parent already; remove that link first")
        if key.kind == "parent" and self._leads_back(key):
            raise Invalid("A ticket cannot be its own ancestor")
        if key.kind == "blocks" and self._leads_back(key):
            raise Invalid("Tickets cannot block each other in a circle")

    def _parents(self, place: Place) -> list[_Key]:
        return [key for key in self._present if key.kind == "parent" and key.place == place]

    def _leads_back(self, wanted: _Key) -> bool:
        """Return whether the other end of a new link leads to its own end."""
        seen, reached = {wanted.other}, {wanted.other}
        for _ in range(_MAX_STEPS):
            steps = store.leading(self._context.transaction, wanted.kind, reached)
            steps |= {(key.place, key.other) for key in self._added if key.kind == wanted.kind}
            reached = {
                other
                for place, other in steps
                if place in reached
                and other not in seen
                and _Key(wanted.kind, place, other) not in self._removed
            }
            if wanted.place in reached:
                return True
            if not reached:
                return False
            seen |= reached
        raise Invalid(f"A chain of more than {_MAX_STEPS} links is too long")

    def _remove_parent(self, place: Place) -> None:
        for key in self._parents(place):
            # A parent that the caller does not see looks like none.
            if not isinstance(self._entered[key.other.project_id], NotFound):
                self.remove(place, "parent", key.other)

    def remove(self, place: Place, kind: str, other: Place) -> None:
        """Remove a link, if there is one."""
        key = _key(kind, place, other)
        if key not in self._present:
            return
        self._check_member(other)
        link = self._present.pop(key)
        self._counts.subtract((place, other))
        if link is None:
            self._added.remove(key)
        else:
            self._removed[key] = link

    def touches(self, place: Place) -> bool:
        """Return whether links of a ticket have changed."""
        return place in self._touched()

    def _touched(self) -> set[Place]:
        return {end for key in (*self._added, *self._removed) for end in (key.place, key.other)}

    def write(self, versions: Mapping[Place, int]) -> None:
        """Write the changes; ``versions`` are those that own tickets got. All others get one here."""
        versions = dict(versions)
        new = next((place for place in versions if place not in self._own), None)
        if new:
            # The ticket has its number by now.
            versions[Place(new.project_id, NEW)] = versions[new]
        for project_id, numbers in sorted(_by_project(self._touched() - versions.keys()).items()):
            versions |= self._with_versions(project_id, numbers)
        for link in self._removed.values():
            store.remove(self._context.transaction, link, versions)
        for kind, *ends in self._added:
            place, other = (new if new and end.number == NEW else end for end in ends)
            store.add(self._context.transaction, kind, place, other, versions)

    def _with_versions(self, project_id: int, numbers: list[int]) -> dict[Place, int]:
        entered = self._entered[project_id]
        if not isinstance(entered, Context):
            raise entered
        batch = Batch(entered, numbers, via="")
        changed = NewComment("", "", links=True)
        added = {
            Place(project_id, number): batch.add(number, batch.values(number), changed)
            for number in batch.numbers
        }
        batch.keep()
        return added


def _by_project(places: Iterable[Place]) -> dict[int, list[int]]:
    numbers: dict[int, list[int]] = defaultdict(list)
    for place in places:
        if place.number != NEW:
            numbers[place.project_id].append(place.number)
    return numbers
