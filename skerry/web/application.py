"""The WSGI application: Falcon with the routes of the map, behind the front door."""

from collections.abc import Callable
from typing import Any

import falcon

from skerry.errors import MethodNotAllowed, Missing, Trouble, Unavailable, Unreadable
from skerry.store.room import check_writable
from skerry.web import front
from skerry.web.concurrency import ConcurrencyLimit
from skerry.web.exposition import Exposition
from skerry.web.front import Application, Front
from skerry.web.hallway import Hallway
from skerry.web.interface import Description, Guide
from skerry.web.metrics import ROUTE, Metrics
from skerry.web.revalidation import Revalidation
from skerry.web.routes import Place
from skerry.web.shared_metrics import SharedMetrics
from skerry.web.site.map import places
from skerry.web.site.moved import MOVED, Moved
from skerry.web.site.signing import Preferences, SignIn, SignOut
from skerry.web.static import Static
from skerry.web.transfers import Transfers

_VERBS = ("get", "head", "post", "put", "patch", "delete", "options")

FAILURE = "Something went wrong on the server. Nothing was changed"
NOWHERE = "Nothing exists at this address"
NO_HOST = "The request must name one host, in one Host header"

Responder = Callable[..., None]


def application(hallway: Hallway, metrics: Metrics, transfers: Transfers) -> Application:
    """Give the application that serves a built house."""
    settings = hallway.settings
    inside = falcon.App(middleware=[Signpost()])
    inside.req_options.strip_url_path_trailing_slash = True
    for place in places():
        inside.add_route(place.path, _resource(place, hallway))
    for address, there in MOVED.items():
        inside.add_route(address, Moved(there))
    inside.add_route("/health", Health(hallway))
    inside.add_route("/metrics", Exposition(metrics, SharedMetrics(settings.data), settings.metrics_token))
    inside.add_route("/sign-in", SignIn(hallway))
    inside.add_route("/sign-out", SignOut(hallway))
    inside.add_route("/preferences", Preferences())
    inside.add_route("/api", Guide(hallway))
    inside.add_route("/openapi", Description())
    inside.add_route("/static/{name}", Static())
    inside.add_sink(_nowhere, prefix="/")
    inside.add_error_handler(Exception, _unexpected(hallway))
    inside.add_error_handler(Trouble, _troubled(hallway))
    inside.add_error_handler(falcon.HTTPError, _refused(hallway))
    conditional = Revalidation(inside, hallway.database, hallway.authentication.admit)
    limited = ConcurrencyLimit(conditional, transfers, metrics, settings.turns)
    return Front(limited, settings, hallway.log, metrics)


class Signpost:
    """Leaves word of the address that a request matched, for the figures; lets none in without a host."""

    def process_request(self, request: falcon.Request, _response: falcon.Response) -> None:
        """Be called by Falcon before anything else; raises Unreadable."""
        if not front.arrival_of(request.env).host:
            raise Unreadable(NO_HOST)

    def process_resource(
        self, request: falcon.Request, _response: falcon.Response, _resource: object, _segments: object
    ) -> None:
        """Be called by Falcon once the address is known."""
        request.env[ROUTE] = request.uri_template


def _resource(place: Place, hallway: Hallway) -> Any:
    def respond(_self: Any, request: falcon.Request, response: falcon.Response, **segments: str) -> None:
        hallway.answer(place, request, response, segments)

    return type("Resource", (), {f"on_{verb}": respond for verb in _VERBS})()


class Health:
    """Says whether the service can answer and take changes."""

    def __init__(self, hallway: Hallway) -> None:
        """Look through the hallway's own connections."""
        self._hallway = hallway

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer 200 when the database answers and the disk has room for a change, otherwise 503."""
        response.set_header("Cache-Control", "no-store")
        response.content_type = falcon.MEDIA_JSON
        try:
            self._hallway.database.ping()
            check_writable(self._hallway.database, self._hallway.blobs)
            response.data = b'{"status":"ok"}'
        except Unavailable as trouble:
            self._hallway.log.unavailable(front.arrival_of(request.env).request_id, trouble)
            response.status = falcon.HTTP_503
            response.set_header("Retry-After", str(trouble.retry_after))
            response.data = b'{"status":"unavailable"}'

    on_head = on_get


def _nowhere(*_asked: object, **_segments: object) -> None:
    raise Missing(NOWHERE)


def _refused(hallway: Hallway) -> Responder:
    """What Falcon itself refuses is answered like everything else."""
    allowed = {place.path: place.allowed for place in places()}

    def handle(
        request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, _segments: Any
    ) -> None:
        trouble: Trouble = Missing(NOWHERE)
        if isinstance(error, falcon.HTTPInvalidHeader):
            trouble = Unreadable("A header of the request cannot be read")
        elif isinstance(error, falcon.HTTPMethodNotAllowed | falcon.HTTPBadRequest):
            said = dict(error.headers or ()).get("Allow", "GET, HEAD, OPTIONS").split(", ")
            trouble = MethodNotAllowed(allowed.get(request.uri_template or "", tuple(said)))
        hallway.fail(request, response, trouble)

    return handle


def _troubled(hallway: Hallway) -> Responder:
    def handle(request: falcon.Request, response: falcon.Response, trouble: Trouble, _segments: Any) -> None:
        if isinstance(trouble, Unavailable):
            hallway.log.unavailable(front.arrival_of(request.env).request_id, trouble)
        hallway.fail(request, response, trouble)

    return handle


def _unexpected(hallway: Hallway) -> Responder:
    """A fault of ours is logged with its place and answered without it."""

    def handle(request: falcon.Request, response: falcon.Response, error: Exception, _segments: Any) -> None:
        hallway.log.failure("failure", front.arrival_of(request.env).request_id, error)
        hallway.fail(request, response, Trouble(FAILURE))

    return handle
