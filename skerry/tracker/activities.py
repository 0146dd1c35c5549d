"""What happened lately, in one project or in all visible to a user."""

from skerry.resources.activities import Activity
from skerry.store import activities as store
from skerry.tracker import access
from skerry.tracker.visit import Ask, Listing, Page, Visit

MOST = 1000
"""How far back a list goes."""


def listed(visit: Visit, ask: Ask) -> Listing[Activity]:
    """Return a page of the project's latest thousand activities, newest first."""
    return _page(visit, [visit.project_id], ask.page)


def listed_everywhere(visit: Visit, ask: Ask) -> Listing[Activity]:
    """Return a page of the latest thousand activities in all projects visible to the caller."""
    return _page(visit, access.seen_projects(visit), ask.page)


def _page(visit: Visit, project_ids: list[int], page: Page) -> Listing[Activity]:
    wanted = min(page.offset + page.limit + 1, MOST)
    found = store.latest(visit.transaction, project_ids, wanted)
    shown = found[page.offset : page.offset + page.limit]
    return Listing(Activity, shown, len(found), exact=len(found) < wanted or wanted == MOST)
