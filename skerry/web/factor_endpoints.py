"""The endpoint for the second factor of somebody who has proven the first one."""

from functools import partial
from urllib.parse import urlencode

from falcon.asgi import Request, Response

from skerry.database.transactions import Transaction
from skerry.errors import SignedOut, TooManyRequests, Unauthenticated, Unavailable
from skerry.store.auth import logins, sign_in_steps
from skerry.store.auth.logins import Login
from skerry.store.auth.sign_in_steps import Step
from skerry.tracker.auth import factors
from skerry.tracker.auth.factors import Outcome
from skerry.tracker.secrets import hash_token
from skerry.web import bodies, middleware
from skerry.web.auth import browser, refusals
from skerry.web.dispatch import Dispatcher
from skerry.web.responses import answer
from skerry.web.site import sign_in, site, unsaved_form
from skerry.web.site.frame import Entered
from skerry.web.site.sign_in import PURPOSE, Proven

WRONG = "This code is wrong or was already used. Type the one that your app shows now, or a recovery code"
OVER = "This took too long, or your password was changed. Sign in again"


class SecondFactor:
    """The endpoint that asks for a second factor."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoint; failures are counted by the dispatcher."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Show the form, or lead to the sign-in if nothing waits for a second factor."""
        wanted = browser.local_path(request.get_param("next")) or "/"
        if await self._dispatcher.execution.read_inline(partial(self._waiting, request)) is None:
            sign_in.redirect(response, f"/sign-in?{urlencode({'next': wanted})}")
            return
        frame = await self._dispatcher.frame(request)
        site.send(request, response, frame, "factor.html", {"next": wanted, "unsaved": None})

    on_head = on_get

    async def on_post(self, request: Request, response: Response) -> None:
        """Sign a person in with a code, and redirect, or show a form that was not saved."""
        is_form = bodies.media_type(request) in (bodies.FORM, bodies.MULTIPART)
        fields = await self._dispatcher.fields(request, None if is_form else bodies.SHORT)
        browser.check_origin(request, frozenset())
        browser.check_proof(request, fields, browser.secret_of(request))
        wanted = browser.local_path(fields.get("next")) or "/"
        unsaved = unsaved_form.decoded(fields.get("unsaved"))
        page_data = {"next": wanted, "unsaved": unsaved}
        try:
            proven = await self._proven(request, str(fields.get("code", "")))
        except (Unauthenticated, TooManyRequests, Unavailable) as failure:
            response.status = answer.STATUSES[type(failure)]
            if not isinstance(failure, Unauthenticated):
                answer.set_error_headers(response, failure)
            entered = Entered(errors=list(failure.sentences))
            frame = await self._dispatcher.frame(request)
            site.send(request, response, frame, "factor.html", page_data, entered)
            return
        browser.remember_step(request, response, "", 0)
        if proven is None:
            frame = await self._dispatcher.frame(request)
            response.status = answer.STATUSES[SignedOut]
            site.send(request, response, frame, "sign_in.html", page_data, Entered(errors=[OVER]))
            return
        sign_in.arrive(request, response, proven, wanted, unsaved)

    async def _proven(self, request: Request, code: str) -> Proven | None:
        """Return what the browser gets for a code, None if nothing waits for one.

        Raises Unauthenticated for a wrong code, TooManyRequests after too many.
        """
        execution, authentication = self._dispatcher.execution, self._dispatcher.authentication
        found = await execution.read_inline(partial(self._waiting, request))
        if found is None:
            return None
        network = middleware.request_info_of(request).network
        with authentication.credentials.limit_proofs(refusals.CODE, *found, network):
            entered = await execution.write(partial(self._enter, request, code))
            if isinstance(entered, Outcome) and entered.wait:
                raise TooManyRequests(
                    f"Too many wrong codes; try again in {entered.wait} s, or use a recovery code",
                    entered.wait,
                )
            if isinstance(entered, Outcome):
                raise Unauthenticated(WRONG)
            return entered

    def _waiting(self, request: Request) -> tuple[int, int] | None:
        """Return the account and the person of whom a second factor is awaited."""
        with self._dispatcher.authentication.read_account(request) as transaction:
            step = _step(transaction, request)
            return (transaction.account_id, step.user_id) if step else None

    def _enter(self, request: Request, code: str) -> Proven | Outcome | None:
        """Begin a session with a code; return its outcome if it is wrong, None if nothing waits for one."""
        with self._dispatcher.authentication.write_account(request) as transaction:
            step = _step(transaction, request)
            login = logins.of_user(transaction, step.user_id) if step else None
            if step is None or login is None:
                return None
            # A concurrent change of the password would end only the sessions that it can see.
            logins.lock(transaction, login.email)
            if not _is_valid(logins.of_user(transaction, step.user_id), step):
                _end(transaction, request)
                return None
            outcome = factors.accept(transaction, step.user_id, code)
            if not outcome.by:
                return outcome
            if not _end(transaction, request):
                # Another request has finished it meanwhile.
                return None
            by = step.credential + " and " + outcome.by
            session = sign_in.begin(transaction, request, step.user_id, by)
            return Proven(step.user_id, session=session)


def _step(transaction: Transaction, request: Request) -> Step | None:
    secret = browser.step_of(request)
    return sign_in_steps.find(transaction, hash_token(secret), PURPOSE) if secret else None


def _end(transaction: Transaction, request: Request) -> bool:
    return sign_in_steps.end(transaction, hash_token(browser.step_of(request)), PURPOSE)


def _is_valid(login: Login | None, step: Step) -> bool:
    """Return whether what began with a password can go on: it was not changed, nor the login disabled."""
    if login is None or login.disabled_at is not None or login.factor_at is None or login.needs_provider:
        return False
    return sign_in.proof_of(login) == step.proof
