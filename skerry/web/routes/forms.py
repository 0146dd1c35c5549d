"""Look-ups in the table of pages: the page that shows a form again, and the redirect after a form."""

import re
from urllib.parse import quote

import falcon

from skerry.errors import NotFound
from skerry.tracker.context import Context, Params
from skerry.web.auth import browser
from skerry.web.responses.answer import Reply
from skerry.web.route import Result, Route, names_in
from skerry.web.routes import pages
from skerry.web.routes.moderation import HELD_TEXTS
from skerry.web.routes.page import Form
from skerry.wire.record import UNSET, Record
from skerry.wire.tree import Tree

_CHANGED = re.compile(r"([?&]changed=)[0-9]+/[0-9]+")


def page_at(path: str) -> Route:
    """Return the page at a path as a route; raises NotFound if there is none."""
    if path not in pages.ROUTES_BY_PATH:
        raise NotFound("There is no page here; programs add .json or .xml to the address")
    return pages.ROUTES_BY_PATH[path]


def page_again(route: Route) -> Route:
    """Return the page that shows a form again; raises NotFound if there is none."""
    return page_at(pages.form_for(route).page)


def template_of(route: Route) -> str:
    """Return the template of a page."""
    return pages.PAGES_BY_PATH[route.path].template


def composed(route: Route, tree: Tree) -> Tree:
    """Return the fields that a route takes from those of its form."""
    compose = pages.form_for(route).composed
    return compose(tree) if compose else tree


def check_seen(route: Route, context: Context, params: Params, seen: object) -> None:
    """Raise PreconditionFailed if the subject of a form has changed since the reader saw it."""
    guard = pages.form_for(route).guard
    if guard and isinstance(seen, str):
        guard(context, params, seen)


def redirect_for(route: Route, params: Params, result: Result, wanted: object) -> Reply:
    """Return the redirect after a successful form.

    An address that the form wants and that ends in ``&edited=`` receives the id of the result.
    """
    form = pages.form_for(route)
    if route.once and not (form.shown_once and getattr(result, form.shown_once) is UNSET):
        return Reply(falcon.HTTP_200, falcon.MEDIA_HTML, b"", secret=result)
    if isinstance(result, Record) and result.is_waiting:
        url = f"{HELD_TEXTS}?sent".format_map(params.ids)
        return Reply(falcon.HTTP_303, falcon.MEDIA_HTML, b"", url)
    wanted = browser.local_path(wanted) or ""
    if wanted.endswith("&edited="):
        wanted += str(result.id)
    url = wanted or _filled(_next(route, form, result), route, params, result)
    user_id = result.id if form.signs_in else 0
    return Reply(falcon.HTTP_303, falcon.MEDIA_HTML, b"", url, user_id=user_id)


def back_unchanged(route: Route, params: Params, wanted: object) -> Reply:
    """Return the redirect after a form that changed nothing, to where a change would have led."""
    url = browser.local_path(wanted) or _filled(pages.form_for(route).page, route, params, None)
    return Reply(falcon.HTTP_303, falcon.MEDIA_HTML, b"", _CHANGED.sub(r"\g<1>0", url))


def _next(route: Route, form: Form, result: Result) -> str:
    if form.then:
        return form.then
    made = route.location and getattr(result, "id", 0) is not None
    return route.location if made and pages.has_page(route.location) else form.page


def _filled(pattern: str, route: Route, params: Params, result: Result) -> str:
    values = {name: quote(str(value), safe="") for name, value in {**params.ids, **params.texts}.items()}
    names = set(names_in(pattern)) - (set() if route.location else set(values))
    values |= {name: quote(str(getattr(result, name)), safe="") for name in names if hasattr(result, name)}
    return pattern.format_map(values)
