"""The page of the log of security events."""

from dataclasses import replace
from urllib.parse import urlencode

from skerry.tracker import administration, projects
from skerry.tracker.audit import entries
from skerry.tracker.audit.audit import KINDS
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page

_MAX_PEOPLE = 100
"""How many people the filter offers; the address can name any."""


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the log, the newest entries first, and what they can be filtered by."""
    results, page = existing_page(
        params.page, lambda page: entries.list_all(context, replace(params, page=page))
    )
    chosen = {name: params.query[name] for name in ("kind", "user_id") if params.query.get(name)}
    return {
        "listing": results,
        "page": page,
        "chosen": chosen,
        "kinds": sorted(KINDS),
        "address": f"?{urlencode(chosen)}&" if chosen else "?",
        "names": entries.names(context, results.records),
        "projects": {each.id: each.name for each in projects.list_all(context, Params()).records},
        "people": administration.filter_by_name(context, "")[:_MAX_PEOPLE],
    }
