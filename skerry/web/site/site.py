"""Rendering of pages, also again with errors, and the redirects after forms."""

import re
from collections.abc import Mapping
from urllib.parse import quote

import falcon
from falcon.asgi import Request, Response

from skerry.errors import Forbidden, NotFound, SignedOut, SkerryError
from skerry.tracker.context import Context, Params
from skerry.web.responses.answer import STATUSES, Reply, send_body, set_error_headers
from skerry.web.routes import pages
from skerry.web.routes import route as routes
from skerry.web.routes.route import Result, Route
from skerry.web.site import browser, templates
from skerry.web.site.frame import Entered, Frame

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Only resources of this site, no inline scripts or styles, and no forms to other sites."""

_PROJECT = re.compile(r"/projects/[0-9]{1,18}")


def page_at(path: str) -> Route:
    """Return the page at a path as a route; raises NotFound if there is none."""
    if path not in pages.PAGES_BY_PATH:
        raise NotFound("There is no page here; programs add .json or .xml to the address")
    return pages.PAGES_BY_PATH[path].route


def page_again(route: Route) -> Route:
    """Return the page that shows a form again; raises NotFound if there is none."""
    return page_at(pages.form_for(route).page)


def template_of(route: Route) -> str:
    """Return the template of a page."""
    return pages.PAGES_BY_PATH[route.path].template


def check_seen(route: Route, context: Context, params: Params, seen: object) -> None:
    """Raise PreconditionFailed if the subject of a form has changed since the reader saw it."""
    guard = pages.form_for(route).guard
    if guard and isinstance(seen, str):
        guard(context, params, seen)


def send(
    request: Request,
    response: Response,
    frame: Frame,
    template: str,
    page_data: Mapping[str, object],
    entered: Entered | None = None,
) -> None:
    """Send a page, and set a cookie if the browser needs a secret for forms."""
    shown = {"frame": frame, "entered": entered or Entered(), **page_data}
    body = templates.render(template, frame.reader.language, shown)
    if frame.minted:
        browser.remember(request, response, frame.secret)
    response.content_type = falcon.MEDIA_HTML
    response.set_header("Content-Security-Policy", POLICY)
    response.set_header("Cache-Control", "private, no-cache")
    send_body(response, body)


def send_error_page(request: Request, response: Response, frame: Frame, failure: SkerryError) -> None:
    """Send the error page."""
    response.status = status = STATUSES.get(type(failure), falcon.HTTP_500)
    number, _, phrase = status.partition(" ")
    # A reader without the permission may still see the project itself.
    inside = _PROJECT.match(frame.path) if isinstance(failure, Forbidden) else None
    page_data = {
        "status": number,
        "phrase": phrase,
        "sentences": list(failure.sentences),
        "unsaved": getattr(request.context, "unsaved_form", None),
        "signed_out": isinstance(failure, SignedOut),
        "project": inside and inside[0],
    }
    send(request, response, frame, "error.html", page_data)
    set_error_headers(response, failure)


def redirect_for(route: Route, params: Params, result: Result, wanted: object) -> Reply:
    """Return the redirect after a successful form."""
    form = pages.form_for(route)
    if route.once:
        return Reply(falcon.HTTP_200, falcon.MEDIA_HTML, b"", secret=result)
    endpoint = browser.local_path(wanted) or _filled(_next(route, form, result), route, params, result)
    user_id = result.id if form.signs_in else 0
    return Reply(falcon.HTTP_303, falcon.MEDIA_HTML, b"", endpoint, user_id=user_id)


def _next(route: Route, form: pages.Form, result: Result) -> str:
    if form.then:
        return form.then
    made = route.location and getattr(result, "id", 0) is not None
    return route.location if made and pages.has_page(route.location) else form.page


def _filled(pattern: str, route: Route, params: Params, result: Result) -> str:
    values = {name: quote(str(value), safe="") for name, value in {**params.ids, **params.texts}.items()}
    names = set(routes.names_in(pattern)) - (set() if route.location else set(values))
    values |= {name: quote(str(getattr(result, name)), safe="") for name in names if hasattr(result, name)}
    return pattern.format_map(values)
