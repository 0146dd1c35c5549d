"""The ASGI application: Falcon with the route table, behind the middleware."""

import gzip
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

import brotli
import falcon
import falcon.asgi
from falcon.asgi import Request, Response

from skerry.errors import BadRequest, MethodNotAllowed, NotFound, SkerryError, Unavailable
from skerry.failures import Failures
from skerry.store.disk_space import check_writable
from skerry.store.sending import backlogs
from skerry.store.sending.backlogs import Total
from skerry.web import middleware
from skerry.web.api_description import Description, Guide
from skerry.web.dispatch import Dispatcher
from skerry.web.factor_endpoints import SecondFactor
from skerry.web.metrics import ROUTE, Metrics, MetricsEndpoint, MetricsFiles
from skerry.web.middleware import Application, Middleware
from skerry.web.route import Endpoint
from skerry.web.routes.pages import ENDPOINTS
from skerry.web.routes.redirects import MOVED, Moved
from skerry.web.sign_in_endpoints import Leave, PasskeyOptions, PreferencesEndpoint, SignIn, SignOut, stay
from skerry.web.site.sign_in import FACTOR
from skerry.web.site.static import Static
from skerry.web.well_known import ChangePassword, SecurityContact
from skerry.wire.values import UNSTORABLE

_VERBS = ("get", "head", "post", "put", "patch", "delete", "options")

FAILURE = "Something went wrong on the server. Nothing was changed"
HEALTH_SECONDS = 3
"""How long the health check waits for the database."""

NOWHERE = "Nothing exists at this address"
NO_HOST = "The request must name one host, in one Host header"

SMALLEST = 4096
"""Smaller bodies are not compressed: they fit into a few packets anyway."""

# Above these levels, time grows faster than savings.
_BROTLI_QUALITY = 4
_GZIP_LEVEL = 5

E = TypeVar("E", bound=Exception)

Handler = Callable[[Request, Response, E, dict[str, object]], Awaitable[None]]


class LifespanCallbacks(Protocol):
    """The callbacks for the start and the end of the worker."""

    async def process_startup(self, scope: object, event: object, /) -> None:
        """Run the start callbacks; called by Falcon before the first request."""

    async def process_shutdown(self, scope: object, event: object, /) -> None:
        """Run the end callbacks; called by Falcon after the last request."""


def application(dispatcher: Dispatcher, metrics: Metrics, lifespan: LifespanCallbacks) -> Application:
    """Return the ASGI application."""
    settings = dispatcher.settings
    inside = falcon.asgi.App(middleware=RoutingHooks())
    inside.add_middleware(ResponseHooks(dispatcher))
    inside.add_middleware(lifespan)
    inside.req_options.strip_url_path_trailing_slash = True
    for endpoint in ENDPOINTS:
        inside.add_route(endpoint.path, _resource(endpoint, dispatcher))
    for path, resource in _endpoints(dispatcher, metrics).items():
        inside.add_route(path, resource)
    _add_sign_in(inside, dispatcher)
    if settings.mcp:
        from skerry.web.agents import Agents  # noqa: PLC0415 - an extra, which needs memory

        inside.add_route("/mcp", Agents(dispatcher))
    inside.add_sink(_nowhere, prefix="/")
    inside.add_error_handler(Exception, _unexpected(dispatcher))
    inside.add_error_handler(SkerryError, _failed(dispatcher))
    inside.add_error_handler(falcon.HTTPError, _refused(dispatcher))
    return Middleware(inside, settings, dispatcher.log, metrics)


def _endpoints(dispatcher: Dispatcher, metrics: Metrics) -> dict[str, object]:
    """Return the endpoints beside those of the tables of routes and pages, by path."""
    settings = dispatcher.settings
    files, backlog = MetricsFiles(settings.data), partial(_backlog, dispatcher)
    return {path: Moved(there) for path, there in MOVED.items()} | {
        "/health": HealthEndpoint(dispatcher),
        "/metrics": MetricsEndpoint(metrics, files, settings.metrics_token, backlog),
        "/preferences": PreferencesEndpoint(dispatcher),
        "/api": Guide(dispatcher),
        "/openapi": Description("json"),
        "/openapi-xml": Description("xml"),
        "/static/{name}": Static(),
        "/.well-known/security.txt": SecurityContact(settings),
        "/.well-known/change-password": ChangePassword(),
    }


def _add_sign_in(inside: falcon.asgi.App, dispatcher: Dispatcher) -> None:  # type: ignore[type-arg]
    """Add the endpoints that sign in and out."""
    inside.add_route("/sign-in", SignIn(dispatcher))
    inside.add_route(FACTOR, SecondFactor(dispatcher))
    inside.add_route("/sign-in/passkey", PasskeyOptions(dispatcher))
    leave: Leave = stay
    # Signing in with one can add people and change roles.
    if dispatcher.settings.providers and not dispatcher.settings.read_only:
        from skerry.web.provider_endpoints import Providers  # noqa: PLC0415 - needs memory

        providers = Providers(dispatcher)
        providers.add_to(inside)
        leave = providers.leave
    inside.add_route("/sign-out", SignOut(dispatcher, leave))


class RoutingHooks:
    """Records the matched route for the metrics, and refuses requests without a host."""

    async def process_request(self, request: Request, _response: Response) -> None:
        """Refuse a request without a host, or with a path that no resource can have.

        Called by Falcon before anything else. Raises BadRequest or NotFound.
        """
        info = middleware.request_info_of(request)
        if not info.host:
            raise BadRequest(NO_HOST)
        if UNSTORABLE.search(info.path):
            # PostgreSQL fails on NUL even in a comparison.
            raise NotFound(NOWHERE)

    async def process_resource(
        self, request: Request, _response: Response, _resource: object, _segments: object
    ) -> None:
        """Record the matched route; called by Falcon after routing."""
        request.scope[ROUTE] = request.uri_template


class ResponseHooks:
    """Compresses responses, and reads the rest of unused bodies."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the component; compression runs on the dispatcher's threads."""
        self._dispatcher = dispatcher

    async def process_response(
        self, request: Request, response: Response, _resource: object, _succeeded: object
    ) -> None:
        """Compress the response, and read the rest of an unused body."""
        allowed = response.get_header("Allow")
        if request.method == "OPTIONS" and allowed and "OPTIONS" not in allowed:
            # Falcon leaves it out at addresses that answer for themselves.
            response.set_header("Allow", f"{allowed}, OPTIONS")
        accepted = request.get_header("Accept-Encoding")
        # An error replaces the body of a response, but not its context.
        body = response.data if getattr(response.context, "compress", False) else None
        if accepted and body and len(body) >= SMALLEST:
            response.data, encoding = await self._dispatcher.execution.read(
                lambda: compressed(body, accepted)
            )
            if encoding:
                response.set_header("Content-Encoding", encoding)
        if not await self._dispatcher.receiver.discard(request):
            response.set_header("Connection", "close")


def compressed(body: bytes, accept_encoding: str) -> tuple[bytes, str | None]:
    """Return a body and its encoding, None if the client accepts no compression."""
    liked = _liked(accept_encoding)
    if liked.get("br"):
        smaller: bytes = brotli.compress(body, quality=_BROTLI_QUALITY)
        return smaller, "br"
    if liked.get("gzip", liked.get("*")):
        return gzip.compress(body, _GZIP_LEVEL, mtime=0), "gzip"
    return body, None


def _liked(header: str) -> dict[str, bool]:
    """Return whether each encoding in the header is acceptable; ``*`` stands for all others."""
    pieces = [piece.replace(" ", "").lower().partition(";") for piece in header.split(",")]
    return {name: quality not in ("q=0", "q=0.0", "q=0.00", "q=0.000") for name, _, quality in pieces}


def _resource(endpoint: Endpoint, dispatcher: Dispatcher) -> object:
    async def respond(_self: object, request: Request, response: Response, **segments: str) -> None:
        await dispatcher.answer(endpoint, request, response, segments)

    return type("Resource", (), {f"on_{method}": respond for method in _VERBS})()


class HealthEndpoint:
    """The health endpoint: whether the service can respond and accept changes."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoint; it uses the dispatcher's connections."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with 200 if the database responds and the disk has room for a change, else with 503."""
        response.set_header("Cache-Control", "no-store")
        response.content_type = falcon.MEDIA_JSON
        try:
            failing = await self._dispatcher.execution.read(self._check, HEALTH_SECONDS)
            said = {"status": "ok", "failing": failing} if failing else {"status": "ok"}
            response.data = json.dumps(said, separators=(",", ":")).encode()
        except Unavailable as failure:
            self._dispatcher.log.unavailable(middleware.request_info_of(request).request_id, failure)
            response.status = falcon.HTTP_503
            response.set_header("Retry-After", str(failure.retry_after))
            response.data = b'{"status":"unavailable"}'

    on_head = on_get

    def _check(self) -> list[str]:
        """Return the names of failing background work, which does not make the service unhealthy."""
        self._dispatcher.database.ping()
        check_writable(self._dispatcher.database, self._dispatcher.blobs)
        return list(Failures(self._dispatcher.blobs.data).all())


async def _backlog(dispatcher: Dispatcher) -> Total:
    """Return the total backlog of all accounts."""

    def read() -> Total:
        with dispatcher.database.read() as transaction:
            return backlogs.total(transaction)

    return await dispatcher.execution.read(read)


async def _nowhere(*_asked: object, **_segments: object) -> None:
    raise NotFound(NOWHERE)


def _refused(dispatcher: Dispatcher) -> Handler[falcon.HTTPError]:
    """Return the handler that responds to Falcon's own errors in the client's format."""
    allowed = {endpoint.path: endpoint.allowed for endpoint in ENDPOINTS}

    async def handle(request: Request, response: Response, error: falcon.HTTPError, _path: object) -> None:
        failure: SkerryError = NotFound(NOWHERE)
        if isinstance(error, falcon.HTTPInvalidHeader):
            failure = BadRequest("A header of the request cannot be read")
        elif isinstance(error, falcon.HTTPMethodNotAllowed | falcon.HTTPBadRequest):
            said = dict(error.headers or ()).get("Allow", "GET, HEAD, OPTIONS").split(", ")
            failure = MethodNotAllowed(allowed.get(request.uri_template or "", tuple(said)))
        await dispatcher.fail(request, response, failure)

    return handle


def _failed(dispatcher: Dispatcher) -> Handler[SkerryError]:
    async def handle(request: Request, response: Response, failure: SkerryError, _segments: object) -> None:
        if isinstance(failure, Unavailable):
            dispatcher.log.unavailable(middleware.request_info_of(request).request_id, failure)
        await dispatcher.fail(request, response, failure)

    return handle


def _unexpected(dispatcher: Dispatcher) -> Handler[Exception]:
    """Return the handler that logs an internal error with its traceback, and hides it from the client."""

    async def handle(request: Request, response: Response, error: Exception, _segments: object) -> None:
        dispatcher.log.failure("failure", middleware.request_info_of(request).request_id, error)
        await dispatcher.fail(request, response, SkerryError(FAILURE))

    return handle
