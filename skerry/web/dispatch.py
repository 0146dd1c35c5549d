"""The dispatcher, through which all requests for resources pass.

For a request that reads, it authenticates the caller, checks the permission, runs the use case and creates
the response, all in one transaction. Requests that write are handled by ``writing``. This module runs on the
event loop; ``execution`` determines where the rest runs.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from falcon.asgi import Request, Response

from skerry import errors
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs
from skerry.tracker.context import FIRST_PAGE, Context, Params
from skerry.tracker.events import event_lists
from skerry.web import middleware
from skerry.web.auth.authentication import Authentication, has_password
from skerry.web.counts import Counts
from skerry.web.execution import Execution
from skerry.web.log import Log
from skerry.web.request_state import RequestState
from skerry.web.requests import bodies, drafting, parameters
from skerry.web.requests.bodies import Body, Receiver
from skerry.web.responses import answer, downloads, feeds, negotiation
from skerry.web.responses.answer import Found
from skerry.web.responses.event_streams import EventStreams
from skerry.web.routes.route import Endpoint, ResponseKind
from skerry.web.site import browser, frame, sign_in, site, unsaved_form
from skerry.web.site.frame import Entered, Frame
from skerry.web.write_handler import WriteHandler
from skerry.wire import dialect, formats
from skerry.wire.formats import Format
from skerry.wire.tree import Tree

QUICK_OFFSET = 10_000
"""Reading a page of a list at a larger offset takes more than a few milliseconds."""


class Dispatcher:
    """Passes requests from the middleware to the use cases; there is one in each process."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        log: Log,
    ) -> None:
        """Create the dispatcher, and the objects that all requests share."""
        self.database = database
        self.blobs, self.settings, self.log = blobs, settings, log
        self.execution = Execution(
            embedded=settings.is_embedded,
            threads=settings.threads_for_database,
            read_seconds=settings.read_seconds,
        )
        self.receiver = Receiver(settings, blobs)
        self.authentication = Authentication(database, settings.requests_per_minute, Counts())
        self.event_streams = EventStreams(database, self.execution, self.authentication, log)
        self._original = settings.dialect == dialect.NAME
        self.formats = dialect.FORMATS if self._original else formats.FORMATS
        self._writing = WriteHandler(
            database, blobs, settings, self.authentication, self.formats, self.execution, self.receiver
        )

    async def answer(
        self, endpoint: Endpoint, request: Request, response: Response, segments: Mapping[str, str]
    ) -> None:
        """Respond to a request; raises SkerryError, which is passed to ``fail``."""
        form = negotiation.requested_format(request, self.formats, feeds.at(endpoint))
        if request.method == "OPTIONS":
            response.set_header("Allow", ", ".join(endpoint.allowed))
        else:
            await self._answer(endpoint, request, response, form, segments)

    async def fail(self, request: Request, response: Response, failure: errors.SkerryError) -> None:
        """Respond with an error, in the client's format or as a page."""
        try:
            # Errors of a feed are in XML.
            spoken = dict.fromkeys(feeds.FORMATS, self.formats["xml"])
            form = negotiation.requested_format(request, self.formats, spoken)
        except errors.NotAcceptable as worse:
            form, failure = negotiation.preferred_format(request, self.formats), worse
        if form is not None:
            answer.fail(response, form, failure)
            if negotiation.wants_stream(request) and request.get_header("Sec-Fetch-Site"):
                # A browser would prompt for a password in the middle of a page.
                response.delete_header("WWW-Authenticate")
        elif isinstance(failure, errors.Unauthenticated) and sign_in.is_for_people(request):
            if unsaved_form.has_words(request):
                site.send_error_page(request, response, frame.frame_of(request), errors.SignedOut())
            else:
                sign_in.lead(response, sign_in.address(request))
        elif isinstance(failure, errors.Unauthenticated):
            # Authentication has failed already. Repeating it for the page would be slow and count twice.
            site.send_error_page(request, response, frame.frame_of(request), failure)
        else:
            site.send_error_page(request, response, await self._error_frame(request), failure)

    async def _error_frame(self, request: Request) -> Frame:
        try:
            return await self.frame(request)
        except Exception as error:  # noqa: BLE001 - the response is about the first error
            self.log.failure("failure", middleware.request_info_of(request).request_id, error)
            return frame.frame_of(request)

    async def frame(self, request: Request) -> Frame:
        """Return the frame of a page without content of the account, regardless of the rate limit."""
        found = frame.frame_of(request)
        with suppress(errors.SkerryError):
            await self.check_password(request, Params())
            await self.execution.quick(lambda: self._fill(found, request))
        return found

    def _fill(self, found: Frame, request: Request) -> None:
        with self.database.read(snapshot=False) as transaction:
            principal = self.authentication.find(transaction, request, Params())
            frame.fill(found, Context(transaction, principal), accounts.name_of(transaction))
            self.authentication.count_request(request, transaction.account_id, principal)

    async def check_password(self, request: Request, params: Params) -> None:
        """Check the password in a request, if any; raises as ``Authentication`` does."""
        if has_password(request):
            await self.execution.slow(lambda: self.authentication.check_password(request, params))

    async def fields(self, request: Request) -> Tree:
        """Return the fields of a short form; raises errors of receiving and parsing."""
        return (await self.receiver.receive(request, bodies.SHORT)).tree()

    async def _answer(
        self,
        endpoint: Endpoint,
        request: Request,
        response: Response,
        form: Format | None,
        segments: Mapping[str, str],
    ) -> None:
        query = parameters.query_of(request)
        body, tree = await self._early_form(request)
        route = parameters.route_of(endpoint, request, query, tree)
        is_stream = route.response_kind is ResponseKind.EVENTS and negotiation.wants_stream(request)
        if route.response_kind is ResponseKind.FILE:
            # A file has its own format, whichever is requested.
            form = formats.JSON
        if form is None and not route.writes:
            route = site.page_at(endpoint.path)
        elif route.response_kind is ResponseKind.FEED:
            feeds.guard(response, form)
        elif form is not None and route.response_kind is ResponseKind.FORM:
            raise errors.NotFound("This address is a page only; it has no JSON or XML")
        params = parameters.addressed(route, segments, query)
        state = RequestState(endpoint, route, request, form, params, tree, body=body)
        await self.check_password(request, params)
        if form is None:
            await self._answer_browser(state, response, segments)
        elif is_stream:
            await self.event_streams.answer(state, response, form)
        elif route.writes:
            answer.send(response, await self._writing.write(state))
        elif route.response_kind is ResponseKind.FILE:
            found = await self.execution.quick(lambda: self._read(state))
            await downloads.send(state, response, self.blobs, self.execution, found)
        else:
            run = self.execution.brief if _is_quick(state) else self.execution.read
            answer.send_conditionally(request, response, form, await run(partial(self._read, state, form)))

    async def _early_form(self, request: Request) -> tuple[Body | None, Tree | None]:
        """Return a posted form, which may override the method, and its tree; None for any other request."""
        if not bodies.is_form(request):
            return None, None
        body = await self.receiver.receive(request)
        return body, await self.execution.slow(body.tree) if body.is_long else body.tree()

    async def _answer_browser(
        self, state: RequestState, response: Response, segments: Mapping[str, str]
    ) -> None:
        if not state.route.writes:
            await self._show(state, response, Entered())
            return
        try:
            await self._take_form(state, response, segments)
        except Exception:
            state.request.context.unsaved_form = await unsaved_form.of(state, self.receiver)
            raise

    async def _take_form(self, state: RequestState, response: Response, segments: Mapping[str, str]) -> None:
        try:
            reply = await self._writing.write(state)
        except answer.REDISPLAYED as failure:
            await drafting.recover(state, self.receiver)
            response.status = answer.STATUSES[type(failure)]
            entered = Entered(state.tree, list(failure.sentences), hidden_fields=state.hidden_fields)
            await self._show_again(state, response, segments, entered)
            return
        browser.mark_accepted(response, state.hidden_fields)
        if reply.user_id:
            await sign_in.sign_in(self, state.request, response, reply.user_id)
        if reply.secret is None:
            answer.send(response, reply)
        else:
            await self._show_again(state, response, segments, Entered(made=reply.secret))

    async def _show_again(
        self, state: RequestState, response: Response, segments: Mapping[str, str], entered: Entered
    ) -> None:
        route = site.page_again(state.route)
        params = parameters.addressed(route, segments, state.params.query)
        path = route.path.format_map(segments)
        await self._show(replace(state, route=route, params=params), response, entered, path)

    async def _show(self, state: RequestState, response: Response, entered: Entered, path: str = "") -> None:
        await self.execution.read(partial(self._show_now, state, response, entered, path))

    def _show_now(self, state: RequestState, response: Response, entered: Entered, path: str) -> None:
        request = state.request
        found = frame.frame_of(request, path)
        with self.database.read(snapshot=False) as transaction:
            principal = self.authentication.authenticate(transaction, request, state.params)
            context = state.admit(Context(transaction, principal))
            if principal:
                # Read first: an event during rendering is sent to the page again, rather than never.
                found.position = event_lists.position(context)
            page_data = state.route.use_case(context, state.params)
            frame.fill(found, context, accounts.name_of(transaction))
        site.send(request, response, found, site.template_of(state.route), page_data, entered)

    def _read(self, state: RequestState, form: Format | None = None, seconds: float = inf) -> Any:
        """Return the result of the use case, or with a format the result ready to be sent.

        Raises QueryTimeout if searching takes longer than ``seconds``.
        """
        with self.database.read(snapshot=False) as transaction:
            transaction.limit_time(seconds)
            state.principal = self.authentication.authenticate(transaction, state.request, state.params)
            context = state.admit(Context(transaction, state.principal, opening_texts=self._original))
            found = Found(state.route.use_case(context, state.params), transaction.shortened)
        if form is None:
            return found.result
        return answer.represent(form, state.info, state.route, state.params, found)


def _is_quick(state: RequestState) -> bool:
    """Return whether reading takes the database less than a few milliseconds."""
    params = state.params
    is_near = params.page.limit <= FIRST_PAGE.limit and params.page.offset <= QUICK_OFFSET
    return state.route.quick and is_near
