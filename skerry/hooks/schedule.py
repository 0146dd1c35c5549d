"""The retry schedule: when to try again, when to give an event up, and when to turn a hook off.

Pure functions of the hook, the outcome and the time.
"""

import random
from typing import Any, NamedTuple

from skerry.database.transactions import DAY, HOUR, MINUTE, SECOND
from skerry.hooks.deliveries import Kind, Outcome
from skerry.hooks.loading import PendingDelivery
from skerry.store.sending.deliveries import Requested
from skerry.store.sending.hooks import Target

PAUSES = tuple(
    amount * unit
    for amount, unit in (
        *((5, SECOND), (30, SECOND), (2, MINUTE), (10, MINUTE)),
        *((hours, HOUR) for hours in (1, 3, 6, 12, 24, 48)),
    )
)
"""Backoff of a hook, of which the last value is repeated, and of an event that its receiver refuses alone."""

REFUSALS = 3
"""After so many refusals of one event the next one is tried, which tells a refusal from an outage."""

OFF_AFTER = 5 * DAY
"""How long a hook may fail without a success before it is turned off."""

GONE = "Turned off: the receiver answered 410 Gone"

_JITTER = 0.1

_FRESH: dict[str, Any] = {"tries": 0, "refusals": 0, "outage_since": None}


class Attempt(NamedTuple):
    """An attempt to make a delivery, and what follows from it.

    ``target`` is the hook after it and ``state`` that of the delivery; ``goes_on`` says whether the hook
    continues at once. A delivery that is ``alone`` is retried by its own schedule, and holds nothing up.
    """

    item: PendingDelivery
    outcome: Outcome
    at: int
    target: Target
    state: str = "failed"
    goes_on: bool = False
    next_try_at: int | None = None
    alone: bool = False

    @property
    def holds_up(self) -> bool:
        """Return whether the hook waits to repeat the delivery."""
        return self.state == "waiting" and not self.alone


def after(target: Target, item: PendingDelivery, outcome: Outcome, now: int) -> Attempt:
    """Return the attempt to deliver an item, with what follows from its outcome."""
    attempt = Attempt(item, outcome, now, target)
    if item.requested:
        return _after_request(attempt, item.requested)
    if outcome.kind is Kind.DELIVERED:
        return _delivered(attempt)
    return _after_failure(attempt)


def is_doubtful(attempt: Attempt) -> bool:
    """Return whether the next event must be tried to find out if the receiver refuses only this one."""
    is_refused = attempt.outcome.kind is Kind.REFUSED and attempt.target.refusals >= REFUSALS
    return is_refused and bool(attempt.target.active) and attempt.item.requested is None


def after_probe(refused: Attempt, probe: PendingDelivery, outcome: Outcome, now: int) -> list[Attempt]:
    """Return the attempts for a refused event and for the next one, given the outcome of the next one.

    If the receiver accepts the next event, it refuses only the first one; otherwise there is an outage.
    """
    if outcome.kind is Kind.GONE:
        return [refused._replace(target=off(refused.target, GONE))]
    if outcome.kind is not Kind.DELIVERED:
        return [refused._replace(target=refused.target._replace(outage_since=now))]
    taken = Attempt(probe, outcome, now, refused.target)
    return [_left_alone(refused, min(refused.target.tries, len(PAUSES))), _delivered(taken)]


def _delivered(attempt: Attempt) -> Attempt:
    target = past(attempt.target, attempt.item.number or 0)
    return attempt._replace(target=target, state="delivered", goes_on=True)


def _after_request(attempt: Attempt, requested: Requested) -> Attempt:
    """Return what follows a requested delivery: a success ends the backoff of the hook."""
    target, kind = attempt.target, attempt.outcome.kind
    attempt = attempt._replace(goes_on=kind not in (Kind.UNREACHED, Kind.GONE))
    if kind is Kind.GONE:
        attempt = attempt._replace(target=off(target, GONE))
    if kind is Kind.DELIVERED:
        if target.active:
            target = target._replace(next_try_at=None, failing_since=None, problem="")
        return attempt._replace(target=target, state="delivered")
    return _left_alone(attempt, requested.tries + 1) if requested.is_scheduled else attempt


def _after_failure(attempt: Attempt) -> Attempt:
    target, outcome, now = attempt.target, attempt.outcome, attempt.at
    since, tries = target.failing_since or now, target.tries + 1
    failing = target._replace(failing_since=since, problem=outcome.problem, tries=tries)
    if outcome.kind is Kind.GONE:
        return attempt._replace(target=off(failing, GONE))
    ends = since + OFF_AFTER
    if now >= ends:
        problem = f"Turned off after five days of failures: {outcome.problem}"
        return attempt._replace(target=off(failing, problem))
    if outcome.kind is Kind.UNREACHED:
        failing = failing._replace(refusals=0, outage_since=target.outage_since or now)
    else:
        failing = failing._replace(refusals=target.refusals + 1)
    if outcome.kind is Kind.BROKEN and failing.refusals >= REFUSALS:
        # The receiver did not cause this.
        passed = past(failing, attempt.item.number or 0)
        passed = passed._replace(failing_since=since, problem=outcome.problem)
        return _left_alone(attempt._replace(target=passed, goes_on=True), tries)
    due = min(now + _jittered(PAUSES[min(tries, len(PAUSES)) - 1]), ends)
    return attempt._replace(target=failing._replace(next_try_at=due), state="waiting", next_try_at=due)


def _left_alone(attempt: Attempt, tries: int) -> Attempt:
    """Return the attempt of a delivery that has its own schedule, and does not hold up its hook."""
    if tries > len(PAUSES):
        return attempt._replace(state="failed")
    due = attempt.at + _jittered(PAUSES[tries - 1])
    return attempt._replace(state="waiting", next_try_at=due, alone=True)


def off(target: Target, problem: str) -> Target:
    """Return the hook turned off."""
    return target._replace(active=0, problem=problem, next_try_at=None, **_FRESH)


def past(target: Target, number: int) -> Target:
    """Return the hook with its cursor moved past an event, after a success."""
    return target._replace(
        cursor=number, delivery_id=None, next_try_at=None, failing_since=None, problem="", **_FRESH
    )


def _jittered(pause: int) -> int:
    return round(pause * (1 + _JITTER * (2 * random.random() - 1)))  # noqa: S311 - no secret
