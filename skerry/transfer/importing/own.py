"""What people keep for themselves in an account: saved views of all projects, and how they see lists.

It comes with whole archives only, as roles do. What is there already stays as it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from skerry.database.rows import Columns
from skerry.database.transactions import Transaction, microseconds
from skerry.errors import Invalid
from skerry.resources.archives import BinDetails
from skerry.resources.bins import TicketBin
from skerry.resources.lists import ListSettings
from skerry.store import bins, list_settings
from skerry.store.transfer import imports as store
from skerry.tracker.search import parse_query
from skerry.transfer.importing import parts
from skerry.transfer.importing import report as say
from skerry.transfer.importing.layout import Layout as Files
from skerry.transfer.importing.people import People
from skerry.transfer.importing.reading import ArchiveReader
from skerry.visibility import is_visible


@dataclass(frozen=True)
class Own:
    """The saved views of all projects in an archive, and the settings of lists by their owners."""

    views: list[tuple[TicketBin, BinDetails]]
    settings: list[tuple[int, ListSettings]]

    @property
    def owners(self) -> set[int]:
        """Return the ids in the archive of the people to whom something belongs."""
        return {view.user_id or 0 for view, _ in self.views} | {user_id for user_id, _ in self.settings}


def read(reading: ArchiveReader, files: Files, people: People) -> Own:
    """Parse everything; raises Invalid."""
    views = list(reading.views(files))
    for view, _ in views:
        people.author(view.user_id)
    settings = [
        (user_id, each)
        for user_id, folder in sorted(files.users.items())
        if user_id in people.known
        for each in reading.lists(folder)
    ]
    return Own(views, settings)


@dataclass(frozen=True)
class OwnRows:
    """Makes the rows of what is not there; people have the ids ``user_ids`` here, projects those of ``here``.

    A project that is not here has none.
    """

    transaction: Transaction
    user_ids: Mapping[int, int]
    here: Callable[[int], int | None]
    told: Counter[str]

    def make(self, own: Own) -> dict[str, list[Columns]]:
        """Return the rows by table."""
        chosen = list(self._new(own.views))
        ids = {view.id or 0 for view, _ in chosen}
        highest = max([0, *(each for each in ids if each <= store.HIGHEST)])
        new = store.claim_ids(self.transaction, "bins", ids, highest)
        return {
            "bins": [self._view(new[view.id or 0], view, details) for view, details in chosen],
            "default_bins": list(self._defaults(new, chosen)),
            "list_settings": list(self._settings(own.settings)),
        }

    def _new(self, views: list[tuple[TicketBin, BinDetails]]) -> Iterator[tuple[TicketBin, BinDetails]]:
        present = Counter(
            (each.user_id, each.name, each.query) for each in bins.ROWS.all(self.transaction, None)
        )
        for view, details in views:
            key = self.user_ids[view.user_id or 0], view.name, view.query
            if present[key]:
                present[key] -= 1
            elif _is_usable(view):
                yield view, details
            else:
                self.told[say.BINS] += 1

    def _view(self, view_id: int, view: TicketBin, details: BinDetails) -> Columns:
        now = self.transaction.now
        shown = microseconds(view.updated_at) if view.updated_at else now
        updated = min(shown if details.updated_at is None else max(details.updated_at, 0), now)
        return {
            "id": view_id,
            "user_id": self.user_ids[view.user_id or 0],
            "name": view.name[:255],
            "query": view.query,
            "shared": int(view.shared),
            "position": min(max(view.position or 0, 0), store.HIGHEST),
            "created_at": min(max(details.created_at or 0, 0) or updated, updated),
            "updated_at": updated,
            **parts.layout(view, self.told),
        }

    def _defaults(
        self, new: Mapping[int, int], views: list[tuple[TicketBin, BinDetails]]
    ) -> Iterator[Columns]:
        taken = bins.choosers(self.transaction, None)
        for view, details in views:
            for user_id in (self.user_ids.get(old) for old in details.default_for):
                if user_id and user_id not in taken:
                    taken.add(user_id)
                    yield {"project_id": list_settings.ALL, "user_id": user_id, "bin_id": new[view.id or 0]}

    def _settings(self, settings: list[tuple[int, ListSettings]]) -> Iterator[Columns]:
        made: set[tuple[int, int]] = set()
        for old, each in settings:
            project_id = self.here(each.project_id) if each.project_id else list_settings.ALL
            user_id = self.user_ids[old]
            if project_id is None or (project_id, user_id) in made:
                continue
            made.add((project_id, user_id))
            if list_settings.one(self.transaction, project_id, user_id) is None:
                yield {"project_id": project_id, "user_id": user_id, **parts.layout(each, self.told)}


def _is_usable(view: TicketBin) -> bool:
    try:
        parse_query(view.query)
    except Invalid:
        return False
    return is_visible(view.name)
