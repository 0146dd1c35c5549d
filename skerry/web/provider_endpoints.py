"""The endpoints for signing in with OpenID Connect providers, loaded only where there are any."""

import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import falcon
from falcon.asgi import App, Request, Response

from skerry.database.transactions import SECOND
from skerry.errors import Conflict, NotFound, SkerryError, TooManyRequests, Unauthenticated, Unavailable
from skerry.oidc_settings import ProviderSettings
from skerry.openid import attempts, providers
from skerry.openid.answers import Answer, NotAgain, ProviderDown, Refused
from skerry.openid.attempts import Attempt
from skerry.tracker import access
from skerry.tracker.auth import identities
from skerry.tracker.context import Context
from skerry.tracker.secrets import hash_token
from skerry.web import middleware
from skerry.web.auth import browser, refusals
from skerry.web.auth.credentials import by_session
from skerry.web.counts import Counts
from skerry.web.dispatch import Dispatcher
from skerry.web.responses import answer
from skerry.web.site import sign_in, site
from skerry.web.site.frame import Entered

PATH = "/sign-in/with/{name}"

MAX_KEPT = 8 * 1024
"""Longer ID tokens are not kept: the provider then asks who signs out."""

STALE = "This sign-in was already used or took too long. Start again"
NOT_DONE = "You were not signed in at {label}. Try again, or sign in in another way"
WRONG = (
    "The answer of {label} is not valid, so nobody was signed in. Start again; "
    "if this happens again, tell the operator"
)
AGAIN = "{label} did not say that you gave your password there again. Sign in with your password here"
DOWN = "{label} does not respond as it should. Sign in with your password, or try again later"

_SHOWN = (Conflict, TooManyRequests, Unauthenticated, Unavailable)


class Providers:
    """The providers of this process, and their endpoints."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoints; no provider is asked yet."""
        self._dispatcher = dispatcher
        self._providers = {each.name: providers.Provider(each) for each in dispatcher.settings.providers}
        # States that were used; only within their few minutes would a browser's cookie make them valid again.
        self._used = Counts()

    def add_to(self, application: App) -> None:  # type: ignore[type-arg]
        """Add the routes."""
        application.add_route(PATH, self)
        application.add_route(f"{PATH}/return", self, suffix="return")

    async def on_get(self, _request: Request, response: Response, name: str) -> None:
        """Lead to the sign-in page, which starts a sign-in by a form of its own."""
        del name
        sign_in.redirect(response, "/sign-in")

    async def on_post(self, request: Request, response: Response, name: str) -> None:
        """Send the browser to the provider, with an attempt that it remembers."""
        fields = await self._dispatcher.fields(request)
        browser.check_origin(request, frozenset())
        browser.check_proof(request, fields, browser.secret_of(request))
        provider = self._provider(request, name)
        prompt = provider.settings.prompt if fields.get("another") else ""
        try:
            attempt = await self._attempt(request, name, fields)
            address = await provider.address(attempt, _back(request, name), prompt)
        except ProviderDown as error:
            await self._refuse(request, response, self._down(provider.settings, error))
            return
        browser.remember_attempt(request, response, attempt.encoded(), attempts.SECONDS)
        frame = await self._dispatcher.frame(request)
        # Not a redirect: our policy, which lets forms post to this site alone, would stop it.
        site.send(
            request, response, frame, "provider.html", {"label": provider.settings.label, "address": address}
        )
        response.set_header("Refresh", f"0; url={address}")
        response.set_header("Cache-Control", "no-store")

    async def _attempt(self, request: Request, name: str, fields: Mapping[str, object]) -> Attempt:
        wanted = browser.local_path(fields.get("next")) or "/"
        links = 0
        if fields.get("link"):
            principal = await self._dispatcher.execution.read_inline(partial(self._signed_in, request))
            links, wanted = principal, "/profile#providers"
        again = bool(fields.get("again"))
        attempt = Attempt(name, int(time.time()), wanted, links, again)
        # A cookie has a limit, and the path is the only part without one.
        return (
            attempt
            if len(attempt.encoded()) <= attempts.MAX_LENGTH
            else Attempt(name, attempt.since, again=again)
        )

    def _signed_in(self, request: Request) -> int:
        """Return the id of the browser's session; raises Unauthenticated without one."""
        with self._dispatcher.authentication.read_account(request) as short:
            principal = by_session(short, browser.secret_of(request))
            if principal is None:
                raise Unauthenticated
            access.refuse_without_factor(principal)
            access.refuse_old_session(Context(short, principal))
            return principal.session_id

    async def on_get_return(self, request: Request, response: Response, name: str) -> None:
        """Sign in the person named by the provider, or link the two logins; each attempt works once."""
        provider = self._provider(request, name)
        attempt = attempts.decoded(browser.attempt_of(request))
        response.set_header("Cache-Control", "no-store")
        if attempt is None or attempt.provider != name or request.get_param("state") != attempt.state:
            # Perhaps of another tab, whose attempt stays.
            await self._refuse(request, response, Unauthenticated(STALE))
            return
        browser.remember_attempt(request, response, "", 0)
        credentials, network = self._dispatcher.authentication.credentials, _network(request)
        try:
            self._use(attempt)
            with credentials.limit_returns(name, network):
                found = await self._answered(request, provider, attempt)
                await self._enter(request, response, provider.settings, attempt, found)
        except _SHOWN as failure:
            await self._refuse(request, response, failure, attempt)

    def _use(self, attempt: Attempt) -> None:
        """Raise Unauthenticated for an attempt that was used before, or that is too old."""
        now = int(time.time())
        with self._used.locked():
            key = hash_token(attempt.state)
            if not now - attempts.SECONDS <= attempt.since <= now or self._used.get(key):
                raise Unauthenticated(STALE)
            self._used.put(key, 1, now)

    async def _answered(self, request: Request, provider: providers.Provider, attempt: Attempt) -> Answer:
        label = provider.settings.label
        if request.get_param("error"):
            raise Unauthenticated(NOT_DONE.format(label=label))
        given = {
            name: request.get_param(name) or ""
            for name in ("state", "code", "iss")
            if request.has_param(name)
        }
        back = _back(request, provider.settings.name)
        try:
            return await provider.answered(attempt, given, back, int(time.time()))
        except ProviderDown as error:
            raise self._down(provider.settings, error) from error
        except NotAgain as error:
            raise Unauthenticated(AGAIN.format(label=label)) from error
        except Refused as error:
            self._dispatcher.log.event("provider", name=provider.settings.name, refused=str(error))
            raise Unauthenticated(WRONG.format(label=label)) from error

    async def _enter(
        self,
        request: Request,
        response: Response,
        provider: ProviderSettings,
        attempt: Attempt,
        found: Answer,
    ) -> None:
        execution = self._dispatcher.execution
        if attempt.links:
            await execution.write(partial(self._link, request, provider, attempt, found))
        else:
            secret = await execution.write(partial(self._sign_in, request, provider, found))
            browser.remember(request, response, secret)
        sign_in.redirect(response, browser.local_path(attempt.next) or "/")

    def _sign_in(self, request: Request, provider: ProviderSettings, found: Answer) -> str:
        with self._dispatcher.authentication.write_account(request) as transaction:
            user_id = identities.sign_in(transaction, provider, found)
            kept = found.id_token if len(found.id_token) <= MAX_KEPT else None
            # Clocks differ, and nobody proves in the future who they are; 1 is long ago.
            since = max(1, min(found.since * SECOND, transaction.now))
            values = {"provider": provider.name, "id_token": kept, "proved_at": since}
            return sign_in.begin(transaction, request, user_id, f"provider {provider.name}", **values)

    def _link(self, request: Request, provider: ProviderSettings, attempt: Attempt, found: Answer) -> None:
        with self._dispatcher.authentication.write_account(request) as transaction:
            principal = by_session(transaction, browser.secret_of(request))
            if principal is None or principal.session_id != attempt.links:
                raise Unauthenticated(STALE)
            identities.link(Context(transaction, principal), provider, found)

    def _provider(self, request: Request, name: str) -> providers.Provider:
        if name not in [each.name for each in middleware.request_info_of(request).providers]:
            raise NotFound("There is no such provider")
        return self._providers[name]

    def _down(self, provider: ProviderSettings, error: ProviderDown) -> Unavailable:
        self._dispatcher.log.event("provider", name=provider.name, problem=str(error))
        return Unavailable(DOWN.format(label=provider.label))

    async def _refuse(
        self, request: Request, response: Response, failure: SkerryError, attempt: Attempt | None = None
    ) -> None:
        """Show the sign-in page with the reason; the password still works, and another account may."""
        frame = await self._dispatcher.frame(request)
        if frame.principal:
            site.send_error_page(request, response, frame, failure)
            return
        if isinstance(failure, Unauthenticated) and attempt:
            await self._dispatcher.execution.read_inline(partial(self._note, request))
        response.status = answer.STATUSES.get(type(failure), falcon.HTTP_500)
        answer.set_error_headers(response, failure)
        page_data = {"next": "/", "unsaved": None, "refused_by": ""}
        if attempt and isinstance(failure, Unauthenticated):
            page_data |= {"next": browser.local_path(attempt.next) or "/", "refused_by": attempt.provider}
        site.send(
            request, response, frame, "sign_in.html", page_data, Entered(errors=list(failure.sentences))
        )

    def _note(self, request: Request) -> None:
        authentication = self._dispatcher.authentication
        with authentication.read_account(request) as short:
            authentication.refusals.note(short.account_id, _network(request), refusals.PROVIDER)

    async def leave(self, request: Request, name: str, id_token: str) -> tuple[ProviderSettings, str] | None:
        """Return a provider and the address where people sign out of it, None for an unknown provider."""
        provider = self._providers.get(name)
        address = ""
        if provider:
            with suppress(ProviderDown):
                base = middleware.request_info_of(request).base
                address = await provider.leaving(id_token, f"{base}/")
        return (provider.settings, address) if provider else None


def _network(request: Request) -> str:
    return middleware.request_info_of(request).network


def _back(request: Request, name: str) -> str:
    """Return the address at which a provider sends people back: one for each provider."""
    return f"{middleware.request_info_of(request).base}{PATH.format(name=name)}/return"
