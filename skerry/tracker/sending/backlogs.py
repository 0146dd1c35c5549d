"""The backlogs of the account's readers, hooks and mail, for its administrators."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from skerry.database.rows import timestamp_or_none
from skerry.resources.sending import Backlog
from skerry.store.sending import backlogs as store
from skerry.store.sending import leases
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.mail import unsent_mails

MAX_HOOKS = 200
"""The maximum number of hooks listed: first those that are off, then those that are failing."""


def list_all(context: Context, _params: Params) -> ResultPage[Backlog]:
    """Return the backlogs of readers of events, of hooks, and of mail."""
    paused_at = leases.paused_at(context.transaction)
    return ResultPage(Backlog, [*_readers(context), *_hooks(context, paused_at), *_mails(context, paused_at)])


def _readers(context: Context) -> Iterator[Backlog]:
    for name, count in store.readers(context.transaction).items():
        if count:
            yield Backlog(kind="reader", name=name, state="ready", count=count)
    for name, count in store.set_aside(context.transaction).items():
        yield Backlog(kind="reader", name=name, state="refused", count=count)


def _hooks(context: Context, paused_at: int | None) -> Iterator[Backlog]:
    for hook in store.waiting_hooks(context.transaction, MAX_HOOKS):
        state = _state(hook, paused_at)
        yield Backlog(
            kind="hook",
            # Only the host: the rest of the URL may contain a secret of the receiver.
            name=hook.note or urlsplit(hook.url).hostname or "",
            hook_id=hook.id,
            project_id=hook.project_id,
            state=state,
            count=hook.waiting,
            problem=hook.problem,
            since=timestamp_or_none(paused_at if state == "paused" else hook.failing_since),
            next_try_at=timestamp_or_none(hook.next_try_at) if state == "failing" else None,
        )


def _state(hook: store.HookBacklog, paused_at: int | None) -> str:
    if not hook.active:
        return "off"
    if paused_at is not None:
        return "paused"
    return "ready" if hook.failing_since is None else "failing"


def _mails(context: Context, paused_at: int | None) -> Iterator[Backlog]:
    unsent = unsent_mails.summary(context.transaction)
    if unsent.waiting:
        outage, state, since, next_try_at = unsent.outage, "ready", None, None
        if paused_at is not None:
            state, since = "paused", paused_at
        elif outage:
            state, since, next_try_at = "failing", outage.since, outage.due_at
        yield Backlog(
            kind="mail",
            state=state,
            count=unsent.waiting,
            problem=outage.failure if outage else "",
            since=timestamp_or_none(since),
            next_try_at=timestamp_or_none(next_try_at),
        )
    if unsent.set_aside:
        yield Backlog(kind="mail", state="refused", count=unsent.set_aside)
