"""Authentication: the account of a request, its caller, and the rate limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from falcon.asgi import Request

from skerry.errors import NotFound, Unauthenticated
from skerry.store import accounts
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.tracker.context import Params, Principal
from skerry.web import middleware
from skerry.web.auth import authorization_header
from skerry.web.auth.credentials import Credentials
from skerry.web.auth.last_used import LastUsed
from skerry.web.auth.throttling import Throttle
from skerry.web.counts import Counts


class Authentication:
    """Finds the account and the caller of a request; there is one in each process."""

    def __init__(self, database: Database, requests_per_minute: int, counts: Counts) -> None:
        """Create the authentication; verified passwords are cached in this process only."""
        self.credentials = Credentials(counts)
        self.last_used = LastUsed()
        self._database = database
        self._throttle = Throttle(requests_per_minute, counts)

    @contextmanager
    def read_account(self, request: Request) -> Iterator[Transaction]:
        """Start a short read in the account of the request's host; raises NotFound."""
        with self._database.read(snapshot=False) as short:
            self._bind_account(short, request)
            yield short

    def _bind_account(self, transaction: Transaction, request: Request) -> None:
        """Bind the transaction to the account of the request's host; raises NotFound."""
        info = middleware.request_info_of(request)
        account = accounts.at_host(transaction, info.host)
        if account is None:
            raise NotFound(f"There is no account at {info.host}")
        transaction.account_id, transaction.base = account.id, info.base

    def authenticate(self, transaction: Transaction, request: Request, params: Params) -> Principal | None:
        """Find the caller as ``find`` does, and count the request.

        Raises NotFound, and the errors of ``identify`` and ``count_request``.
        """
        principal = self.find(transaction, request, params)
        self.count_request(request, transaction.account_id, principal)
        return principal

    def find(self, transaction: Transaction, request: Request, params: Params) -> Principal | None:
        """Bind the transaction to the account of the request's host, and authenticate the caller.

        A wrong token counts against the client's address. Raises NotFound, and the errors of ``identify`` and
        ``count_request``.
        """
        self._bind_account(transaction, request)
        try:
            return self.identify(transaction, request, params)
        except Unauthenticated:
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
        """Count a request against its apparent sender, at most once.

        Raises TooManyRequests.
        """
        self._throttle.count(
            request.scope, account_id, principal, middleware.request_info_of(request).network
        )


def has_password(request: Request) -> bool:
    """Return whether a request contains a password, which is slow to check."""
    header = request.get_header("Authorization")
    return header is not None and authorization_header.has_password(header)
