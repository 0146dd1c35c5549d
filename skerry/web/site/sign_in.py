"""Sessions of browsers: start, end, and redirects to the sign-in page."""

from typing import NamedTuple
from urllib.parse import urlencode

import falcon
from falcon.asgi import Request, Response

from skerry.database.transactions import SECOND, Transaction
from skerry.errors import SignedOut, SignInAgain, SkerryError, Unauthenticated
from skerry.store.auth import recent_sign_ins, sessions, sign_in_steps
from skerry.store.auth.logins import Login
from skerry.store.auth.sign_in_steps import Step
from skerry.store.people import preferences
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import passwords
from skerry.tracker.auth.sessions import note_browser
from skerry.tracker.context import Context, Principal
from skerry.tracker.secrets import hash_token
from skerry.web import middleware
from skerry.web.auth import browser, credentials
from skerry.web.auth.authentication import Authentication
from skerry.web.responses import answer
from skerry.web.site import site, unsaved_form
from skerry.web.site.frame import Entered, frame_of, reader_of
from skerry.web.site.unsaved_form import UnsavedForm

MAX_AGENT_LENGTH = 255

FACTOR = "/sign-in/factor"
"""The page that asks for a second factor."""

SET_UP_FACTOR = "/profile/time-codes"
"""The page for somebody who must set up a second factor."""

PURPOSE = "sign-in"
"""The purpose of a step that waits for a second factor."""


def is_for_people(request: Request) -> bool:
    """Return whether a request comes from a browser, whose user can sign in."""
    return "text/html" in (request.get_header("Accept") or "") and not request.get_header("Authorization")


ASKING = (Unauthenticated, SignInAgain)
"""The errors after which a person is asked to sign in."""


def ask(request: Request, response: Response, failure: SkerryError) -> None:
    """Redirect to the sign-in page, which leads back to the page; show it at once for an unsaved form."""
    unsaved = unsaved_form.in_request(request)
    is_again = isinstance(failure, SignInAgain)
    if unsaved or is_again:
        response.status = answer.STATUSES[SignedOut]
        entered = Entered(errors=list(failure.sentences) if is_again else [SignedOut.default])
        page_data = {"next": "/", "unsaved": unsaved, "again": is_again}
        site.send(request, response, frame_of(request), "sign_in.html", page_data, entered)
    elif request.method in ("GET", "HEAD"):
        redirect(response, f"/sign-in?{urlencode({'next': frame_of(request).path})}")
    else:
        redirect(response, "/sign-in")


def demand_factor(request: Request, response: Response) -> None:
    """Redirect to the page to set up a second factor, which leads back to the page."""
    redirect(response, f"{SET_UP_FACTOR}?{urlencode({'next': frame_of(request).path})}")


def redirect(response: Response, url: str) -> None:
    """Redirect to another URL, to be requested with GET."""
    response.status = falcon.HTTP_303
    response.set_header("Location", url)


class Proven(NamedTuple):
    """What a browser gets for a proof of who its user is: the secret of a session, or else of a step.

    The step leads to a session by a second factor.
    """

    user_id: int
    session: str = ""
    step: str = ""


def sign_in(authentication: Authentication, request: Request, user_id: int) -> Proven:
    """Sign in a user who was authenticated by a link, as far as that suffices.

    A user who is already signed in keeps the session.
    """
    with authentication.write_account(request) as transaction:
        present = browser.secret_of(request)
        principal = credentials.by_session(transaction, present)
        if principal and principal.user_id == user_id:
            return Proven(user_id, session=present)
        return proceed(transaction, request, passwords.login_of(transaction, user_id), audit.LINK)


def proceed(transaction: Transaction, request: Request, login: Login, by: str) -> Proven:
    """Start a session for a person after a proof, or a step if their login has a second factor.

    A new password ends the step.
    """
    if login.factor_at is None:
        return Proven(login.user_id, session=begin(transaction, request, login.user_id, by))
    secret = browser.new_secret()
    step = Step(login.user_id, proof_of(login), by)
    sign_in_steps.begin(transaction, hash_token(secret), PURPOSE, step)
    return Proven(login.user_id, step=secret)


def proof_of(login: Login) -> str:
    """Return what changes with the password of a login."""
    return hash_token(login.password_hash)


def keep(request: Request, response: Response, proven: Proven, wanted: str) -> str:
    """Set the cookie of a session or a step, and return the page that comes next."""
    if proven.session:
        browser.remember(request, response, proven.session)
        return wanted
    browser.remember_step(request, response, proven.step, sign_in_steps.LIFETIME // SECOND)
    return f"{FACTOR}?{urlencode({'next': wanted})}"


def arrive(
    request: Request, response: Response, proven: Proven, wanted: str, unsaved: UnsavedForm | None
) -> None:
    """Redirect after a successful sign-in, or show the unsaved form again; ask for a second factor before."""
    place = keep(request, response, proven, wanted)
    if unsaved is None:
        redirect(response, place)
        return
    frame = frame_of(request)
    frame.secret = proven.session or frame.secret
    template = "unsaved.html" if proven.session else "factor.html"
    page_data = {"unsaved": unsaved, "user_id": proven.user_id, "next": wanted}
    site.send(request, response, frame, template, page_data)


def sign_out(authentication: Authentication, request: Request) -> tuple[str, str]:
    """End the session in this browser; return its provider and its ID token there, empty without one."""
    with authentication.write_account(request) as transaction:
        secret = browser.secret_of(request)
        principal = credentials.by_session(transaction, secret)
        if principal is None:
            return "", ""
        began = sessions.provider_of(transaction, principal.user_id, principal.session_id)
        _end(transaction, secret)
        return began


def begin(
    transaction: Transaction,
    request: Request,
    user_id: int,
    by: str = audit.LINK,
    **by_provider: str | int | None,
) -> str:
    """Start a session in this browser and return its secret; an earlier session ends.

    ``by`` names the credential for the log of security events, ``by_provider`` is what ``sessions.add``
    stores of a sign-in with a provider.
    """
    info = middleware.request_info_of(request)
    secret = browser.new_secret()
    _end(transaction, browser.secret_of(request))
    reader = reader_of(request)
    preferences.learn(
        transaction, user_id, language=reader.language, time_zone=str(getattr(reader.zone, "key", ""))
    )
    recent_sign_ins.NETWORKS.use(transaction, user_id, info.network, transaction.now)
    agent = (request.user_agent or "")[:MAX_AGENT_LENGTH]
    note_browser(transaction, user_id, browser.mark_of(request, secret), agent, info.address)
    session_id = sessions.add(
        transaction, user_id, hash_token(secret), agent=agent, address=info.address, **by_provider
    )
    audit.record(Context(transaction), Kind.SESSION_CREATED, session_id, user_id=user_id, credential=by)
    return secret


def _end(transaction: Transaction, secret: str) -> None:
    principal: Principal | None = credentials.by_session(transaction, secret)
    if principal:
        sessions.end(transaction, principal.user_id, principal.session_id)
        audit.record(Context(transaction, principal), Kind.SESSION_ENDED, principal.session_id)
