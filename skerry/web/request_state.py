"""The state of one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from falcon.asgi import Request

from skerry.store.engine import locks
from skerry.store.engine.transactions import Transaction
from skerry.tracker import access
from skerry.tracker.context import Context, Params, Principal
from skerry.web import middleware
from skerry.web.middleware import RequestInfo
from skerry.web.requests.bodies import Body
from skerry.web.responses import answer
from skerry.web.routes.route import Endpoint, ResponseKind, Route
from skerry.wire.formats import Format
from skerry.wire.tree import Tree


@dataclass(slots=True)
class RequestState:
    """The state of one request.

    ``format`` is None for a browser that requests a page. ``tree`` is the body if it had to be parsed early
    to determine the method. ``hidden_fields`` has the fields that the site's forms send beside the
    resource, such as the CSRF token. ``body`` is None until it is received. ``principal`` is None for an
    anonymous caller, and until authentication.
    """

    endpoint: Endpoint
    route: Route
    request: Request
    format: Format | None
    params: Params
    tree: Tree | None
    hidden_fields: Mapping[str, object] = field(default_factory=dict)
    body: Body | None = None
    principal: Principal | None = None

    @property
    def info(self) -> RequestInfo:
        """Return the results of the middleware."""
        return middleware.request_info_of(self.request)

    @property
    def compared(self) -> Route | None:
        """Return the route whose result preconditions such as ``If-Match`` refer to, or None."""
        return self.endpoint.reading if answer.is_conditional(self.request) else None

    def begin(self, transaction: Transaction, params: Params) -> None:
        """Start a write transaction, and take the first locks."""
        if self.route.in_project:
            # Nothing may be added to a list while it is compared.
            compared = self.compared
            alone = self.route.takes_exclusive_lock or (
                compared is not None and compared.response_kind is not ResponseKind.ITEM
            )
            lock = locks.lock_exclusive if alone else locks.lock_shared
            lock(transaction, params.ids["project_id"])
        if self.route.first:
            self.route.first(transaction, params)

    def admit(self, context: Context) -> Context:
        """Check the route's permission, and return the context, inside the project if there is one.

        Raises the errors of ``access.admit`` and ``access.enter``.
        """
        route = self.route
        access.admit(context, route.permission, writes=route.writes)
        if not route.in_project:
            return context
        inside = access.enter(context, self.params.ids["project_id"], route.permission, writes=route.writes)
        if route.response_kind is ResponseKind.FORM:
            # A program may read the defaults of a new ticket, but a form that cannot be submitted is useless.
            access.refuse_archived(inside.project, route.permission)
        return inside
