"""Pages of hooks, of a project and of the account."""

from skerry.tracker.context import Context, Params
from skerry.tracker.sending import hooks
from skerry.web.routes import hooks as routes
from skerry.web.site.pages.content import Content
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
        params.page, lambda page: hooks.list_deliveries(context, Params(ids=params.ids, page=page))
    )
    return {"hook": hooks.get(context, params), "listing": results, "page": page, **_place(context)}


def _place(context: Context) -> Content:
    project_id = hooks.place(context)
    address = routes.OF_PROJECT.format(project_id=project_id) if project_id else routes.OF_ACCOUNT
    return {"address": address, "formats": hooks.FORMATS, "types": hooks.TYPES}
