"""Recent activity in one project, or in all that are visible to a user."""

from skerry.resources.activities import Activity
from skerry.store import activities as store
from skerry.tracker import access
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage

MAX = 1000
"""The maximum number of activities that can be listed."""


def list_all(context: Context, params: Params) -> ResultPage[Activity]:
    """Return a page of the project's latest thousand activities, newest first."""
    return _page(context, [context.project_id], params.page)


def list_across_projects(context: Context, params: Params) -> ResultPage[Activity]:
    """Return a page of the latest thousand activities in all projects visible to the caller."""
    return _page(context, access.visible_project_ids(context), params.page)


def _page(context: Context, project_ids: list[int], page: RequestedPage) -> ResultPage[Activity]:
    wanted = min(page.offset + page.limit + 1, MAX)
    activities = store.latest(context.transaction, project_ids, wanted)
    shown = activities[page.offset : page.offset + page.limit]
    return ResultPage(Activity, shown, len(activities), exact=len(activities) < wanted or wanted == MAX)
