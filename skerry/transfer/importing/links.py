"""Links between the tickets of an archive, restored after all of its tickets."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from skerry.database.database import Database
from skerry.database.rows import Columns
from skerry.database.transactions import Transaction
from skerry.resources.archives import LinkDetails
from skerry.resources.links import KINDS, MAX_LINKS, STORED
from skerry.store import accounts
from skerry.store import links as store
from skerry.store.links import Link
from skerry.store.ticket_rows import batches
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.store.transfer.imports import HIGHEST
from skerry.transfer.importing import report as say
from skerry.transfer.importing.references import References
from skerry.wire.record import changed

_ORDERED = ("blocks", "parent")


def restore(
    database: Database,
    account_id: int,
    imported: Mapping[int, References],
    here: Callable[[int], int | None],
    told: Counter[str],
) -> None:
    """Restore the links of imported tickets, as far as both tickets are here; the others are counted.

    Links that an import restored before are left alone, also those that somebody has removed since.
    ``imported`` has the references of each new project, ``here`` returns the id here of a project of the
    archive.
    """
    links = list(_places(imported, here, told))
    if not links:
        return
    with database.write(account_id) as transaction:
        # Two imports of the same archive must not restore a link twice.
        accounts.lock(transaction)
        existing = _existing(transaction, [place for _, *ends in links for place in ends])
        stored = _stored(transaction, existing)
        known = {(each.kind, each.place, each.other, each.added_in) for each in stored if not each.reverse}
        missing = [
            (link, place, other)
            for link, place, other in links
            if (link.kind, place, other, link.added_in) not in known
        ]
        fitting = _Fitting(existing, stored)
        rows = [_row(*each) for each in missing if fitting.takes(*each)]
        told[say.LINKS] += len(missing) - len(rows)
        store.restore(transaction, rows)


def _places(
    imported: Mapping[int, References], here: Callable[[int], int | None], told: Counter[str]
) -> Iterator[tuple[LinkDetails, Place, Place]]:
    """Yield the links to projects that are here, each with its two ends."""
    for project_id, references in imported.items():
        for number, link in references.links:
            other = here(link.other_project_id)
            if other is None:
                told[say.LINKS] += 1
            else:
                yield _as_stored(link, Place(project_id, number), Place(other, link.other_number))


def _as_stored(link: LinkDetails, place: Place, other: Place) -> tuple[LinkDetails, Place, Place]:
    """Return a link as it is stored, if the archive has it as its other ticket shows it."""
    if link.kind in STORED or link.kind not in KINDS:
        return link, place, other
    turned = changed(
        link,
        kind=KINDS[link.kind],
        added_in=link.other_added_in,
        removed_in=link.other_removed_in,
        other_added_in=link.added_in,
        other_removed_in=link.removed_in,
    )
    return turned, other, place


def _existing(transaction: Transaction, places: list[Place]) -> set[Place]:
    return {
        Place(project_id, each.number)
        for project_id, numbers in _by_project(places).items()
        for each in batches.look(transaction, project_id, numbers)
    }


def _by_project(places: Iterable[Place]) -> dict[int, set[int]]:
    by_project: dict[int, set[int]] = {}
    for place in places:
        if 0 < place.number <= HIGHEST:
            by_project.setdefault(place.project_id, set()).add(place.number)
    return by_project


def _stored(transaction: Transaction, places: Iterable[Place]) -> list[Link]:
    """Return the links that tickets have or had, each as it is stored, and once if both tickets are given."""
    found: dict[int, Link] = {}
    for project_id, numbers in _by_project(places).items():
        for link in store.of_tickets(transaction, project_id, numbers, since=0):
            if not link.reverse:
                found[link.id] = link
            else:
                turned = link._replace(kind=KINDS[link.kind], place=link.other, other=link.place)
                found.setdefault(link.id, turned)
    return list(found.values())


def _row(link: LinkDetails, place: Place, other: Place) -> Columns:
    return {
        "kind": link.kind,
        "project_id": place.project_id,
        "number": place.number,
        "added_in": link.added_in,
        "removed_in": link.removed_in,
        "other_project_id": other.project_id,
        "other_number": other.number,
        "other_added_in": link.other_added_in,
        "other_removed_in": link.other_removed_in,
    }


class _Fitting:
    """Accepts links one after the other that obey the rules together with those before."""

    def __init__(self, existing: set[Place], stored: Iterable[Link]) -> None:
        self._existing = existing
        self._taken: set[tuple[str, Place, Place]] = set()
        self._counts: Counter[Place] = Counter()
        self._next: dict[tuple[str, Place], set[Place]] = {}
        for link in stored:
            if link.removed_in is None:
                self._take(link.kind, link.place, link.other)

    def takes(self, link: LinkDetails, place: Place, other: Place) -> bool:
        """Return whether a link fits, and if so, take it."""
        if link.kind not in STORED or not {place, other} <= self._existing or place == other:
            return False
        if not _are_versions(link):
            return False
        if link.removed_in is not None:
            return True
        if not self._fits(link.kind, place, other):
            return False
        self._take(link.kind, place, other)
        return True

    def _take(self, kind: str, place: Place, other: Place) -> None:
        self._taken.add((kind, place, other))
        self._counts.update((place, other))
        self._next.setdefault((kind, place), set()).add(other)

    def _fits(self, kind: str, place: Place, other: Place) -> bool:
        if {(kind, place, other), (KINDS[kind], other, place)} & self._taken:
            return False
        if max(self._counts[place], self._counts[other]) >= MAX_LINKS:
            return False
        if kind == "parent" and (kind, place) in self._next:
            return False
        return kind not in _ORDERED or not self._leads(kind, other, place)

    def _leads(self, kind: str, start: Place, end: Place) -> bool:
        seen, waiting = {start}, [start]
        while waiting:
            reached = self._next.get((kind, waiting.pop()), set()) - seen
            seen |= reached
            waiting += reached
        return end in seen


def _are_versions(link: LinkDetails) -> bool:
    added, removed = (link.added_in, link.other_added_in), (link.removed_in, link.other_removed_in)
    is_removed = None not in removed
    numbers = [*added, *(each for each in removed if each is not None)]
    return all(0 < each <= HIGHEST for each in numbers) and (is_removed or removed == (None, None))
