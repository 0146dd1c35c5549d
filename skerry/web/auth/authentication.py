"""Authentication: the account of a request, its caller, and the rate limit."""

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from math import ceil
from typing import Any

from falcon.asgi import Request

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.errors import NotFound, TooManyRequests, Unauthenticated
from skerry.store import accounts
from skerry.store.accounts import StoredAccount
from skerry.tracker.context import Params, Principal
from skerry.web import authorization_header, middleware
from skerry.web.auth import refusals
from skerry.web.auth.credentials import Credentials
from skerry.web.auth.last_used import LastUsed
from skerry.web.auth.refusals import Refusals
from skerry.web.counts import Counts
from skerry.web.middleware import ALLOWANCE

_LEFT = "skerry.left"

_MINUTE = 60.0

Scope = MutableMapping[str, Any]


class Authentication:
    """Finds the account and the caller of a request; there is one in each process."""

    def __init__(self, database: Database, requests_per_minute: int, counts: Counts) -> None:
        """Create the authentication; verified passwords are cached in this process only."""
        self.refusals = Refusals(database)
        self.credentials = Credentials(counts, self.refusals)
        self.last_used = LastUsed()
        self._database = database
        self._throttle = Throttle(requests_per_minute, counts)

    @contextmanager
    def read_account(self, request: Request) -> Iterator[Transaction]:
        """Start a short read in the account of the request's host; raises NotFound."""
        with self._database.read(snapshot=False) as short:
            self.bind_account(short, request)
            yield short

    @contextmanager
    def write_account(self, request: Request) -> Iterator[Transaction]:
        """Start a write transaction in the account of the request's host; raises NotFound."""
        with self.read_account(request) as short:
            account_id = short.account_id
        with self._database.write(account_id) as transaction:
            info = middleware.request_info_of(request)
            transaction.base, transaction.address = info.base, info.address
            yield transaction

    def bind_account(self, transaction: Transaction, request: Request) -> StoredAccount:
        """Bind the transaction to the account of the request's host, and return it; raises NotFound."""
        info = middleware.request_info_of(request)
        account = accounts.at_host(transaction, info.host)
        if account is None:
            raise NotFound(f"There is no account at {info.host}")
        transaction.account_id, transaction.base, transaction.address = account.id, info.base, info.address
        transaction.marks_newcomers = account.marks_newcomers
        return account

    def authenticate(self, transaction: Transaction, request: Request, params: Params) -> Principal | None:
        """Find the caller as ``find`` does, and count the request.

        Raises NotFound, and the errors of ``identify`` and ``count_request``.
        """
        self.bind_account(transaction, request)
        return self.identify_and_count(transaction, request, params)

    def find(self, transaction: Transaction, request: Request, params: Params) -> Principal | None:
        """Bind the transaction to the account of the request's host, and identify the caller.

        Raises NotFound, and the errors of ``identify`` and ``count_request``.
        """
        self.bind_account(transaction, request)
        return self.identify_or_count(transaction, request, params)

    def identify_and_count(
        self, transaction: Transaction, request: Request, params: Params
    ) -> Principal | None:
        """Identify the caller in the account of the transaction, and count the request.

        Raises the errors of ``identify`` and ``count_request``.
        """
        principal = self.identify_or_count(transaction, request, params)
        self.count_request(request, transaction.account_id, principal)
        return principal

    def identify_or_count(
        self, transaction: Transaction, request: Request, params: Params
    ) -> Principal | None:
        """Identify the caller in the account of the transaction, and count the request of nobody.

        Raises the errors of ``identify`` and ``count_request``.
        """
        try:
            return self.identify(transaction, request, params)
        except Unauthenticated:
            if not has_password(request):
                network = middleware.request_info_of(request).network
                self.refusals.note(transaction.account_id, network, refusals.TOKEN)
            # A client that invents a token for each request counts as anonymous.
            self.count_request(request, transaction.account_id, None)
            raise

    def identify(self, transaction: Transaction, request: Request, params: Params) -> Principal | None:
        """Return the principal, or None without credentials; raises Unauthenticated or TooManyRequests."""
        network = middleware.request_info_of(request).network
        return self.credentials.identify(transaction, request, params.query, network)

    def check_password(self, request: Request, params: Params) -> None:
        """Check a password before taking locks, because hashing is slow; raises as ``identify`` does."""
        info = middleware.request_info_of(request)
        self.credentials.check_request(
            partial(self.read_account, request), request, params.query, info.network
        )

    def count_request(self, request: Request, account_id: int, principal: Principal | None) -> None:
        """Count a caller's request in an account, and record the use; raises TooManyRequests."""
        network = middleware.request_info_of(request).network
        self.last_used.note(account_id, principal, self._database.clock(), network)
        self.count(request, account_id, principal)

    def count(self, request: Request, account_id: int, principal: Principal | None) -> None:
        """Count a request of the caller, or of the client's network if there is none, at most once.

        Raises TooManyRequests.
        """
        network = middleware.request_info_of(request).network
        name = _name(account_id, principal, network)
        self._throttle.count(request.scope, f"{name} ahead" if _is_ahead(request, principal) else name)


def has_password(request: Request) -> bool:
    """Return whether a request contains a password, which is slow to check."""
    header = request.get_header("Authorization")
    return header is not None and authorization_header.has_password(header)


def _is_ahead(request: Request, principal: Principal | None) -> bool:
    """Return whether a person's browser fetches a page that they may open next, which counts apart."""
    is_person = principal is not None and bool(principal.session_id)
    return is_person and request.method == "GET" and request.get_header("Purpose") == "prefetch"


class Throttle:
    """A token bucket for each caller with the requests of a minute, refilled continuously."""

    def __init__(self, per_minute: int, counts: Counts, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a limit of requests per minute; 0 means no limit.

        ``counts`` stores the buckets; the clock returns seconds.
        """
        self._allowed = per_minute
        self._counts = counts
        self._clock = clock

    def count(self, scope: Scope, name: str) -> None:
        """Count a request against a bucket, at most once, and record the remaining allowance.

        Raises TooManyRequests.
        """
        if not self._allowed:
            return
        if _LEFT not in scope:
            scope[_LEFT] = self._consume(name)
        left: float = scope[_LEFT]
        until_full = ceil((self._allowed - max(left, 0.0)) * _MINUTE / self._allowed)
        scope[ALLOWANCE] = (
            ("X-RateLimit-Limit", str(self._allowed)),
            ("X-RateLimit-Remaining", str(max(0, int(left)))),
            ("X-RateLimit-Reset", str(until_full)),
        )
        if left < 0:
            allowed, wait = self._allowed, ceil(-left * _MINUTE / self._allowed)
            raise TooManyRequests(
                f"Too many requests (at most {allowed} a minute); try again in {wait} s", wait
            )

    def _consume(self, name: str) -> float:
        """Take a request from a bucket and return the remaining number, which is negative if it was empty."""
        with self._counts.locked():
            now = self._clock()
            held, since = self._counts.get(name) or (float(self._allowed), now)
            held = min(self._allowed, held + (now - since) * self._allowed / _MINUTE)
            left = held - 1.0
            self._counts.put(name, left if left >= 0 else held, now)
        return left


def _name(account_id: int, principal: Principal | None, address: str) -> str:
    if principal is None:
        return f"requests of address {address}"
    if principal.token_id:
        # Each account counts its own tokens.
        return f"requests of token {account_id}/{principal.token_id}"
    return f"requests of login {principal.user_id}"
