"""Links between the tickets of a source, each once."""

from collections.abc import Iterator

from skerry.resources.links import KINDS, STORED
from skerry.transfer.sources.numbering import Place, Places
from skerry.transfer.sources.records import Ticket
from skerry.transfer.sources.report import Report


class Links:
    """The links of all projects; trackers often name them at both tickets."""

    def __init__(self, places: Places, report: Report) -> None:
        self._places, self._report = places, report
        self._taken: set[tuple[str, Place, Place]] = set()

    def of(self, place: Place, ticket: Ticket) -> Iterator[dict[str, object]]:
        """Yield the new links of a ticket as they are stored, and count those that lead elsewhere."""
        for link in ticket.links:
            other = self._places.of(place.project, link.other)
            if other is None:
                self._report.lose(
                    "{n} {link|links} to tickets that are not in the export",
                    f"{ticket.key} {link.kind} {link.other}",
                )
                continue
            # A stored link begins at one of its ends, which the kind decides.
            kind, first, second = (
                (link.kind, place, other) if link.kind in STORED else (KINDS[link.kind], other, place)
            )
            if kind == "relates-to":
                first, second = min(first, second), max(first, second)
            if (kind, first, second) not in self._taken:
                self._taken.add((kind, first, second))
                self._report.keep("{n} {link|links} between tickets")
                yield {
                    "kind": link.kind,
                    "added_in": 1,
                    "other_project_id": other.project,
                    "other_number": other.number,
                    "other_added_in": 1,
                }
