"""The retry schedule: when to try again, when to set an event aside, and when to turn a hook off.

Pure functions of the hook, the outcome and the time.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from skerry.hooks.deliveries import Kind, Outcome
from skerry.store.engine.transactions import DAY
from skerry.store.sending.hooks import Target

_SECOND = 1_000_000
_MINUTE, _HOUR = 60 * _SECOND, 3600 * _SECOND

PAUSES = tuple(
    amount * unit
    for amount, unit in (
        *((5, _SECOND), (30, _SECOND), (2, _MINUTE), (10, _MINUTE)),
        *((hours, _HOUR) for hours in (1, 3, 6, 12, 24, 48)),
    )
)
"""Backoff of a hook whose receiver is unavailable; the last value is repeated."""

REFUSALS = tuple(seconds * _SECOND for seconds in (5, 10, 30, 60, 120, 240, 480, 900, 1200))
"""Backoff of an event that the receiver rejects, an hour in total; then it is set aside."""

OFF_AFTER = 5 * DAY
"""How long a hook may fail without a success before it is turned off."""

_JITTER = 0.1


class After(NamedTuple):
    """The hook after an attempt, the state of the delivery, and whether to continue at once."""

    target: Target
    state: str
    goes_on: bool


Spread = Callable[[], float]


def after(target: Target, number: int, outcome: Outcome, now: int, spread: Spread = random.random) -> After:
    """Return what follows an attempt to deliver an event; ``spread`` returns random numbers from 0 to 1."""
    if outcome.kind is Kind.DELIVERED:
        return After(_past(target, number, failing_since=None, problem=""), "delivered", goes_on=True)
    failing = target._replace(
        failing_since=target.failing_since or now, problem=outcome.problem, tries=target.tries + 1
    )
    if outcome.kind is Kind.GONE:
        return After(off(failing, "Turned off: the receiver answered 410 Gone"), "failed", goes_on=False)
    ends = (failing.failing_since or now) + OFF_AFTER
    if now >= ends:
        problem = f"Turned off after five days of failures: {outcome.problem}"
        return After(off(failing, problem), "failed", goes_on=False)
    if outcome.kind is Kind.UNREACHED:
        # Rejections are counted anew after the receiver was unavailable.
        tries = failing.tries if target.tried_since is None else 1
        failing = failing._replace(tries=tries, tried_since=None)
        return _waiting(failing, now, PAUSES[min(tries, len(PAUSES)) - 1], ends, spread)
    if target.tried_since is None:
        failing = failing._replace(tries=1, tried_since=now)
    if failing.tries > len(REFUSALS):
        set_aside = _past(failing, number, failing.failing_since, f"Set aside: {outcome.problem}")
        return After(set_aside, "failed", goes_on=True)
    return _waiting(failing, now, REFUSALS[failing.tries - 1], ends, spread)


def off(target: Target, problem: str) -> Target:
    """Return the hook turned off."""
    return target._replace(active=0, problem=problem, next_try_at=None, tries=0, tried_since=None)


def _waiting(target: Target, now: int, pause: int, ends: int, spread: Spread) -> After:
    due = now + round(pause * (1 + _JITTER * (2 * spread() - 1)))
    return After(target._replace(next_try_at=min(due, ends)), "waiting", goes_on=False)


def _past(target: Target, number: int, failing_since: int | None, problem: str) -> Target:
    """Return the hook with its cursor moved past an event."""
    return target._replace(
        cursor=number,
        tries=0,
        tried_since=None,
        delivery_id=None,
        next_try_at=None,
        failing_since=failing_since,
        problem=problem,
    )


def after_asking(target: Target, outcome: Outcome) -> Target:
    """Return the hook after a requested delivery: a success ends its backoff."""
    if outcome.kind is Kind.GONE:
        return off(target, "Turned off: the receiver answered 410 Gone")
    if outcome.kind is Kind.DELIVERED and target.active:
        return target._replace(next_try_at=None, failing_since=None, problem="")
    return target
