"""The tags of a project, by their use."""

from skerry.resources.tags import Tag
from skerry.store import tags as store
from skerry.tracker.visit import Ask, Listing, Visit

MOST = 1000
"""Tags given at once."""


def listed(visit: Visit, _ask: Ask) -> Listing[Tag]:
    """Abort to 1,000 tags of the project, those on the most tickets first."""
    return Listing(Tag, foremost(visit, MOST))


def foremost(visit: Visit, most: int) -> list[Tag]:
    """Return so many tags of the project that was entered, those on the most tickets first."""
    found = store.counts(visit.transaction, visit.project_id, most)
    return [Tag(name=name, tickets_count=count) for name, count in found]
