"""Sign-in and sign-out, and the preferences of a browser: language, time zone and theme."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import falcon
from falcon.asgi import Request, Response

from skerry.errors import TooManyRequests, Unauthenticated
from skerry.languages import LANGUAGES
from skerry.store.auth import login_networks, logins, sessions
from skerry.store.engine.transactions import Transaction
from skerry.store.people import preferences
from skerry.text.time_zones import zone_named
from skerry.tracker.auth import setup_links
from skerry.tracker.auth.secrets import hash_token
from skerry.tracker.context import Principal
from skerry.tracker.mail import queue
from skerry.web import middleware
from skerry.web.auth import credentials
from skerry.web.responses import answer
from skerry.web.site import browser, site
from skerry.web.site.frame import THEMES, Entered, Frame, frame_of, reader_of

if TYPE_CHECKING:
    from skerry.web.dispatch import Dispatcher

MAX_AGENT_LENGTH = 255

_YEAR = 31_536_000


def is_for_people(request: Request) -> bool:
    """Return whether a request comes from a browser, whose user can sign in."""
    return "text/html" in (request.get_header("Accept") or "") and not request.get_header("Authorization")


def address(request: Request) -> str:
    """Return the URL of the sign-in page, which leads back to the requested page."""
    if request.method not in ("GET", "HEAD"):
        return "/sign-in"
    return f"/sign-in?{urlencode({'next': frame_of(request).path})}"


class SignIn:
    """The sign-in endpoint."""

    def __init__(self, dispatcher: "Dispatcher") -> None:
        """Create the endpoint; failures are counted by the dispatcher."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Show the form, or redirect if the user is signed in already."""
        frame: Frame = await self._dispatcher.frame(request)
        wanted = browser.local_path(request.get_param("next")) or "/"
        if frame.principal:
            lead(response, wanted)
            return
        found = await self._dispatcher.execution.quick(partial(self._found, request))
        site.send(request, response, frame, "sign_in.html", {"next": wanted, **found})

    on_head = on_get

    def _found(self, request: Request) -> dict[str, bool]:
        """Return whether the service is not set up yet, and whether passwords can be reset by mail."""
        with self._dispatcher.authentication.read_account(request) as short:
            return {"waits": setup_links.waits(short), "mails": queue.is_on(short)}

    async def on_post(self, request: Request, response: Response) -> None:
        """Sign a person in under a new secret, and redirect."""
        fields = await self._dispatcher.fields(request)
        browser.check_origin(request, frozenset())
        browser.check_proof(request, fields, browser.secret_of(request))
        wanted = browser.local_path(fields.get("next")) or "/"
        try:
            secret = await self._sign_in(
                request, str(fields.get("email", "")), str(fields.get("password", ""))
            )
        except (Unauthenticated, TooManyRequests) as failure:
            response.status = answer.STATUSES[type(failure)]
            if isinstance(failure, TooManyRequests):
                answer.set_error_headers(response, failure)
            entered = Entered({"email": fields.get("email", "")}, list(failure.sentences))
            frame = await self._dispatcher.frame(request)
            site.send(request, response, frame, "sign_in.html", {"next": wanted}, entered)
            return
        browser.remember(request, response, secret)
        lead(response, wanted)

    async def _sign_in(self, request: Request, email: str, password: str) -> str:
        sent = (email.strip(), password, middleware.request_info_of(request).network)
        credentials, execution = self._dispatcher.authentication.credentials, self._dispatcher.execution
        read_account = partial(self._dispatcher.authentication.read_account, request)
        await execution.slow(lambda: credentials.check(read_account, *sent))

        def change() -> str:
            with _changing(self._dispatcher, request) as transaction:
                # A concurrent change of the password would end only the sessions that it can see.
                logins.lock(transaction, email.strip())
                principal = credentials.by_password(transaction, *sent)
                return begin(transaction, request, principal.user_id)

        secret: str = await execution.write(change)
        return secret


class SignOut:
    """The sign-out endpoint."""

    def __init__(self, dispatcher: "Dispatcher") -> None:
        """Create the endpoint."""
        self._dispatcher = dispatcher

    async def on_post(self, request: Request, response: Response) -> None:
        """End the session in this browser, and remove its cookie."""
        fields = await self._dispatcher.fields(request)
        secret = browser.secret_of(request)
        browser.check_proof(request, fields, secret)
        await self._dispatcher.execution.write(lambda: self._end(request, secret))
        browser.remember(request, response, browser.new_secret())
        if browser.is_secure(middleware.request_info_of(request)):
            response.set_header("Clear-Site-Data", '"cache"')
        lead(response, "/")

    def _end(self, request: Request, secret: str) -> None:
        with _changing(self._dispatcher, request) as transaction:
            _end(transaction, secret)


class Preferences:
    """The preferences that a browser keeps: language, time zone and theme."""

    def __init__(self, dispatcher: "Dispatcher") -> None:
        """Create the endpoint."""
        self._dispatcher = dispatcher

    async def on_post(self, request: Request, response: Response) -> None:
        """Set the valid preferences that were sent, and redirect back."""
        fields = await self._dispatcher.fields(request)
        browser.check_proof(request, fields, browser.secret_of(request))
        language, zone, theme = (str(fields.get(name) or "") for name in ("language", "zone", "theme"))
        if language in LANGUAGES:
            _prefer(response, "language", language)
        if zone and (zone == "UTC" or zone_named(zone) is not UTC):
            _prefer(response, "zone", quote(zone, safe=""))
        if "theme" in fields:
            _prefer(response, "theme", theme if theme in THEMES else "")
        lead(response, browser.local_path(fields.get("next")) or "/")


def _prefer(response: Response, name: str, value: str) -> None:
    cookie = f"skerry-{name}={value}; Path=/; Max-Age={_YEAR}; SameSite=Lax"
    response.append_header("Set-Cookie", cookie)


def lead(response: Response, endpoint: str) -> None:
    """Redirect to another URL, to be requested with GET."""
    response.status = falcon.HTTP_303
    response.set_header("Location", endpoint)


async def sign_in(dispatcher: "Dispatcher", request: Request, response: Response, user_id: int) -> None:
    """Sign in a user who was authenticated in another way."""

    def change() -> str:
        with _changing(dispatcher, request) as transaction:
            return begin(transaction, request, user_id)

    browser.remember(request, response, await dispatcher.execution.write(change))


@contextmanager
def _changing(dispatcher: "Dispatcher", request: Request) -> Iterator[Transaction]:
    """Start a write transaction in the account of the request's host; raises NotFound."""
    with dispatcher.authentication.read_account(request) as short:
        account_id = short.account_id
    with dispatcher.database.write(account_id) as transaction:
        yield transaction


def begin(transaction: Transaction, request: Request, user_id: int) -> str:
    """Start a session in this browser and return its secret; an earlier session ends."""
    info = middleware.request_info_of(request)
    secret = browser.new_secret()
    _end(transaction, browser.secret_of(request))
    reader = reader_of(request)
    preferences.learn(
        transaction, user_id, language=reader.language, time_zone=str(getattr(reader.zone, "key", ""))
    )
    login_networks.used(transaction, user_id, info.network, transaction.now)
    sessions.add(
        transaction,
        user_id,
        hash_token(secret),
        agent=(request.user_agent or "")[:MAX_AGENT_LENGTH],
        address=info.address,
    )
    return secret


def _end(transaction: Transaction, secret: str) -> None:
    principal: Principal | None = credentials.by_session(transaction, secret)
    if principal:
        sessions.end(transaction, principal.user_id, principal.session_id)
