"""What a route says: an address, what it takes to go there, and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from string import Formatter
from typing import Any, NamedTuple

from skerry.errors import MethodNotAllowed
from skerry.resources.projects import Project
from skerry.resources.settings import ProjectSettings
from skerry.store.engine.transactions import Transaction
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params
from skerry.wire.record import Record


class ResponseKind(Enum):
    """What an address answers with."""

    ITEM = auto()
    LIST = auto()
    PAGE = auto()
    FILE = auto()
    EMPTY = auto()
    FORM = auto()
    """A page for a browser, and nothing for programs."""


class Parts(NamedTuple):
    """Where the parts of a thing stand in pages, and what they are to it (RFC 8288)."""

    path: str
    relation: str


@dataclass(frozen=True)
class Route:
    """One method at one address.

    - ``work`` does what is asked for; ``need`` is what it takes; ``kind`` is the record that it gives.
    - ``makes`` is the address of what was created, with names of its fields or of places in ``path``.
    - ``draft`` is the resource that the body holds, ``beside`` the parameters that may stand beside it or
      in the query. ``files`` says whether files may come with it.
    - ``tries`` names a field of the draft with which nothing is made, only shown what would be (a dry run).
    - ``once`` says that the answer holds a secret, so that it is not kept for an ``Idempotency-Key``.
    - ``shows`` says that nothing is kept, although there is a body and it takes the right to write.
    - ``ahead`` does what takes long before anybody has to wait for it: in a short transaction it looks at
      what it needs, and gives a function that then does the work and gives the finished parameters.
    - ``quick`` says that reading it takes the database less than a few milliseconds.
    - ``parts`` is the list of what stands in it, to which an answer leads that has not room for all of them.
    - ``first`` locks the rows on which it depends whether the caller may do this.
    """

    method: str
    path: str
    use_case: Callable[[Context, Params], Any]
    permission: Permission
    kind: type[Record]
    response_kind: ResponseKind = ResponseKind.ITEM
    location: str = ""
    draft: type[Record] | None = None
    beside: tuple[str, ...] = ()
    files: bool = False
    dry_run_field: str = ""
    once: bool = False
    reads_only: bool = False
    ahead: Callable[[Context, Params], Callable[[], Params]] | None = None
    first: Callable[[Transaction, Params], None] | None = None
    parts: Parts | None = None
    quick: bool = True

    @property
    def writes(self) -> bool:
        """Return whether the route writes, or takes the permission to do so."""
        return self.method != "GET"

    def is_dry_run(self, params: Params) -> bool:
        """Return whether nothing is stored."""
        return self.reads_only or bool(self.dry_run_field and params.draft.get(self.dry_run_field))

    @property
    def in_project(self) -> bool:
        """Return whether the address is inside a project."""
        return "{project_id}" in self.path

    @property
    def takes_exclusive_lock(self) -> bool:
        """Return whether the project itself changes, which takes its exclusive lock."""
        return self.in_project and self.kind in (Project, ProjectSettings)


class Endpoint:
    """One address with all its methods."""

    def __init__(self, path: str, routes: tuple[Route, ...], above: Route | None = None) -> None:
        """Gather the lines of one path, which stands below what a line reads."""
        self.path = path
        self._above = above if above and all(route.kind is above.kind for route in routes) else None
        self._routes = {route.method: route for route in routes}
        methods = [*self._routes, "OPTIONS"]
        self.allowed = tuple(["GET", "HEAD", *methods[1:]] if "GET" in self._routes else methods)

    def route(self, method: str) -> Route:
        """Return the line of a method; raises MethodNotAllowed."""
        route = self._routes.get("GET" if method == "HEAD" else method)
        if route is None:
            raise MethodNotAllowed(self.allowed)
        return route

    @property
    def routes(self) -> tuple[Route, ...]:
        """Return the lines of the methods here."""
        return tuple(self._routes.values())

    @property
    def reading(self) -> Route | None:
        """Return the route that reads the resource that this endpoint changes."""
        return self._above or self._routes.get("GET")


def names_in(address: str) -> list[str]:
    """Return the names of the places that stand in an address."""
    return [name for _, name, _, _ in Formatter().parse(address) if name]


def endpoints(routes: tuple[Route, ...]) -> list[Endpoint]:
    """Return every address with its methods."""
    paths = dict.fromkeys(route.path for route in routes)
    items = {
        route.path: route
        for route in routes
        if route.method == "GET" and route.response_kind is ResponseKind.ITEM
    }
    return [
        Endpoint(
            path, tuple(route for route in routes if route.path == path), items.get(path.rpartition("/")[0])
        )
        for path in paths
    ]
