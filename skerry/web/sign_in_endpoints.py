"""The endpoints for signing in and out, and for the preferences of a browser."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC
from functools import partial
from urllib.parse import quote

import falcon
from falcon.asgi import Request, Response

from skerry.errors import SignedOut, TooManyRequests, Unauthenticated
from skerry.languages import LANGUAGES
from skerry.oidc_settings import ProviderSettings
from skerry.store.auth import logins
from skerry.text import addresses
from skerry.text.time_zones import zone_named
from skerry.tracker import secrets
from skerry.tracker.audit import audit
from skerry.tracker.auth import passkeys, setup_links
from skerry.tracker.mail import queue
from skerry.web import bodies, middleware
from skerry.web.auth import browser, refusals
from skerry.web.dispatch import Dispatcher
from skerry.web.responses import answer
from skerry.web.site import sign_in, site, unsaved_form
from skerry.web.site.frame import ROWS, THEMES, Entered, Frame, dismissed_in, frame_of, is_project_id
from skerry.web.site.sign_in import Proven
from skerry.wire.tree import Tree

_YEAR = 31_536_000


Leave = Callable[[Request, str, str], Awaitable[tuple[ProviderSettings, str] | None]]
"""Returns a provider and the address where people sign out of it, which is empty if there is none."""


class SignIn:
    """The sign-in endpoint."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoint; failures are counted by the dispatcher."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Show the form, or redirect if the user is signed in already."""
        frame: Frame = await self._dispatcher.frame(request)
        wanted = browser.local_path(request.get_param("next")) or "/"
        if frame.principal:
            sign_in.redirect(response, wanted)
            return
        found = await self._dispatcher.execution.read_inline(partial(self._found, request))
        site.send(request, response, frame, "sign_in.html", {"next": wanted, "unsaved": None, **found})

    on_head = on_get

    def _found(self, request: Request) -> dict[str, bool]:
        """Return whether the service is not set up yet, and whether passwords can be reset by mail."""
        with self._dispatcher.authentication.read_account(request) as short:
            return {"waits": setup_links.waits(short), "mails": queue.is_on(short)}

    async def on_post(self, request: Request, response: Response) -> None:
        """Sign a person in under a new secret, and redirect, or show a form that was not saved."""
        is_form = bodies.media_type(request) in (bodies.FORM, bodies.MULTIPART)
        fields = await self._dispatcher.fields(request, None if is_form else bodies.SHORT)
        browser.check_origin(request, frozenset())
        wanted = browser.local_path(fields.get("next")) or "/"
        unsaved = unsaved_form.decoded(fields.get("unsaved"))
        if unsaved and fields.get("elsewhere"):
            await self._resend(request, response, unsaved)
            return
        browser.check_proof(request, fields, browser.secret_of(request))
        try:
            proven = await self._proven(request, fields)
        except (Unauthenticated, TooManyRequests) as failure:
            response.status = answer.STATUSES[type(failure)]
            if isinstance(failure, TooManyRequests):
                answer.set_error_headers(response, failure)
            entered = Entered({"email": fields.get("email", "")}, list(failure.sentences))
            frame = await self._dispatcher.frame(request)
            page_data = {"next": wanted, "unsaved": unsaved}
            site.send(request, response, frame, "sign_in.html", page_data, entered)
            return
        sign_in.arrive(request, response, proven, wanted, unsaved)

    async def _resend(self, request: Request, response: Response, unsaved: unsaved_form.UnsavedForm) -> None:
        """Show a form that was not saved to somebody who has signed in in another tab meanwhile.

        The page was made before, so its proof is not that of the session; showing the form changes nothing.
        """
        frame = await self._dispatcher.frame(request)
        if frame.principal:
            kept = {"unsaved": unsaved, "user_id": frame.principal.user_id}
            site.send(request, response, frame, "unsaved.html", kept)
            return
        response.status = answer.STATUSES[SignedOut]
        page_data = {"next": "/", "unsaved": unsaved}
        site.send(request, response, frame, "sign_in.html", page_data, Entered(errors=[SignedOut.default]))

    async def _proven(self, request: Request, fields: Tree) -> Proven:
        if fields.get("passkey"):
            return await self._by_passkey(request, str(fields["passkey"]))
        return await self._sign_in(request, str(fields.get("email", "")), str(fields.get("password", "")))

    async def _by_passkey(self, request: Request, answer: str) -> Proven:
        """Start a session: an unlocked passkey counts as two factors."""
        authentication, network = self._dispatcher.authentication, middleware.request_info_of(request).network
        secret = browser.secret_of(request)

        def check() -> None:
            with authentication.read_account(request) as short:
                owner = passkeys.owner_of(short, answer)
                limits = authentication.credentials
                with limits.limit_proofs(refusals.PASSKEY, short.account_id, owner, network):
                    passkeys.check(short, answer, secret)

        def change() -> Proven:
            with authentication.write_account(request) as transaction:
                used = passkeys.sign_in(transaction, answer, secret)
                session = sign_in.begin(transaction, request, used.user_id, f"passkey {used.id}")
                return Proven(used.user_id, session=session)

        await self._dispatcher.execution.read(check)
        return await self._dispatcher.execution.write(change)

    async def _sign_in(self, request: Request, email: str, password: str) -> Proven:
        sent = (addresses.trimmed(email), password, middleware.request_info_of(request).network)
        credentials, execution = self._dispatcher.authentication.credentials, self._dispatcher.execution
        read_account = partial(self._dispatcher.authentication.read_account, request)
        await execution.passwords(lambda: credentials.check(read_account, *sent))

        def change() -> Proven:
            with self._dispatcher.authentication.write_account(request) as transaction:
                # A concurrent change of the password would end only the sessions that it can see.
                logins.lock(transaction, sent[0])
                login = credentials.by_password(transaction, *sent)
                if fresh := secrets.renewed(password, login.password_hash):
                    logins.replace_password(transaction, login, login.password_hash, fresh)
                    login = replace(login, password_hash=fresh)
                return sign_in.proceed(transaction, request, login, audit.PASSWORD)

        return await execution.write(change)


class PasskeyOptions:
    """The endpoint that gives a browser what it needs to sign somebody in with a passkey."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with a new challenge for this browser; nothing is stored."""
        found = await self._dispatcher.execution.read_inline(partial(self._options, request))
        response.content_type = falcon.MEDIA_JSON
        response.set_header("Cache-Control", "no-store")
        response.data = json.dumps(found, separators=(",", ":")).encode()

    on_head = on_get

    def _options(self, request: Request) -> dict[str, object]:
        with self._dispatcher.authentication.read_account(request) as short:
            self._dispatcher.authentication.count(request, short.account_id, None)
            return passkeys.options(short, browser.secret_of(request))


class SignOut:
    """The sign-out endpoint."""

    def __init__(self, dispatcher: Dispatcher, leave: Leave) -> None:
        """Create the endpoint; ``leave`` returns where people sign out of a provider."""
        self._dispatcher, self._leave = dispatcher, leave

    async def on_post(self, request: Request, response: Response) -> None:
        """End the session in this browser, and remove its cookie; offer to end that at the provider."""
        fields = await self._dispatcher.fields(request)
        secret = browser.secret_of(request)
        browser.check_proof(request, fields, secret)
        authentication = self._dispatcher.authentication
        began = await self._dispatcher.execution.write(lambda: sign_in.sign_out(authentication, request))
        fresh = browser.new_secret()
        browser.remember(request, response, fresh)
        if browser.is_secure(middleware.request_info_of(request)):
            response.set_header("Clear-Site-Data", '"cache"')
        left = await self._leave(request, *began) if began[0] else None
        if left is None:
            sign_in.redirect(response, "/")
            return
        frame = frame_of(request)
        frame.secret = fresh
        site.send(request, response, frame, "signed_out.html", {"provider": left[0], "address": left[1]})


class PreferencesEndpoint:
    """The preferences that a browser keeps: language, time zone, theme, rows, keys, dismissed first steps."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def on_post(self, request: Request, response: Response) -> None:
        """Set the valid preferences that were sent, and redirect back."""
        fields = await self._dispatcher.fields(request)
        browser.check_proof(request, fields, browser.secret_of(request))
        prefer = partial(browser.prefer, request, response, seconds=_YEAR)
        language, zone = (str(fields.get(name) or "") for name in ("language", "zone"))
        if language in LANGUAGES:
            prefer("language", language)
        if zone and (zone == "UTC" or zone_named(zone) is not UTC):
            prefer("zone", quote(zone, safe=""))
        for name, known in (("theme", THEMES), ("rows", ROWS)):
            if name in fields:
                prefer(name, str(fields[name]) if fields[name] in known else "")
        if "keys" in fields:
            prefer("keys", "off" if fields["keys"] == "off" else "")
        if is_project_id(fields.get("dismissed")):
            prefer("dismissed", ".".join([*dismissed_in(request), str(fields["dismissed"])]))
        sign_in.redirect(response, browser.local_path(fields.get("next")) or "/")


async def stay(_request: Request, _provider: str, _id_token: str) -> None:
    """Return None: without providers, there is nowhere else to sign out."""
