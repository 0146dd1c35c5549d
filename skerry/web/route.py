"""The columns of the route table: method, path, use case, permission and resource."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from string import Formatter
from typing import Any, NamedTuple

from skerry.database.transactions import Transaction
from skerry.errors import MethodNotAllowed
from skerry.tracker import access, held_texts
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import held_text_mails
from skerry.tracker.texts import ticket_references
from skerry.web import scopes
from skerry.wire.record import Record

PROJECT = "/projects/{project_id}"
TICKETS = f"{PROJECT}/tickets"
TICKET = f"{TICKETS}/{{number}}"

SET_UP_FACTOR = frozenset({"/profile/time-codes", "/profile/passkeys", "/profile/passkeys/new"})
"""The paths that are open to somebody who must set up a second factor."""

Result = Any
"""The result of a use case: a record, a page of them, a file or None, according to ``ResponseKind``."""


class ResponseKind(Enum):
    """The kinds of responses."""

    ITEM = auto()
    LIST = auto()
    PAGE = auto()
    EVENTS = auto()
    """A page of events, or a stream of them."""
    FEED = auto()
    """A list for feed readers, at a secret URL."""
    FILE = auto()
    EMPTY = auto()
    FORM = auto()
    """A page for browsers only."""


# A row of the table names its permission and the kind of its response by one word.
PUBLIC, CAPABILITY_LINK, SIGNED_IN = Permission.PUBLIC, Permission.CAPABILITY_LINK, Permission.SIGNED_IN
CREATE_PROJECT, IN_PERSON, ADMINISTER = Permission.CREATE_PROJECT, Permission.IN_PERSON, Permission.ADMINISTER
CONNECT, VIEW, COMMENT = Permission.CONNECT, Permission.VIEW, Permission.COMMENT
CONTRIBUTE, CUSTOMIZE, UNARCHIVE = Permission.CONTRIBUTE, Permission.CUSTOMIZE, Permission.UNARCHIVE
LIST, PAGE, EVENTS, FILE, EMPTY = (
    ResponseKind.LIST,
    ResponseKind.PAGE,
    ResponseKind.EVENTS,
    ResponseKind.FILE,
    ResponseKind.EMPTY,
)


class Parts(NamedTuple):
    """The path of a paged list of nested records, and its link relation (RFC 8288)."""

    path: str
    relation: str


@dataclass(frozen=True)
class Route:
    """One method on one path.

    - ``use_case`` does the work; ``permission`` is required of its caller; ``kind`` is the record that it
      returns, and ``response_kind`` how the response holds it.
    - ``location`` is the path of a created resource, with names of its fields or of parameters in ``path``.
    - ``draft`` is the resource that the body holds; ``extra_params`` names the parameters allowed beside it
      or in the query string; ``files`` says whether files may come with it.
    - ``dry_run_field`` names the field of the draft that makes the request a dry run.
    - ``once`` says that the response holds a secret, so it is not stored for an ``Idempotency-Key``.
    - ``reads_only`` says that nothing is stored, although there is a body and writing is permitted.
    - ``prepare`` does slow work before any lock is taken: it reads its input in a short transaction,
      and returns a function that does the work and returns the finished parameters.
    - ``first`` locks the rows that decide whether the caller has the permission.
    - ``parts`` is the list of nested records that a shortened response links to.
    - ``exclusive`` says that the project itself changes, so nothing else in it may change at the same time.
    - ``confirms_password`` says that the draft holds the caller's current password: wrong ones are counted as
      failed sign-ins, and the request is stored only under a key that the password cannot be guessed from.
    - ``takes_mail`` says that the body is a raw mail, ``takes_push`` that it is a push signed by a forge.
    - ``whole`` says that a list is not paged unless the client asks for it, because many clients ask once.
    - ``hold`` keeps what a newcomer sends until a member releases it, and returns None for everybody else.
    - ``quick`` says that reading takes the database less than a few milliseconds.
    """

    method: str
    path: str
    use_case: Callable[[Context, Params], Result]
    permission: Permission
    kind: type[Record]
    response_kind: ResponseKind = ResponseKind.ITEM
    location: str = ""
    draft: type[Record] | None = None
    extra_params: tuple[str, ...] = ()
    files: bool = False
    dry_run_field: str = ""
    once: bool = False
    reads_only: bool = False
    prepare: Callable[[Context, Params], Callable[[], Params]] | None = None
    first: Callable[[Transaction, Params], None] | None = None
    parts: Parts | None = None
    exclusive: bool = False
    confirms_password: bool = False
    takes_mail: bool = False
    takes_push: bool = False
    whole: bool = False
    hold: Callable[[Context, Params], Record | None] | None = None
    quick: bool = True

    @property
    def writes(self) -> bool:
        """Return whether the route writes, or requires the permission to write."""
        return self.method != "GET"

    @cached_property
    def needs_recent_sign_in(self) -> bool:
        """Return whether the route changes who may do what."""
        is_by_link = self.permission is Permission.CAPABILITY_LINK
        return self.writes and not is_by_link and self.kind.decides_access

    @cached_property
    def scopes(self) -> frozenset[str] | None:
        """Return the scopes of which a limited token needs one; None if it needs none."""
        if self.permission is Permission.CAPABILITY_LINK:
            return None
        return scopes.needed(self.path, writes=(self.writes and not self.reads_only) or self.prepares_change)

    @property
    def prepares_change(self) -> bool:
        """Return whether what is read is for a change, so only those who may make it may read it."""
        return self.response_kind is ResponseKind.FORM or self.path.endswith("/new")

    @property
    def hashes(self) -> bool:
        """Return whether the preparation hashes a password; those inside projects render texts."""
        return self.prepare is not None and not self.in_project

    def is_dry_run(self, params: Params) -> bool:
        """Return whether a request stores nothing."""
        return self.reads_only or bool(self.dry_run_field and params.draft.get(self.dry_run_field))

    @property
    def in_project(self) -> bool:
        """Return whether the path is inside a project."""
        return "{project_id}" in self.path

    def admit(self, context: Context, params: Params) -> Context:
        """Check the permission, and return the context, inside the project if there is one.

        Raises FactorNeeded, and the errors of ``access.admit`` and ``access.enter``.
        """
        principal = context.principal
        if principal and principal.scopes:
            access.check_scopes(principal, self.scopes)
        if principal and not (self.permission is Permission.CAPABILITY_LINK or self.path in SET_UP_FACTOR):
            access.refuse_without_factor(principal)
        access.admit(context, self.permission, writes=self.writes)
        if self.needs_recent_sign_in:
            access.refuse_old_session(context)
        if self.in_project and self.permission is not Permission.CAPABILITY_LINK:
            context = access.enter(context, params.ids["project_id"], self.permission, writes=self.writes)
        if self.prepares_change:
            access.refuse_unchangeable(context, self.permission)
        return context

    def result(self, context: Context, params: Params) -> Result:
        """Return the result of the use case, as the caller may see it, or what waits in its place."""
        held = self.hold(context, params) if self.hold else None
        if held is not None:
            held_text_mails.tell(context)
            return held
        result = self.use_case(context, params)
        if self.hold:
            held_texts.mark(context, params, result)
        if context.transaction.marks_newcomers:
            result = held_texts.with_marks(context, result)
        return ticket_references.viewer_of(context).result(result)


class Endpoint:
    """A path with all its methods."""

    def __init__(self, path: str, routes: tuple[Route, ...], above: Route | None = None) -> None:
        """Create an endpoint from the routes of one path; ``above`` reads the resource of the parent path."""
        self.path = path
        self._above = above if above and all(route.kind is above.kind for route in routes) else None
        self._routes = {route.method: route for route in routes}
        methods = [*self._routes, "OPTIONS"]
        self.allowed = tuple(["GET", "HEAD", *methods[1:]] if "GET" in self._routes else methods)

    def route(self, method: str) -> Route:
        """Return the route of a method; raises MethodNotAllowed."""
        route = self._routes.get("GET" if method == "HEAD" else method)
        if route is None:
            raise MethodNotAllowed(self.allowed)
        return route

    @property
    def routes(self) -> tuple[Route, ...]:
        """Return the routes of all methods."""
        return tuple(self._routes.values())

    @property
    def reading(self) -> Route | None:
        """Return the route that reads the resource that this endpoint changes."""
        return self._above or self._routes.get("GET")


def names_in(path: str) -> list[str]:
    """Return the names of the parameters in a path."""
    return [name for _, name, _, _ in Formatter().parse(path) if name]


def endpoints(routes: tuple[Route, ...]) -> list[Endpoint]:
    """Return the endpoints of some routes, one for each path."""
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
