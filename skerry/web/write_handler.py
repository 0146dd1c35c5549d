"""Handling of requests that write.

A small change by a program is received first, then the caller is looked up and the change applied in one go
on the writer thread. For all others the caller is authenticated before the body is received, and again in
the transaction of the change, because permissions may have changed by then.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from skerry import errors
from skerry.files.blobs import Blobs
from skerry.settings import Settings
from skerry.tracker.incoming_files import Incoming
from skerry.web.auth import browser
from skerry.web.auth.authentication import has_password
from skerry.web.authorization_header import has_credentials
from skerry.web.bodies import Body, Receiver
from skerry.web.changes import TRIES, Caller, Changes, Prepare, Written, is_alone, retried
from skerry.web.execution import Execution
from skerry.web.requests import drafting, raw_bodies
from skerry.web.requests.drafting import Submission
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.route import Route

MAX_SMALL = 4 << 20
"""How many bytes of small bodies are received at a time before their callers are known."""

T = TypeVar("T")


@dataclass
class WriteHandler:
    """Handles requests that write; there is one in each process."""

    changes: Changes
    blobs: Blobs
    settings: Settings
    execution: Execution
    receiver: Receiver
    _small_bytes: int = 0

    async def write(self, routed: RoutedRequest, body: Body) -> Written:
        """Carry out a request, whose ``body`` may have arrived; raises SkerryError if nothing was changed."""
        # Forms come only from the site's own pages, and are shown again there. Programs may have another
        # origin.
        shared = self.settings.cors_origins if routed.format else frozenset[str]()
        browser.check_origin(routed.request, shared)
        length = routed.request.content_length or 0
        if not _is_small(routed) or self._small_bytes + length > MAX_SMALL:
            return await self._write_in_steps(routed, body)
        self._small_bytes += length
        try:
            return await self._write_at_once(routed, body)
        finally:
            self._small_bytes -= length

    async def _write_at_once(self, routed: RoutedRequest, body: Body) -> Written:
        """Receive a small body; then do everything else in one go on the writer thread."""
        incoming = Incoming(self.blobs, self.settings)
        failure: errors.SkerryError | None = None
        try:
            await drafting.receive(routed, self.receiver, incoming, body)
        except errors.SkerryError as error:
            # The error may only be shown to an authenticated caller, who is not known yet.
            failure = error
        return await self.execution.write(
            lambda: retried(lambda: self.changes.apply_at_once(routed, incoming, body, failure))
        )

    async def _write_in_steps(self, routed: RoutedRequest, body: Body) -> Written:
        """Authenticate the caller, receive the body, prepare what takes long, and apply the change."""
        writer = await self.execution.read_inline(lambda: self.changes.look_up(routed))
        incoming = Incoming(self.blobs, self.settings)
        try:
            await drafting.receive(routed, self.receiver, incoming, body)
            written = await self._process(routed, writer, incoming, body)
        except BaseException as error:
            if incoming.has_files:
                await self.execution.files(partial(incoming.end, error))
            raise
        if incoming.has_files:
            await self.execution.files(incoming.end)
        return written

    async def _process(
        self, routed: RoutedRequest, writer: Caller, incoming: Incoming, body: Body
    ) -> Written:
        """Parse a received body and apply it, after slow preparations."""
        prepare = partial(self._prepare, routed, writer, incoming, body)
        apply = partial(self._apply_with_retries, routed, incoming, writer)
        route, takes_long = routed.route, drafting.may_take_long(routed)
        if not (takes_long or route.reads_only or route.dry_run_field):
            return await self.execution.write(lambda: apply(prepare()))
        if incoming.has_files:
            submission = await self.execution.received_files(writer.name, prepare)
        elif takes_long:
            submission = await self._slowly(route, writer, prepare)
        else:
            submission = await self.execution.read(prepare)
        if route.prepare:
            return await self._prepare_and_apply(routed, submission, incoming, writer, route.prepare)
        if route.is_dry_run(submission.params):
            # A request that stores nothing does not need the writer thread.
            return await self.execution.read(partial(apply, submission))
        return await self.execution.write(partial(apply, submission))

    async def _slowly(self, route: Route, writer: Caller, work: Callable[[], T]) -> T:
        if route.hashes:
            return await self.execution.passwords(work)
        return await self.execution.slow(writer.name, work)

    async def _prepare_and_apply(
        self, routed: RoutedRequest, submission: Submission, incoming: Incoming, writer: Caller, work: Prepare
    ) -> Written:
        """Do slow preparations, then apply the change; repeat both after a conflict with other changes."""

        async def once() -> Written:
            params = await self._slowly(
                routed.route, writer, lambda: self.changes.prepare(routed, writer, work, submission.params)
            )
            finished = submission._replace(params=params)
            return await self.execution.write(lambda: self.changes.apply(routed, incoming, writer, finished))

        with self._limit_guesses(routed, writer):
            for _ in range(TRIES - 1):
                with suppress(errors.SerializationFailure):
                    return await once()
            return await once()

    def _prepare(self, routed: RoutedRequest, writer: Caller, incoming: Incoming, body: Body) -> Submission:
        # The body may have arrived slowly, so the password is checked again.
        self.changes.authentication.check_password(routed.request, routed.params)
        account_id, principal = writer.account_id, writer.principal
        if routed.route.takes_mail:
            params, checksum = raw_bodies.with_mail(
                routed, body, incoming, self.changes.database, self.settings, account_id
            )
            submission = Submission(params, {"mail": checksum}, {})
        elif routed.route.takes_push:
            submission = Submission(raw_bodies.with_push(routed.params, routed.request, body), {}, {})
        else:
            submission = drafting.prepared(
                routed, body, incoming, self.changes.database, account_id, principal
            )
        if principal and principal.session_id:
            browser.check_form(routed.request, submission.hidden_fields, in_page=routed.format is None)
        return submission

    def _limit_guesses(self, routed: RoutedRequest, writer: Caller) -> AbstractContextManager[None]:
        if writer.principal is None or not routed.route.confirms_password:
            return nullcontext()
        return self.changes.authentication.credentials.limit_guesses(
            writer.account_id, writer.principal, writer.network
        )

    def _apply_with_retries(
        self, routed: RoutedRequest, incoming: Incoming, writer: Caller, submission: Submission
    ) -> Written:
        with self._limit_guesses(routed, writer):
            return retried(lambda: self.changes.apply(routed, incoming, writer, submission))


def _is_small(routed: RoutedRequest) -> bool:
    """Return whether a change is applied in one go: sent by a program with a token, and quick."""
    route, request = routed.route, routed.request
    is_program = routed.format is not None and has_credentials(request) and not has_password(request)
    takes_steps = route.reads_only or route.dry_run_field or request.get_header("Expect")
    # Otherwise everybody would wait while a stranger's request waits for such a lock.
    locks_others_out = route.first or is_alone(routed)
    return is_program and not (takes_steps or locks_others_out or drafting.may_take_long(routed))
