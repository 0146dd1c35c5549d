"""The pages of recent activity, of a project and of all that the reader sees."""

from urllib.parse import urlencode

from skerry.tracker import activities, projects
from skerry.tracker.context import Context, Params
from skerry.tracker.people import memberships, people, users
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import clamped

_MAX_PEOPLE = 200


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the recent activity in the project."""
    members = [each.user for each in memberships.filter_by_name(context, "") if each.user]
    return {**_lines(context, params, activities.FILTERS), "projects": [], "people": members[:_MAX_PEOPLE]}


def list_across_projects(context: Context, params: Params) -> Content:
    """Return a page of the recent activity in all projects visible to the reader."""
    sees_others = context.principal and users.sees_others(context)
    return {
        **_lines(context, params, activities.FILTERS_ACROSS_PROJECTS),
        "projects": projects.list_all(context, Params()).records,
        "people": people.everybody(context)[:_MAX_PEOPLE] if sees_others else [],
    }


def _lines(context: Context, params: Params, filters: tuple[str, ...]) -> Content:
    wanted = {name: params.query.get(name, "") for name in filters}
    listing, page = activities.lines(context, params), params.page
    if not listing.records and page.number > 1:
        page = clamped(page, listing.total)
        listing = activities.lines(context, Params(query=params.query, page=page))
    chosen = {name: value for name, value in wanted.items() if value}
    return {
        "listing": listing,
        "page": page,
        "wanted": wanted,
        "prefix": f"?{urlencode(chosen)}&" if chosen else "?",
    }
