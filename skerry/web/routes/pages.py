"""The table of pages: all pages of the site, and the target of each form."""

import re
from collections.abc import Mapping

from skerry.web import route as routes
from skerry.web.route import Endpoint, Route
from skerry.web.routes.page import Form, Page
from skerry.web.routes.table import ROUTES, SUBJECTS

PAGES: tuple[Page, ...] = tuple(page for subject in SUBJECTS for page in subject.PAGES)
FORMS: tuple[Form, ...] = tuple(form for subject in SUBJECTS for form in subject.FORMS)

PAGES_BY_PATH: Mapping[str, Page] = {page.path: page for page in PAGES}
ROUTES_BY_PATH: Mapping[str, Route] = {page.path: page.route for page in PAGES}
_PLACE = re.compile(r"(?<=\{)\w+(?=\})")
_SHAPES = {_PLACE.sub("", page.path) for page in PAGES}
_FORMS: Mapping[tuple[str, str], Form] = {(form.method, form.path): form for form in FORMS}


def has_page(address: str) -> bool:
    """Return whether a page has this path, regardless of the names of parameters."""
    return _PLACE.sub("", address) in _SHAPES


def form_for(route: Route) -> Form:
    """Return the form of a route, by default on the page with the same path."""
    return _FORMS.get((route.method, route.path)) or Form(route.method, route.path, page=route.path)


def _endpoints() -> tuple[Endpoint, ...]:
    with_routes = routes.endpoints(ROUTES)
    known = {endpoint.path for endpoint in with_routes}
    pages = [Endpoint(path, (route,)) for path, route in ROUTES_BY_PATH.items() if path not in known]
    return (*with_routes, *pages)


ENDPOINTS = _endpoints()
"""The endpoints of the API, followed by those that only have a page."""
