"""Background sending, which administrators can pause and resume."""

from skerry.database.rows import timestamp_or_none
from skerry.resources.sending import Sending
from skerry.store.sending import leases
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type


def get(context: Context, _params: Params) -> Sending:
    """Return whether sending is paused."""
    since = leases.paused_at(context.transaction)
    return Sending(paused=since is not None, paused_at=timestamp_or_none(since))


def update(context: Context, params: Params) -> Sending:
    """Pause or resume sending; servers react within seconds, and nothing is lost."""
    before = get(context, params)
    paused = params.draft_of(Sending).over(before).paused
    if paused != before.paused:
        leases.pause(context.transaction, paused=paused)
    account_id = context.transaction.account_id
    return events.record_change(context, Type.SENDING_UPDATED, before, get(context, params), of=account_id)
