"""Authentication of callers by any accepted kind of credentials."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import NamedTuple

from falcon.asgi import Request

from skerry.database.transactions import Transaction
from skerry.errors import Invalid, TooManyRequests, Unauthenticated
from skerry.store.auth import logins, recent_sign_ins, sessions, sign_ups, tokens
from skerry.store.auth.logins import Login
from skerry.store.people import single_sign_on
from skerry.text import addresses
from skerry.tracker import secrets
from skerry.tracker.auth import applicants, factors, passwords
from skerry.tracker.context import Principal
from skerry.tracker.secrets import PasswordCheck, hash_token
from skerry.web import authorization_header
from skerry.web.auth import browser, refusals
from skerry.web.auth.guesses import GuessLimiter
from skerry.web.auth.refusals import Refusals
from skerry.web.authorization_header import TOKEN_HEADERS
from skerry.web.counts import Counts

WRONG_LOGIN = "Wrong login or password"
NEEDS_PROVIDER = (
    "Wrong login or password. Members of this site sign in with a provider, and programs with tokens"
)
WRONG_TOKEN = "The token is not valid here"  # noqa: S105 - a sentence

FACTOR_MISSING = (
    "This login has a second factor, so its password alone is not enough here. Use a token, "
    "which you can make in your profile"
)
FACTOR_DEMANDED = (
    "This site requires a second factor, so a password alone is not enough here. Use a token, which you can "
    "make in your profile"
)
UNREADABLE = "The Authorization header cannot be read; use Basic or Bearer"


ReadAccount = Callable[[], AbstractContextManager[Transaction]]
"""Starts a short read in the account of the request."""


class Credentials:
    """Identifies callers; there is one in each process."""

    def __init__(
        self, counts: Counts, refused: Refusals, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create a checker with an empty password cache; ``counts`` and ``refused`` count failures."""
        self._passwords = PasswordCheck()
        self._refused = refused
        self._limiter = GuessLimiter(counts, clock)

    def identify(
        self, transaction: Transaction, request: Request, query: Mapping[str, str], address: str
    ) -> Principal | None:
        """Return the caller, or None without credentials.

        Raises Unauthenticated for wrong credentials, and for the password of somebody with a second factor;
        TooManyRequests after repeated failures.
        """
        token = token_of(request, query)
        if token is not None:
            return _by_token(transaction, token)
        header = request.get_header("Authorization")
        if header is None:
            return by_session(transaction, browser.secret_of(request))
        login = self.by_password(transaction, *_name_and_password(header), address)
        if missing := _missing(transaction, login):
            self._refused.note(transaction.account_id, address, refusals.ALONE, login.user_id)
            raise Unauthenticated(missing)
        return Principal(login.user_id, login.name, login.role)

    def reauthenticate(
        self, transaction: Transaction, request: Request, query: Mapping[str, str]
    ) -> Principal | None:
        """Return the caller of a request that was admitted before; None if its credentials have ended.

        A password stays valid while it is cached, so that none has to be hashed.
        """
        try:
            token = token_of(request, query)
            if token is not None:
                return _by_token(transaction, token)
            header = request.get_header("Authorization")
            if header is None:
                return by_session(transaction, browser.secret_of(request))
            email, password = _name_and_password(header)
            login = _login(transaction, email)
        except Unauthenticated:
            return None
        if login is None or _missing(transaction, login):
            return None
        if not self._passwords.remembers(password, login.password_hash):
            return None
        self._passwords.remember(password, login.password_hash)
        return Principal(login.user_id, login.name, login.role)

    def check_request(
        self, read_account: ReadAccount, request: Request, query: Mapping[str, str], address: str
    ) -> None:
        """Check the password of a request as ``check`` does, before ``identify`` takes a connection."""
        header = request.get_header("Authorization")
        if header is not None and token_of(request, query) is None:
            self.check(read_account, *_name_and_password(header), address)

    def check(self, read_account: ReadAccount, email: str, password: str, address: str) -> None:
        """Check a password that is not cached, before a connection is taken.

        Hashing is slow, and readers need the few connections. Raises as ``by_password`` does.
        """
        if not self._passwords.remembers(password, email):
            with read_account() as transaction:
                login = _login(transaction, email) or _applicant(transaction, email)
                keys = self._keys(transaction, login, email, address)
            try:
                self._compare(email, password, login, keys)
            except Unauthenticated as failure:
                with read_account() as transaction:
                    raise _explained(transaction) from failure

    def by_password(self, transaction: Transaction, email: str, password: str, address: str) -> Login:
        """Return the login with an address and its password, which may not be enough to sign in.

        Raises Unauthenticated for wrong credentials, TooManyRequests after repeated failures.
        """
        login = _login(transaction, email) or _applicant(transaction, email)
        try:
            self._compare(email, password, login, self._keys(transaction, login, email, address))
        except Unauthenticated as failure:
            raise _explained(transaction) from failure
        if login is None:
            raise _explained(transaction)
        if not login.user_id:
            raise Unauthenticated(applicants.WAITS)
        return login

    def _keys(self, transaction: Transaction, login: Login | None, email: str, address: str) -> "FailureKeys":
        # Failures are stored in memory, which invalid addresses of any length must not be able to fill.
        named = email[: addresses.MAX_LENGTH].lower()
        user_id = login.user_id if login else 0
        refused = partial(self._refused.note, transaction.account_id, address, user_id=user_id)
        keys = (f"login {named} from {address}", f"address {address}", f"login {named}")
        if login is None or not self._limiter.locks(keys[-1]):
            return FailureKeys(keys, keys, refused)
        # Others may have failed. On networks with a recent sign-in of this login, only failures there
        # count.
        is_known = address in recent_sign_ins.NETWORKS.known(transaction, login.user_id)
        return FailureKeys(keys, keys[:-1] if is_known else keys, refused)

    def _compare(self, email: str, password: str, login: Login | None, keys: "FailureKeys") -> None:
        try:
            self._check_password(email, password, login, keys)
        except (Unauthenticated, TooManyRequests) as failure:
            keys.refused(refusals.BLOCKED if isinstance(failure, TooManyRequests) else refusals.PASSWORD)
            raise

    def _check_password(self, email: str, password: str, login: Login | None, keys: "FailureKeys") -> None:
        stored = login.password_hash if login else None
        self._limiter.check(*keys.blocking)
        if self._passwords.remembers(password, stored):
            return
        with secrets.TURNS:
            # Concurrent requests may have failed while this one waited.
            self._limiter.check(*keys.blocking)
            if not self._passwords.is_right(password, stored):
                self._passwords.forget(password, email)
                self._limiter.failed(*keys.counted)
                raise Unauthenticated(WRONG_LOGIN)
        self._passwords.remember(password, email)

    @contextmanager
    def limit_returns(self, provider: str, address: str) -> Iterator[None]:
        """Count refused returns from a provider as failed sign-ins; raises TooManyRequests after too many."""
        key = f"return from {provider} to {address}"
        self._limiter.reserve(key)
        yield
        self._limiter.release(key)

    @contextmanager
    def limit_guesses(self, account_id: int, principal: Principal, address: str) -> Iterator[None]:
        """Count a wrong current password as a failed sign-in; raises TooManyRequests after too many.

        Each attempt counts as a failure until it is checked, so that concurrent attempts cannot exceed the
        limit.
        """
        named = f"password of {principal.user_id}"
        keys = (f"{named} from {address}", f"address {address}", named)
        self._limiter.reserve(*keys)
        is_wrong = False
        try:
            yield
        except Invalid as failure:
            is_wrong = passwords.WRONG in failure.sentences
            raise
        finally:
            if is_wrong:
                self._refused.note(account_id, address, refusals.PASSWORD, principal.user_id)
            else:
                self._limiter.release(*keys)

    @contextmanager
    def limit_proofs(self, by: str, account_id: int, user_id: int, address: str) -> Iterator[None]:
        """Count a wrong code or passkey as a failed sign-in; raises TooManyRequests after too many.

        As with passwords, each attempt counts as a failure until it is checked.
        """
        named = f"proofs by {by} of {account_id}/{user_id}"
        keys = (f"{named} from {address}", f"address {address}", named)
        self._limiter.reserve(*keys)
        try:
            yield
        except (Unauthenticated, TooManyRequests) as failure:
            refused = refusals.BLOCKED if isinstance(failure, TooManyRequests) else by
            self._refused.note(account_id, address, refused, user_id)
            raise
        self._limiter.release(*keys)


class FailureKeys(NamedTuple):
    """The keys under which failures of a sign-in are counted, and those that can block it.

    ``refused`` records a failure for the log of security events.
    """

    counted: tuple[str, ...]
    blocking: tuple[str, ...]
    refused: Callable[[str], object]


def _name_and_password(header: str) -> tuple[str, str]:
    """Return the login and the password of the header; a token has a fixed password.

    Raises Unauthenticated for anything else.
    """
    scheme, rest = authorization_header.parts(header)
    if scheme == "bearer":
        return rest, authorization_header.TOKEN_PASSWORD
    if scheme != "basic":
        raise Unauthenticated(UNREADABLE)
    try:
        return authorization_header.name_and_password(rest)
    except ValueError as error:
        raise Unauthenticated(UNREADABLE) from error


def _explained(transaction: Transaction) -> Unauthenticated:
    """Return the refusal of a login and its password, which is the same for everybody at the account."""
    return Unauthenticated(NEEDS_PROVIDER if single_sign_on.is_demanded(transaction) else WRONG_LOGIN)


def _login(transaction: Transaction, email: str) -> Login | None:
    # A text that cannot be a login is not looked up, because the database would reject it.
    email = addresses.trimmed(email)
    login = logins.with_email(transaction, email) if email.isprintable() else None
    # A login that cannot be used is treated as missing, so that responses do not distinguish the two.
    cannot = login and (login.disabled_at is not None or login.needs_provider)
    return None if cannot else login


def _missing(transaction: Transaction, login: Login) -> str:
    """Return a sentence if a program needs more than the password of a login, else an empty text."""
    if login.factor_at is not None:
        return FACTOR_MISSING
    is_demanded = factors.demand(transaction, login.role, login.factors_from).has_come
    return FACTOR_DEMANDED if is_demanded else ""


def _applicant(transaction: Transaction, email: str) -> Login | None:
    """Return the future login of somebody who waits for approval, with the id 0."""
    email = addresses.trimmed(email)
    waiting = sign_ups.waiting_with_email(transaction, email) if email.isprintable() else None
    if waiting is None:
        return None
    return Login(
        user_id=0,
        email=waiting.email,
        password_hash=waiting.password_hash or "",
        name=waiting.name,
        role=None,
        disabled_at=None,
        account_id=transaction.account_id,
        verified_at=waiting.proved_at,
        has_own_password=False,
        factor_at=None,
        needs_provider=0,
        factors_from=None,
    )


def token_of(request: Request, query: Mapping[str, str]) -> str | None:
    """Return the token of a request, or None if it has none; raises Unauthenticated as ``identify`` does."""
    for name in TOKEN_HEADERS:
        value = request.get_header(name)
        if value is not None:
            return value.strip()
    if "_token" in query:
        return query["_token"]
    header = request.get_header("Authorization")
    if header is None:
        return None
    name, password = _name_and_password(header)
    return name if password == authorization_header.TOKEN_PASSWORD else None


def by_session(transaction: Transaction, secret: str) -> Principal | None:
    """Return the principal of a browser session, or None if nobody is signed in."""
    row = sessions.with_hash(transaction, hash_token(secret)) if secret else None
    if row is None:
        return None
    kept, owner = row
    principal = Principal(
        kept.user_id, owner.name, owner.role, session_id=kept.id, signed_in_at=kept.signed_in_at
    )
    if not owner.lacks_factor:
        return principal
    demand = factors.demand(transaction, owner.role, owner.factors_from)
    return (
        principal._replace(factor_from=demand.day, needs_factor=demand.has_come) if demand.day else principal
    )


def _by_token(transaction: Transaction, token: str) -> Principal:
    row = tokens.with_hash(transaction, hash_token(token))
    if row is None:
        raise Unauthenticated(WRONG_TOKEN)
    kept, name, role = row
    return Principal(
        kept.user_id,
        name,
        role,
        read_only=kept.read_only,
        token_project=kept.project_id or 0,
        token_id=kept.id,
        scopes=frozenset(kept.scopes.split()),
    )
