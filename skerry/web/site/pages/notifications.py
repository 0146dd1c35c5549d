"""The page of the inbox."""

from dataclasses import replace

from skerry.tracker import projects
from skerry.tracker.context import Context, Params
from skerry.tracker.notifications import inbox, levels
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import existing_page


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the reader's notifications, unread ones first."""
    listing, page = existing_page(
        params.page, lambda page: inbox.list_all(context, replace(params, page=page))
    )
    numbers = [each.event.number for each in listing.records if each.event and each.event.number]
    return {
        "listing": listing,
        "page": page,
        "unread": [each for each in listing.records if not each.read],
        "earlier": [each for each in listing.records if each.read],
        "newest": max(numbers, default=None),
        "names": {project.id: project.name for project in projects.list_all(context, Params()).records},
    }


def of_ticket(context: Context, params: Params) -> Content:
    """Return the reader's notification of a ticket, and whether they muted it."""
    if context.principal is None:
        return {"told": None, "muted": False}
    told = inbox.of_ticket(context, params.ids["number"])
    return {
        "told": told.id if told and told.unread else None,
        "muted": levels.is_muted(context, params.ids["number"]),
    }
