"""The columns of the tables of pages and forms.

A page has the path of a route without an extension, or its own path. A form posts to a route; its row only
says which page contains the form and where it redirects. So pages can do nothing that programs cannot.
"""

from collections.abc import Callable
from dataclasses import dataclass

from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params
from skerry.web.route import ResponseKind, Route
from skerry.web.site.pages import Content, Elsewhere
from skerry.wire.record import Record
from skerry.wire.tree import Tree

SAVED = "saved"
"""The parameter in the URL of a page that says that its form was saved."""


@dataclass(frozen=True)
class Page:
    """A page: its path, its template, the function that collects its content, and its permission."""

    path: str
    template: str
    use_case: Callable[[Context, Params], Content | Elsewhere]
    permission: Permission = Permission.VIEW

    @property
    def route(self) -> Route:
        """Return the page as a route."""
        return Route("GET", self.path, self.use_case, self.permission, Record, ResponseKind.FORM)


@dataclass(frozen=True)
class Form:
    """A form: the route that it posts to, and the page that contains it and shows its errors.

    ``then`` is the path of the redirect, with names of fields of the result and of path parameters; if it is
    empty, the redirect leads to the created resource, or else to the page of the form. A ``guard`` may refuse
    before anything is changed; it receives the context, the params, and what the reader saw according to the
    form. ``signs_in`` returns the user whom the form signs in. ``composed`` returns the fields that the route
    takes from those of the form. ``shown_once`` names a secret of the result that the page shows; without
    it, the form redirects.
    """

    method: str
    path: str
    page: str
    then: str = ""
    guard: Callable[[Context, Params, str], None] | None = None
    signs_in: bool = False
    composed: Callable[[Tree], Tree] | None = None
    shown_once: str = ""
