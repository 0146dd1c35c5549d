"""The transactions of changes: they look up the caller, apply the rules, and create the reply."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import falcon

from skerry import errors
from skerry.database import locks
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.settings import Settings
from skerry.tracker import quotas, row_locks
from skerry.tracker.context import Context, Params, Principal
from skerry.tracker.incoming_files import Incoming
from skerry.tracker.quotas import Quotas
from skerry.tracker.texts import rendering
from skerry.web.auth.authentication import Authentication
from skerry.web.bodies import Body
from skerry.web.requests import drafting
from skerry.web.requests.drafting import Submission
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.responses import answer, idempotency
from skerry.web.responses.answer import Reply
from skerry.web.route import ResponseKind, Result, Route
from skerry.web.routes import forms
from skerry.wire import dialect
from skerry.wire.formats import Format

TRIES = 3
"""How often a change is tried if it conflicts with other changes."""

_FRAME = 65_536
"""The size of a body's syntax, which is not checked against the quota of a guest, in bytes."""

T = TypeVar("T")

Prepare = Callable[[Context, Params], Callable[[], Params]]


class Written(NamedTuple):
    """The reply to a request that was carried out, and the content of its body."""

    reply: Reply
    submission: Submission


class Caller(NamedTuple):
    """The caller of a request, and its account."""

    principal: Principal | None
    account_id: int
    network: str

    @property
    def name(self) -> str:
        """Return the key for taking turns: the person, or the network of a caller without a login."""
        return str(self.principal.user_id) if self.principal else self.network


@dataclass
class Changes:
    """Carries out changes on threads; there is one in each process.

    ``shown`` are the formats in which clients may have read resources.
    """

    database: Database
    settings: Settings
    authentication: Authentication
    shown: Mapping[str, Format]

    @cached_property
    def _quotas(self) -> Quotas:
        settings = self.settings
        return Quotas(settings.guest_daily_bytes, settings.guest_project_daily_bytes, settings.guest_things)

    def look_up(self, routed: RoutedRequest) -> Caller:
        """Authenticate the caller, count the request, and raise errors that do not depend on the body."""
        with self.database.read(snapshot=False) as transaction:
            context = self._admitted(routed, transaction)
            return Caller(context.principal, transaction.account_id, routed.info.network)

    def _admitted(self, routed: RoutedRequest, transaction: Transaction) -> Context:
        """Return the context of a caller who may send the body; counts the request."""
        route, request, params = routed.route, routed.request, routed.params
        self.authentication.bind_account(transaction, request)
        if transaction.writes:
            # The permissions are read after the lock, which may have to be waited for.
            _lock_first(routed, transaction, params)
        principal = self.authentication.identify_and_count(transaction, request, params)
        context = route.admit(self._context(routed, transaction, principal, params), params)
        if not route.reads_only:
            quotas.check(context, self._quotas, max(0, (request.content_length or 0) - _FRAME))
        return context

    def apply_at_once(
        self, routed: RoutedRequest, incoming: Incoming, body: Body, failure: errors.SkerryError | None
    ) -> Written:
        """Look up the caller, parse the body and apply it; raises the error of receiving the body, if any."""

        def parsed(transaction: Transaction) -> tuple[Context, Submission]:
            context = self._admitted(routed, transaction)
            if failure:
                raise failure
            return context, drafting.parsed(routed, body)

        if self.database.engine.dialect.name == "sqlite" or self.database.is_distributed:
            # Writers wait for each other, so a stranger must not take the write lock.
            with self.database.read(snapshot=False) as transaction:
                context, submission = parsed(transaction)
                if routed.route.draft and routed.route.in_project:
                    submission.params.rendered = rendering.ahead(context, submission.params.draft)
                writer = Caller(context.principal, transaction.account_id, routed.info.network)
            return self.apply(routed, incoming, writer, submission)
        with self.database.write() as transaction:
            context, submission = parsed(transaction)
            result = self._result(routed, incoming, submission, context)
        return Written(self._reply(routed, submission, result), submission)

    def apply(
        self, routed: RoutedRequest, incoming: Incoming, writer: Caller, submission: Submission
    ) -> Written:
        """Apply a request whose caller was looked up before; it is looked up again."""
        route, params = routed.route, submission.params
        begin = self.database.read if route.is_dry_run(params) else self.database.write
        with begin(writer.account_id) as transaction:
            transaction.base, transaction.address = routed.info.base, routed.info.address
            _lock_first(routed, transaction, params)
            # The caller may have lost the permission while the body arrived or others wrote.
            principal = self.authentication.identify(transaction, routed.request, params)
            context = route.admit(self._context(routed, transaction, principal, params), params)
            result = self._result(routed, incoming, submission, context)
        return Written(self._reply(routed, submission, result), submission)

    def prepare(self, routed: RoutedRequest, writer: Caller, work: Prepare, params: Params) -> Params:
        """Run the slow preparation of a route, and return the finished parameters."""
        with self.database.read(writer.account_id) as transaction:
            principal = self.authentication.identify(transaction, routed.request, params)
            finish = work(routed.route.admit(Context(transaction, principal), params), params)
        # Outside the transaction, because this is slow and others need the connection.
        return finish()

    def _context(
        self, routed: RoutedRequest, transaction: Transaction, principal: Principal | None, params: Params
    ) -> Context:
        return Context(
            transaction,
            principal,
            opening_texts=self.settings.dialect == dialect.NAME,
            rendered=params.rendered,
            hook_networks=self.settings.hooks_allow,
            via=routed.via,
        )

    def _result(
        self, routed: RoutedRequest, incoming: Incoming, submission: Submission, context: Context
    ) -> Result:
        """Return the result of the use case, or the reply that is stored for the idempotency key."""
        route, params = routed.route, submission.params

        def perform() -> Result:
            # Not for a repeated request, whose first execution has changed the resource itself.
            self._check_unchanged(routed, context, params)
            if routed.format is None:
                try:
                    forms.check_seen(route, context, params, submission.hidden_fields.get("_seen"))
                except errors.Unchanged:
                    return forms.back_unchanged(route, params, submission.hidden_fields.get("_next"))
            context.transaction.after_commit(incoming.settle)
            if not route.is_dry_run(params):
                quotas.take(context, self._quotas, params)
            return route.result(context, params)

        key, fingerprint = idempotency.key_and_fingerprint(routed, submission)
        if key is None or context.principal is None:
            return perform()
        return idempotency.once(context, key, fingerprint, lambda: self._reply(routed, submission, perform()))

    def _check_unchanged(self, routed: RoutedRequest, context: Context, params: Params) -> None:
        reading = _compared(routed)
        if reading is None:
            answer.reject_if_match(routed.request)
            return
        if reading.response_kind is ResponseKind.ITEM:
            removes = routed.route.method == "DELETE"
            context = row_locks.locked(context, reading.kind, params, removes=removes)
        elif not reading.in_project:
            row_locks.lock_lists(context)
        answer.check_unchanged(routed.request, reading.result(context, params), self.shown.values())

    def _reply(self, routed: RoutedRequest, submission: Submission, result: Result) -> Reply:
        if isinstance(result, Reply):
            return result
        route, form, params = routed.route, routed.format, submission.params
        if form is None:
            return forms.redirect_for(route, params, result, submission.hidden_fields.get("_next"))
        # Old clients consider a bulk edit failed unless it has the status of other changes.
        made = falcon.HTTP_200 if route.dry_run_field else falcon.HTTP_201
        return answer.reply(route, form, routed.info.base, params, result, made)


def retried(work: Callable[[], T]) -> T:
    """Call a function, again after a conflict with other changes."""
    for _ in range(TRIES - 1):
        with suppress(errors.SerializationFailure):
            return work()
    return work()


def _compared(routed: RoutedRequest) -> Route | None:
    """Return the route whose result preconditions such as ``If-Match`` refer to, or None."""
    return routed.endpoint.reading if answer.is_conditional(routed.request) else None


def is_alone(routed: RoutedRequest) -> bool:
    """Return whether the change excludes all others in the project."""
    # Nothing may be added to a list while it is compared.
    compared = _compared(routed)
    return routed.route.exclusive or (
        compared is not None and compared.response_kind is not ResponseKind.ITEM
    )


def _lock_first(routed: RoutedRequest, transaction: Transaction, params: Params) -> None:
    """Take the first locks of a write transaction."""
    route = routed.route
    if route.in_project:
        lock = locks.lock_exclusive if is_alone(routed) else locks.lock_shared
        lock(transaction, params.ids["project_id"])
    if route.first:
        route.first(transaction, params)
