"""The dispatcher, through which all requests for resources pass.

For a request that reads, it authenticates the caller, checks the permission, runs the use case and creates
the response, all in one transaction. Requests that write are handled by ``write_handler``. This module runs
on the event loop; ``execution`` determines where the rest runs.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf

from falcon.asgi import Request, Response

from skerry import errors
from skerry.database.database import Database
from skerry.files.blobs import Blobs
from skerry.settings import Settings
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.tracker.context import FIRST_PAGE, Context, Params, Principal
from skerry.tracker.notifications import inbox
from skerry.tracker.texts import ticket_references
from skerry.tracker.texts.ticket_references import Viewer
from skerry.web import bodies, middleware
from skerry.web.auth import browser
from skerry.web.auth.authentication import Authentication, has_password
from skerry.web.bodies import Body, Receiver
from skerry.web.changes import Changes
from skerry.web.counts import Counts
from skerry.web.execution import Execution
from skerry.web.log import Log
from skerry.web.requests import drafting, parameters
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.responses import answer, downloads, feeds, moved_tickets, negotiation
from skerry.web.responses.answer import Representation, UseCaseResult
from skerry.web.responses.event_streams import EventStreams
from skerry.web.route import Endpoint, ResponseKind, Route
from skerry.web.routes import forms
from skerry.web.site import frame, sign_in, site, unsaved_form
from skerry.web.site.frame import Entered, Frame
from skerry.web.site.pages import Elsewhere
from skerry.web.write_handler import WriteHandler
from skerry.wire import dialect, formats
from skerry.wire.formats import Format
from skerry.wire.tree import Tree

QUICK_OFFSET = 10_000
"""Reading a page of a list at a larger offset takes more than a few milliseconds."""

READ_ONLY = "This is a demonstration: you can look at everything, but nothing can be changed"


class Dispatcher:
    """Passes requests from the middleware to the use cases; created once in each process."""

    def __init__(self, database: Database, blobs: Blobs, settings: Settings, log: Log) -> None:
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
        changes = Changes(database, settings, self.authentication, self.formats)
        self.writing = WriteHandler(changes, blobs, settings, self.execution, self.receiver)

    async def answer(
        self, endpoint: Endpoint, request: Request, response: Response, segments: Mapping[str, str]
    ) -> None:
        """Respond to a request; raises SkerryError, which is passed to ``fail``."""
        extension = middleware.request_info_of(request).extension
        more = feeds.at(endpoint) if extension in feeds.LIST_FORMATS else {}
        form = negotiation.requested_format(request, self.formats, more)
        if request.method == "OPTIONS":
            response.set_header("Allow", ", ".join(endpoint.allowed))
            return
        try:
            await self._answer(endpoint, request, response, form, segments)
        except moved_tickets.REPLACED:
            present = await self._moved(endpoint, request, segments)
            if present is None:
                raise
            base = middleware.request_info_of(request).base if form else ""
            moved_tickets.redirect(request, response, present, base)

    async def _moved(self, endpoint: Endpoint, request: Request, segments: Mapping[str, str]) -> Place | None:
        """Return the present place of the ticket at an address, if it was moved."""

        def look() -> Place | None:
            with self.database.read(snapshot=False) as transaction:
                params = Params(query=parameters.query_of(request))
                principal = self.authentication.find(transaction, request, params)
                return moved_tickets.place(Context(transaction, principal), segments)

        return await self.execution.read_inline(look) if moved_tickets.is_below(endpoint.path) else None

    async def fail(self, request: Request, response: Response, failure: errors.SkerryError) -> None:
        """Respond with an error, in the client's format or as a page."""
        try:
            # Errors of a feed are in XML.
            spoken = dict.fromkeys(feeds.LIST_FORMATS, self.formats["xml"])
            form = negotiation.requested_format(request, self.formats, spoken)
        except errors.NotAcceptable as worse:
            form, failure = negotiation.preferred_format(request, self.formats), worse
        if form is not None:
            answer.fail(response, form, failure)
            if negotiation.wants_stream(request) and request.get_header("Sec-Fetch-Site"):
                # A browser would prompt for a password in the middle of a page.
                response.delete_header("WWW-Authenticate")
        elif isinstance(failure, sign_in.ASKING) and sign_in.is_for_people(request):
            sign_in.ask(request, response, failure)
        elif isinstance(failure, errors.FactorNeeded) and request.method in ("GET", "HEAD"):
            sign_in.demand_factor(request, response)
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
            await self.execution.read_inline(lambda: self._fill(found, request))
        return found

    def _fill(self, found: Frame, request: Request) -> None:
        with self.database.read(snapshot=False) as transaction:
            account = self.authentication.bind_account(transaction, request)
            principal = self.authentication.identify_or_count(transaction, request, Params())
            around = frame.inside(Context(transaction, principal), found.info.path)
            frame.fill(found, around, account, counts=False)
            self.authentication.count_request(request, transaction.account_id, principal)

    async def check_password(self, request: Request, params: Params) -> None:
        """Check the password in a request, if any; raises as ``Authentication`` does."""
        if has_password(request):
            await self.execution.passwords(lambda: self.authentication.check_password(request, params))

    async def fields(self, request: Request, limit: int | None = bodies.SHORT) -> Tree:
        """Return the fields of a form, by default a short one; raises errors of receiving and parsing."""
        return await self._tree(request, await self.receiver.receive(request, limit))

    def permitted(self, route: Route) -> Route:
        """Return a route; raises Forbidden if it writes and this server refuses that."""
        if self.settings.read_only and route.writes and not route.reads_only:
            raise errors.Forbidden(READ_ONLY)
        return route

    async def _answer(
        self,
        endpoint: Endpoint,
        request: Request,
        response: Response,
        form: Format | None,
        segments: Mapping[str, str],
    ) -> None:
        body = await self._early_form(request)
        routed = self._routed(endpoint, request, response, form, segments, body.early)
        route, form = routed.route, routed.format
        await self.check_password(request, routed.params)
        if form is None:
            if route.writes and body.early:
                body.early = forms.composed(route, body.early)
            await self._answer_browser(routed, response, body)
        elif route.response_kind is ResponseKind.EVENTS and negotiation.wants_stream(request):
            await self.event_streams.answer(routed, response, form)
        elif route.writes:
            written = await self.writing.write(routed, body)
            if route.once:
                response.set_header("Cache-Control", "no-store")
            answer.send(response, written.reply, written.submission.params.ignored)
        elif route.response_kind is ResponseKind.FILE:
            found = await self.execution.read_inline(lambda: self.found(routed))
            await downloads.send(request, response, self.blobs, self.execution, found.result)
        else:
            run = self.execution.read_with_deadline if _is_quick(routed) else self.execution.read
            representation = await run(partial(self._represented, routed, form))
            answer.send_conditionally(request, response, form, representation)

    def _routed(
        self,
        endpoint: Endpoint,
        request: Request,
        response: Response,
        form: Format | None,
        segments: Mapping[str, str],
        sent: Tree | None,
    ) -> RoutedRequest:
        """Return the request with its route and parameters; a form that was ``sent`` may name the method."""
        query = parameters.query_of(request)
        route = self.permitted(parameters.route_of(endpoint, request, query, sent))
        form = _format_of(route, form)
        if form is None and not route.writes:
            route = forms.page_at(endpoint.path)
        elif route.response_kind is ResponseKind.FEED:
            feeds.guard(response, form)
        elif form is not None and route.response_kind is ResponseKind.FORM:
            raise errors.NotFound("This address is only a page; it has no JSON or XML")
        is_feed = form is not None and form not in self.formats.values()
        params = parameters.addressed(route, segments, query, is_feed=is_feed)
        if is_feed:
            params = feeds.paged(form, params)
        return RoutedRequest(endpoint, route, request, segments, form, params, parameters.via_of(request))

    async def _early_form(self, request: Request) -> Body:
        """Return a posted form, which may override the method; empty for any other request."""
        if not bodies.is_form(request):
            return Body()
        body = await self.receiver.receive(request)
        body.early = await self._tree(request, body)
        return body

    async def _tree(self, request: Request, body: Body) -> Tree:
        if not body.is_long:
            return body.tree()
        return await self.execution.slow(middleware.request_info_of(request).network, body.tree)

    async def _answer_browser(self, routed: RoutedRequest, response: Response, body: Body) -> None:
        if not routed.route.writes:
            await self._show(routed, response, Entered())
            return
        try:
            await self._take_form(routed, response, body)
        except Exception:
            routed.request.context.unsaved_form = await unsaved_form.of(routed, self.receiver, body)
            raise

    async def _take_form(self, routed: RoutedRequest, response: Response, body: Body) -> None:
        try:
            reply, submission = await self.writing.write(routed, body)
        except answer.REDISPLAYED as failure:
            sent = await drafting.entered(routed, self.receiver, body)
            response.status = answer.STATUSES[type(failure)]
            entered = Entered(sent.tree, list(failure.sentences), hidden_fields=sent.hidden_fields)
            await self._show_again(routed, response, entered)
            return
        browser.mark_accepted(routed.request, response, submission.hidden_fields)
        if reply.user_id:
            enter = partial(sign_in.sign_in, self.authentication, routed.request, reply.user_id)
            proven = await self.execution.write(enter)
            wanted = sign_in.keep(routed.request, response, proven, reply.location or "/")
            reply = replace(reply, location=wanted)
        if reply.secret is None:
            answer.send(response, reply)
        else:
            await self._show_again(routed, response, Entered(made=reply.secret))

    async def _show_again(self, routed: RoutedRequest, response: Response, entered: Entered) -> None:
        route = forms.page_again(routed.route)
        params = parameters.addressed(route, routed.segments, routed.params.query)
        path = route.path.format_map(routed.segments)
        await self._show(routed._replace(route=route, params=params), response, entered, path)

    async def _show(
        self, routed: RoutedRequest, response: Response, entered: Entered, path: str = ""
    ) -> None:
        await self.execution.read(partial(self._show_now, routed, response, entered, path))

    def _show_now(self, routed: RoutedRequest, response: Response, entered: Entered, path: str) -> None:
        route, request, params = routed.route, routed.request, routed.params
        found = frame.frame_of(request, path)
        with self.database.read(snapshot=False) as transaction:
            account = self.authentication.bind_account(transaction, request)
            principal = self.authentication.identify_and_count(transaction, request, params)
            arrived = Context(transaction, principal)
            found.viewer = Viewer(partial(self._visible_ids, account.id, principal))
            if principal:
                # Read first: an event during rendering is sent to the page again, rather than never, and a
                # notification that is created meanwhile is counted again. The pages of a project read the
                # stream of the account as well.
                found.position, found.is_count_late = inbox.progress(arrived)
            context = route.admit(arrived, params)
            page_data = route.use_case(context, params)
            if isinstance(page_data, Elsewhere):
                return sign_in.redirect(response, page_data.path)
            frame.fill(found, context, account, page_data.get("views"))
        return site.send(request, response, found, forms.template_of(route), page_data, entered)

    def _visible_ids(self, account_id: int, principal: Principal | None) -> frozenset[int]:
        """Read the ids of the visible projects while a page is rendered; few texts need them."""
        with self.database.read(account_id) as transaction:
            return ticket_references.visible_ids(Context(transaction, principal))

    def _represented(self, routed: RoutedRequest, form: Format, seconds: float = inf) -> Representation:
        """Return the result of the use case ready to be sent; raises as ``found`` does."""
        return answer.represent(form, routed.info, routed.route, routed.params, self.found(routed, seconds))

    def found(self, routed: RoutedRequest, seconds: float = inf) -> UseCaseResult:
        """Return the result of the use case.

        Raises QueryTimeout if searching takes longer than ``seconds``.
        """
        with self.database.read(snapshot=False) as transaction:
            transaction.limit_time(seconds)
            principal = self.authentication.authenticate(transaction, routed.request, routed.params)
            arrived = Context(transaction, principal, opening_texts=self._original)
            context = routed.route.admit(arrived, routed.params)
            return UseCaseResult(routed.route.result(context, routed.params), transaction.shortened)


def _format_of(route: Route, form: Format | None) -> Format | None:
    """Return the format of a response: files have their own, and a forge that sends a form gets JSON."""
    if route.response_kind is ResponseKind.FILE:
        return formats.JSON
    return form or formats.JSON if route.takes_push else form


def _is_quick(routed: RoutedRequest) -> bool:
    """Return whether reading takes the database less than a few milliseconds."""
    page = routed.params.page
    is_near = page.limit <= FIRST_PAGE.limit and page.offset <= QUICK_OFFSET
    return routed.route.quick and is_near
