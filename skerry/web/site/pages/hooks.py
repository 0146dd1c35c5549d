"""Pages of hooks, of a project and of the account."""

from urllib.parse import urlencode

from skerry.tracker.context import Context, Params
from skerry.tracker.sending import deliveries, hooks
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page


def list_all(context: Context, params: Params) -> Content:
    """Return the hooks at this path, and the defaults of a new one."""
    return {
        "hooks": hooks.list_all(context, params).records,
        "hook": hooks.new(context, params),
        **_place(context),
    }


def get(context: Context, params: Params) -> Content:
    """Return a hook and a page of its deliveries; raises NotFound."""
    results, page = existing_page(
        params.page,
        lambda page: deliveries.list_all(context, Params(ids=params.ids, page=page, query=params.query)),
    )
    wanted = {name: params.query.get(name, "") for name in deliveries.PARAMS}
    chosen = {name: value for name, value in wanted.items() if value}
    return {
        "hook": hooks.get(context, params),
        "listing": results,
        "page": page,
        "wanted": wanted,
        "prefix": f"?{urlencode(chosen)}&" if chosen else "?",
        "states": deliveries.STATES,
        **_place(context),
    }


def _place(context: Context) -> Content:
    project_id = hooks.place(context)
    address = f"/projects/{project_id}/hooks" if project_id else "/hooks"
    types = sorted((*hooks.types_at(context), *hooks.FILTERS))
    return {"address": address, "formats": hooks.FORMATS, "types": types}
