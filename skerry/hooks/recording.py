"""Records the outcome of deliveries: the log, and the cursor of each hook."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from skerry.background import Held
from skerry.hooks.deliveries import Kind, Outcome
from skerry.hooks.loading import Item, Key
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.store.sending import deliveries, hooks
from skerry.store.sending.hooks import Target
from skerry.tracker.context import Context
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import alerts
from skerry.tracker.mail.alerts import Alert
from skerry.tracker.sending.hooks import owners


class Attempt(NamedTuple):
    """An attempt: what was sent, the outcome, the time, and the resulting state of the delivery."""

    item: Item
    outcome: Outcome
    at: int
    state: str
    delivery_id: int | None
    next_try_at: int | None


class Result(NamedTuple):
    """Attempts for one hook in order, and the hook before and after them."""

    key: Key
    before: Target
    after: Target
    tries: list[Attempt]


class Recorder:
    """Records results, with one transaction for each account."""

    def __init__(self, database: Database, held: Held) -> None:
        """Create a recorder that records only for accounts whose lease this process holds."""
        self._database, self._held = database, held

    def record(self, results: list[Result]) -> list[Target]:
        """Store results, and return each hook as it is stored afterwards.

        Raises SerializationFailure if another process has taken over an account, and Unavailable.
        """
        after: dict[Key, Target] = {}
        for account_id in sorted({result.key[0] for result in results}):
            with self._database.write(account_id) as transaction:
                self._held.confirm(transaction)
                mine = [result for result in results if result.key[0] == account_id]
                for result in _record(transaction, mine):
                    after[result.key] = result.after
        return [after.get(result.key, result.after) for result in results]


def _record(transaction: Transaction, results: list[Result]) -> list[Result]:
    """Store the results of one account, and return them with the ids of new deliveries."""
    present = hooks.locked_ids(transaction, [result.after.id for result in results])
    results = [result for result in results if result.after.id in present]
    new = [
        (result, each)
        for result in results
        for each in result.tries
        if each.delivery_id is None or not deliveries.note(transaction, each.delivery_id, _row(each))
    ]
    rows = [
        {**deliveries.new(transaction, 0, result.after.id), **_row(each), "tries": 1, "created_at": each.at}
        for result, each in new
    ]
    ids = deliveries.add(transaction, rows) if rows else []
    found = {id(each): delivery_id for (_, each), delivery_id in zip(new, ids, strict=True)}
    kept = [_with_delivery(result, found) for result in results]
    hooks.note(transaction, [result.after for result in kept])
    for result in kept:
        _settle(transaction, result)
    return kept


def _with_delivery(result: Result, ids: dict[int, int]) -> Result:
    """Return the result with the id of the new delivery that its hook is waiting to retry."""
    last = result.tries[-1] if result.tries else None
    if last is None or id(last) not in ids or last.state != "waiting":
        return result
    return result._replace(after=result.after._replace(delivery_id=ids[id(last)]))


def _settle(transaction: Transaction, result: Result) -> None:
    """Report a hook that was turned off, and fail deliveries that will not be retried."""
    if result.before.active and not result.after.active:
        events.record(
            Context(transaction),
            Type.HOOK_UPDATED,
            result.after.id,
            changes={"active": [True, False]},
            via="hooks",
            project_id=result.after.project_id,
        )
        # The rest of the URL may be a secret.
        note = f"{urlsplit(result.after.url).hostname}: {result.after.problem}"
        for user_id in sorted(owners(transaction, result.after.project_id, result.after.user_id)):
            alerts.send(transaction, user_id, Alert.HOOK_TURNED_OFF, note)
    if result.before.tries and result.after.cursor > result.before.cursor:
        deliveries.give_up(transaction, result.after.id, result.after.cursor)
    last = result.tries[-1] if result.tries else None
    if last and last.item.requested and last.outcome.kind in (Kind.UNREACHED, Kind.GONE):
        deliveries.drop_requested(transaction, result.after.id)


def _row(tried: Attempt) -> dict[str, Any]:
    """Return the columns of the log for an attempt."""
    outcome = tried.outcome
    return {
        "event": tried.item.number,
        "event_type": tried.item.event_type,
        "message_id": tried.item.message_id,
        "asked": 0,
        "state": tried.state,
        "status": outcome.status,
        "milliseconds": outcome.milliseconds,
        "request": outcome.request,
        "answer": outcome.answer,
        "tried_at": tried.at,
        "delivered_at": tried.at if outcome.kind is Kind.DELIVERED else None,
        "next_try_at": tried.next_try_at,
    }
