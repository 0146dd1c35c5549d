"""Handling of requests that write.

The caller is authenticated before the body is received, and again in the transaction of the change, because
permissions may have changed by then.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import falcon

from skerry import errors
from skerry.settings import Settings
from skerry.store.engine.database import Database
from skerry.store.files.blobs import Blobs
from skerry.tracker.auth import quotas
from skerry.tracker.auth.quotas import Quotas
from skerry.tracker.changes import row_locks
from skerry.tracker.context import Context, Params, Principal
from skerry.tracker.incoming_files import Incoming
from skerry.web.auth.authentication import Authentication
from skerry.web.execution import Execution
from skerry.web.request_state import RequestState
from skerry.web.requests import drafting, idempotency, mails
from skerry.web.requests.bodies import Receiver
from skerry.web.responses import answer
from skerry.web.responses.answer import Reply
from skerry.web.routes.route import ResponseKind, Result
from skerry.web.site import browser, site
from skerry.wire import dialect
from skerry.wire.formats import Format

# How often a change is retried after conflicts with other changes.
_TRIES = 3

_FRAME = 65_536
"""The size of a body's syntax, which is not checked against the quota of a guest, in bytes."""

_Prepare = Callable[[Context, Params], Callable[[], Params]]


class Caller(NamedTuple):
    """The caller of a request, and its account."""

    principal: Principal | None
    account_id: int


class WriteHandler:
    """Handles requests that write; there is one in each process."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        authentication: Authentication,
        shown: Mapping[str, Format],
        execution: Execution,
        receiver: Receiver,
    ) -> None:
        """Create the handler; ``shown`` are the formats in which clients may have read resources."""
        self._execution, self._receiver = execution, receiver
        self._database, self._blobs, self._settings = database, blobs, settings
        self._authentication, self._shown = authentication, shown
        self._original = settings.dialect == dialect.NAME
        self._quotas = Quotas(settings.guest_daily_bytes, settings.guest_project_daily_bytes)

    async def write(self, state: RequestState) -> Reply:
        """Handle a request and return the reply; raises SkerryError if nothing was changed."""
        # Forms come only from the site's own pages, and are shown again there. Programs may have another
        # origin.
        shared = self._settings.cors_origins if state.format else frozenset[str]()
        browser.check_origin(state.request, shared)
        writer = await self._execution.quick(lambda: self._authenticate(state))
        incoming = Incoming(self._blobs, self._settings)
        try:
            await drafting.receive(state, self._receiver, incoming)
            reply = await self._process(state, writer, incoming)
        except BaseException as error:
            if incoming.has_files:
                await self._execution.files(partial(incoming.end, error))
            raise
        if incoming.has_files:
            await self._execution.files(incoming.end)
        return reply

    def _authenticate(self, state: RequestState) -> Caller:
        """Authenticate the caller, count the request, and raise errors that do not depend on the body."""
        with self._database.read(snapshot=False) as short:
            principal = self._authentication.authenticate(short, state.request, state.params)
            context = state.admit(Context(short, principal))
            if not state.route.reads_only:
                length = state.request.content_length or 0
                quotas.check(context, self._quotas, max(0, length - _FRAME))
            return Caller(principal, short.account_id)

    async def _process(self, state: RequestState, writer: Caller, incoming: Incoming) -> Reply:
        """Parse a received body and apply it, after slow preparations."""
        prepare = partial(self._prepare, state, writer, incoming)
        apply = partial(self._apply_with_retries, state, incoming, writer)
        route, takes_long = state.route, drafting.may_take_long(state)
        if not (takes_long or route.reads_only or route.dry_run_field):
            return await self._execution.write(lambda: (prepare(), apply())[1])
        run = self._execution.slow if takes_long else self._execution.read
        await (self._execution.files if incoming.has_files else run)(prepare)
        if route.prepare:
            return await self._prepare_and_apply(state, incoming, writer, route.prepare)
        if route.is_dry_run(state.params):
            # A request that stores nothing does not need the writer thread.
            return await self._execution.read(apply)
        return await self._execution.write(apply)

    async def _prepare_and_apply(
        self, state: RequestState, incoming: Incoming, writer: Caller, work: _Prepare
    ) -> Reply:
        """Do slow preparations, then apply the change; repeat both after a conflict with other changes."""
        params = state.params

        async def once() -> Reply:
            state.params = await self._execution.slow(
                lambda: self._run_preparation(state, writer, work, params)
            )
            return await self._execution.write(lambda: self._apply(state, incoming, writer))

        with self._authentication.credentials.limit_guesses(state, writer.principal):
            for _ in range(_TRIES - 1):
                with suppress(errors.SerializationFailure):
                    return await once()
            return await once()

    def _prepare(self, state: RequestState, writer: Caller, incoming: Incoming) -> None:
        # The body may have arrived slowly, so the password is checked again.
        self._authentication.check_password(state.request, state.params)
        if state.route.takes_mail:
            mails.take(state, incoming, self._database, self._settings, writer.account_id)
        else:
            drafting.take(state, incoming, self._database, writer.account_id)
        if writer.principal and writer.principal.session_id:
            browser.check_form(state.request, state.hidden_fields, in_page=state.format is None)

    def _apply_with_retries(self, state: RequestState, incoming: Incoming, writer: Caller) -> Reply:
        with self._authentication.credentials.limit_guesses(state, writer.principal):
            for _ in range(_TRIES - 1):
                with suppress(errors.SerializationFailure):
                    return self._apply(state, incoming, writer)
            return self._apply(state, incoming, writer)

    def _apply(self, state: RequestState, incoming: Incoming, writer: Caller) -> Reply:
        route, params = state.route, state.params
        shows = route.is_dry_run(params)
        with (self._database.read if shows else self._database.write)(writer.account_id) as transaction:
            transaction.base = state.info.base
            state.begin(transaction, params)
            # The caller may have lost the permission while the body arrived or others wrote.
            principal = self._authentication.identify(transaction, state.request, params)
            arrived = Context(
                transaction,
                principal,
                opening_texts=self._original,
                rendered=params.rendered,
                hook_networks=self._settings.hooks_allow,
            )
            context = state.admit(arrived)

            def perform() -> Result:
                # Not for a repeated request: its first execution has changed what the client saw.
                self._check_unchanged(state, context)
                if state.format is None:
                    site.check_seen(route, context, params, state.hidden_fields.get("_seen"))
                transaction.after_commit(incoming.settle)
                if not shows:
                    quotas.take(context, self._quotas, params)
                return route.use_case(context, params)

            key, fingerprint = idempotency.key_and_fingerprint(state)
            if key is not None and principal:
                return idempotency.once(context, key, fingerprint, lambda: self._reply(state, perform()))
            result = perform()
        return self._reply(state, result)

    def _run_preparation(self, state: RequestState, writer: Caller, work: _Prepare, params: Params) -> Params:
        with self._database.read(writer.account_id) as transaction:
            principal = self._authentication.identify(transaction, state.request, params)
            worked_out = work(state.admit(Context(transaction, principal)), params)
        # Outside the transaction, because this is slow and others need the connection.
        return worked_out()

    def _check_unchanged(self, state: RequestState, context: Context) -> None:
        reading = state.compared
        if reading is None:
            answer.reject_if_match(state.request)
            return
        if reading.response_kind is ResponseKind.ITEM:
            context = row_locks.locked(
                context, reading.kind, state.params, removes=state.route.method == "DELETE"
            )
        elif not reading.in_project:
            row_locks.lock_lists(context)
        answer.check_unchanged(state.request, reading.use_case(context, state.params), self._shown.values())

    def _reply(self, state: RequestState, result: Result) -> Reply:
        route, form = state.route, state.format
        if form is None:
            return site.redirect_for(route, state.params, result, state.hidden_fields.get("_next"))
        # Old clients consider a bulk edit failed unless it has the status of other changes.
        made = falcon.HTTP_200 if self._original and route.dry_run_field else falcon.HTTP_201
        return answer.reply(route, form, state.info.base, state.params, result, made)
