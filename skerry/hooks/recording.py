"""Records the outcome of deliveries: the log, and the cursor of each hook."""

from typing import Any, NamedTuple

from skerry.background import Held
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.hooks.deliveries import Kind
from skerry.hooks.loading import Key
from skerry.hooks.schedule import Attempt
from skerry.store.sending import deliveries, hooks
from skerry.store.sending.hooks import SCHEDULED, Target
from skerry.tracker.sending import hook_alerts


class HookAttempts(NamedTuple):
    """Attempts for one hook in order, and the hook before and after them."""

    key: Key
    before: Target
    attempts: list[Attempt]
    after: Target


def record(database: Database, held: Held, results: list[HookAttempts]) -> list[None]:
    """Store results, with one transaction for each account whose lease this process holds.

    Raises SerializationFailure if another process has taken over an account, and Unavailable.
    """
    for account_id in sorted({result.key[0] for result in results}):
        with database.write(account_id) as transaction:
            held.confirm(transaction)
            _record(transaction, [result for result in results if result.key[0] == account_id])
    return [None] * len(results)


def _record(transaction: Transaction, results: list[HookAttempts]) -> None:
    """Store the results of one account."""
    present = hooks.locked_ids(transaction, [result.after.id for result in results])
    results = [result for result in results if result.after.id in present]
    new = [
        (result.after.id, attempt)
        for result in results
        for attempt in result.attempts
        if not _is_repeated(transaction, result, attempt)
    ]
    rows = [
        deliveries.new(transaction, 0, hook_id, **_row(attempt), tries=1, created_at=attempt.at)
        for hook_id, attempt in new
    ]
    ids = zip(new, deliveries.add(transaction, rows), strict=True)
    waiting = {hook_id: id_ for (hook_id, attempt), id_ in ids if attempt.holds_up}
    after = [result.after for result in results]
    hooks.note(
        transaction, [each._replace(delivery_id=waiting.get(each.id, each.delivery_id)) for each in after]
    )
    for result in results:
        _settle(transaction, result)


def _is_repeated(transaction: Transaction, result: HookAttempts, attempt: Attempt) -> bool:
    """Record another attempt of a delivery that the log has; return whether it is one."""
    requested = attempt.item.requested
    delivery_id = requested.id if requested else result.before.delivery_id
    is_first = attempt is result.attempts[0]
    if delivery_id is None or not (requested or is_first):
        return False
    return deliveries.note(transaction, delivery_id, _row(attempt))


def _settle(transaction: Transaction, result: HookAttempts) -> None:
    """Report a hook that was turned off, and fail deliveries that will not be retried."""
    before, after = result.before, result.after
    if before.active and not after.active:
        hook_alerts.turned_off(transaction, after)
    if before.tries and after.cursor > before.cursor:
        deliveries.give_up(transaction, after.id, after.cursor)
    last = result.attempts[-1] if result.attempts else None
    if last and last.item.requested and last.outcome.kind in (Kind.UNREACHED, Kind.GONE):
        deliveries.drop_requested(transaction, after.id)


def _row(attempt: Attempt) -> dict[str, Any]:
    """Return the columns of the log for an attempt."""
    outcome, named = attempt.outcome, attempt.item.named
    event = named.event if named else None
    is_ticket = event is not None and event.subject_kind == "ticket" and event.subject_id.isdecimal()
    return {
        "event": event.number if event else None,
        "event_type": event.type if event else "ping",
        "message_id": attempt.item.message_id,
        "asked": SCHEDULED if attempt.alone else 0,
        "state": attempt.state,
        "status": outcome.status,
        "milliseconds": outcome.milliseconds,
        "request": outcome.request,
        "answer": outcome.answer,
        "tried_at": attempt.at,
        "delivered_at": attempt.at if outcome.kind is Kind.DELIVERED else None,
        "next_try_at": attempt.next_try_at,
        "project_id": event.project_id if event else None,
        "ticket": int(event.subject_id) if event and is_ticket else None,
        "attempts": deliveries.attempt_line(attempt.at, outcome.status, outcome.milliseconds, outcome.said),
    }
