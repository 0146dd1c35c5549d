"""Burndowns: the tickets of a milestone, day by day."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from skerry.database.transactions import DAY
from skerry.resources.milestones import BurndownDay, Milestone
from skerry.store import burndowns as store
from skerry.store.burndowns import Step
from skerry.tracker import milestones
from skerry.tracker.context import Context, Params, ResultPage

MAX_DAYS = 3660
"""The maximum number of days; earlier ones are left out."""

_START = date(1970, 1, 1)


def list_all(context: Context, params: Params) -> ResultPage[BurndownDay]:
    """Return a milestone's days, from its start date, or else the first on which it or a ticket existed.

    The last day is the day of its completion, or today. Raises NotFound.
    """
    milestone = milestones.get(context, params)
    steps = store.steps(context.transaction, context.project_id, params.ids["id"])
    first, last = _span(milestone, steps, context.transaction.now)
    days = list(_days(first, last, steps))
    return ResultPage(BurndownDay, days[-MAX_DAYS:])


def _span(milestone: Milestone, steps: list[Step], now: int) -> tuple[int, int]:
    changed = [step.day for step in steps]
    began = _number(milestone.created_at) or now // DAY
    ended = _number(milestone.completed_at) or now // DAY
    first, last = min([began, *changed]), max([began, ended, *changed])
    if milestone.start_on:
        first = min(_days_to(date.fromisoformat(milestone.start_on)), last)
    return first, last


def _number(timestamp: datetime | None) -> int | None:
    return None if timestamp is None else _days_to(timestamp.astimezone(UTC).date())


def _days_to(day: date) -> int:
    return (day - _START).days


def _days(first: int, last: int, steps: list[Step]) -> Iterator[BurndownDay]:
    by_day = {step.day: step for step in steps}
    before = [step for step in steps if step.day < first]
    total, still_open = sum(step.tickets for step in before), sum(step.open_tickets for step in before)
    for day in range(first, last + 1):
        if day in by_day:
            total += by_day[day].tickets
            still_open += by_day[day].open_tickets
        yield BurndownDay((_START + timedelta(days=day)).isoformat(), still_open, total)
