"""What happened lately, in one project or in all that somebody sees."""

from skerry.resources.activities import Activity
from skerry.store import activities as store
from skerry.tracker import access
from skerry.tracker.visit import Ask, Listing, Page, Visit

MOST = 1000
"""How far back a list goes."""


def listed(visit: Visit, ask: Ask) -> Listing[Activity]:
    """Give a page of what happened in the project, the last first, among the latest thousand."""
    return _page(visit, [visit.project_id], ask.page)


def listed_everywhere(visit: Visit, ask: Ask) -> Listing[Activity]:
    """Give a page of what happened in every project that the caller sees, among the latest thousand."""
    return _page(visit, access.seen_projects(visit), ask.page)


def _page(visit: Visit, project_ids: list[int], page: Page) -> Listing[Activity]:
    wanted = min(page.offset + page.limit + 1, MOST)
    found = store.latest(visit.transaction, project_ids, wanted)
    shown = found[page.offset : page.offset + page.limit]
    return Listing(Activity, shown, len(found), exact=len(found) < wanted or wanted == MOST)
