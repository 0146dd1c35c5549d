"""The address at which agents use the tools, by the Model Context Protocol over HTTP.

Each request stands alone, because sessions would live in one of several processes. The tools call the use
cases as routes do: with the same permissions, limits and transactions.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from falcon.asgi import Request, Response
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from skerry.agents.server import server
from skerry.agents.tracker import Answer, Data, Refused
from skerry.errors import SkerryError, Unauthenticated, Unavailable
from skerry.tracker.context import Params, Principal, ResultPage
from skerry.tracker.token_scopes import TICKETS_WRITE
from skerry.web import middleware
from skerry.web.auth import browser
from skerry.web.bodies import Body
from skerry.web.dispatch import Dispatcher
from skerry.web.requests import parameters
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.responses import answer
from skerry.web.route import endpoints
from skerry.web.routes.table import ROUTES
from skerry.wire.formats import JSON

VIA = "mcp"
"""The source that events name."""

NO_TOKEN = "Send a token, as in Authorization: Bearer"  # noqa: S105 - a sentence

_MESSAGE = "application/json"
_LIMIT = 1 << 20
"""How many bytes a message may have."""

_ENDPOINTS = {endpoint.path: endpoint for endpoint in endpoints(ROUTES)}

# Which hosts exist is decided before: by the accounts, and by a token, which no page of another site has.
_ANY_HOST = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class Agents:
    """The endpoint of the protocol."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoint; requests are limited and executed by the dispatcher."""
        self._dispatcher = dispatcher

    async def on_post(self, request: Request, response: Response) -> None:
        """Answer a message of a caller with a token."""
        dispatcher = self._dispatcher
        browser.check_origin(request, dispatcher.settings.cors_origins)
        await dispatcher.check_password(request, Params())
        principal = await dispatcher.execution.read_inline(partial(self._caller, request))
        body = await dispatcher.receiver.receive(request, _LIMIT, expected=_MESSAGE)
        message = body.content.read() if body.content else b""
        report = partial(_report, dispatcher, _id_of(request))
        manager = StreamableHTTPSessionManager(
            server(Caller(dispatcher, request, principal), report),
            json_response=True,
            stateless=True,
            security_settings=_ANY_HOST,
        )
        sent = _Sent(message)
        async with manager.run():
            await manager.handle_request(request.scope, sent.receive, sent.send)
        response.status = sent.status
        response.set_headers(sent.headers)
        answer.send_body(response, bytes(sent.body))

    def _caller(self, request: Request) -> Principal:
        """Authenticate the caller, and count the request."""
        with self._dispatcher.database.read(snapshot=False) as transaction:
            principal = self._dispatcher.authentication.authenticate(transaction, request, Params())
        if principal is None or not principal.token_id:
            raise Unauthenticated(NO_TOKEN)
        return principal


class _Sent:
    """One message, received as a whole, and the response to it."""

    def __init__(self, message: bytes) -> None:
        self.status, self.body = 202, bytearray()
        self.headers: list[tuple[str, str]] = []
        self._message: bytes | None = message

    async def receive(self) -> dict[str, Any]:
        """Return the message; then nothing more comes."""
        if self._message is None:
            await asyncio.Event().wait()
        message, self._message = self._message, None
        return {"type": "http.request", "body": message or b"", "more_body": False}

    async def send(self, event: Mapping[str, Any]) -> None:
        """Keep a part of the response."""
        if event["type"] == "http.response.start":
            self.status = event["status"]
            pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in event["headers"])
            self.headers = [(name, value) for name, value in pairs if name != "content-length"]
        elif event["type"] == "http.response.body":
            self.body += event.get("body", b"")


class Caller:
    """The tracker for the caller of one request."""

    project = ""

    def __init__(self, dispatcher: Dispatcher, request: Request, principal: Principal) -> None:
        """Create the tracker; each call authenticates the caller again."""
        self._dispatcher, self._request = dispatcher, request
        only_reads = principal.scopes and TICKETS_WRITE not in principal.scopes
        self.is_read_only = bool(principal.read_only or dispatcher.settings.read_only or only_reads)

    async def call(
        self,
        method: str,
        path: str,
        ids: Mapping[str, int] | None = None,
        query: Mapping[str, str] | None = None,
        values: Data | None = None,
    ) -> Answer:
        """Call the use case of a route; raises Refused."""
        endpoint = _ENDPOINTS[path]
        segments = {name: str(value) for name, value in (ids or {}).items()}
        try:
            route = self._dispatcher.permitted(endpoint.route(method))
            params = parameters.addressed(route, segments, dict(query or {}))
            routed = RoutedRequest(endpoint, route, self._request, segments, JSON, params, VIA)
            return await (self._write(routed, values or {}) if route.writes else self._read(routed))
        except SkerryError as failure:
            if isinstance(failure, Unavailable):
                self._dispatcher.log.unavailable(_id_of(self._request), failure)
            raise Refused(failure.sentences) from failure

    async def _write(self, routed: RoutedRequest, values: Data) -> Answer:
        written = await self._dispatcher.writing.write(routed, Body(early=values))
        return Answer(json.loads(written.reply.body or b"null"))

    async def _read(self, routed: RoutedRequest) -> Answer:
        dispatcher = self._dispatcher
        result, _ = await dispatcher.execution.read(partial(dispatcher.found, routed))
        content = json.loads(answer.encode(JSON, result))
        return (
            Answer(content, result.total, result.last) if isinstance(result, ResultPage) else Answer(content)
        )


def _id_of(request: Request) -> str:
    """Return the id of a request, for the log."""
    return middleware.request_info_of(request).request_id


def _report(dispatcher: Dispatcher, request_id: str, name: str, error: Exception) -> None:
    dispatcher.log.failure(f"tool {name}", request_id, error)
