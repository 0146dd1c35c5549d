"""Coordinates of the charts that templates draw as SVG.

Coordinates are those of the image, which the page scales; colours are set in the styles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from skerry.resources.milestones import BurndownDay

# The edges of the chart in the image of 720 by 260 that ``burndown.html`` draws.
LEFT, RIGHT, TOP, BOTTOM = 40, 706, 12, 228

_MARKS = 6
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class AxisMark:
    """A mark on an axis: a number or a day, at a coordinate."""

    position: float
    number: int = 0
    day: date | None = None


@dataclass(frozen=True)
class Burndown:
    """The lines of a burndown chart as SVG paths; ``ideal`` is empty without a due date."""

    total: str
    open: str
    filled: str
    ideal: str
    numbers: tuple[AxisMark, ...]
    days: tuple[AxisMark, ...]
    first: BurndownDay
    last: BurndownDay


def burndown(days: Sequence[BurndownDay], due: date | None) -> Burndown | None:
    """Return the chart of consecutive days, or None if there never was a ticket."""
    most = max((day.tickets_count for day in days), default=0)
    if not most:
        return None
    first, last = (date.fromisoformat(day.date) for day in (days[0], days[-1]))
    axes = _Axes(first, max(last, due or last), _round(most))
    still_open = axes.steps(days, [day.open_tickets_count for day in days])
    return Burndown(
        total=axes.steps(days, [day.tickets_count for day in days]),
        open=still_open,
        filled=f"{still_open}V{BOTTOM}H{LEFT}Z",
        ideal=axes.line(due, days[-1].tickets_count) if due and due >= first else "",
        numbers=tuple(axes.numbers()),
        days=tuple(axes.days()),
        first=days[0],
        last=days[-1],
    )


def _round(most: int) -> int:
    """Return the number, rounded up to a multiple of the distance between marks."""
    step = _step(most)
    return -(-most // step) * step


def _step(most: int) -> int:
    """Return the distance between marks: 1, 2 or 5 times a power of ten, to limit their number."""
    scale = 1
    while True:
        for step in _STEPS:
            if most <= step * scale * (_MARKS - 1):
                return step * scale
        scale *= 10


@dataclass(frozen=True)
class _Axes:
    """A mapping from days and numbers to coordinates; each day has a width."""

    first: date
    last: date
    most: int

    @property
    def count(self) -> int:
        return (self.last - self.first).days + 1

    def across(self, day: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * day / self.count, 1)

    def up(self, number: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * number / self.most, 1)

    def steps(self, days: Sequence[BurndownDay], numbers: Sequence[int]) -> str:
        """Return a path with a horizontal segment for each day."""
        path = [f"M{LEFT} {self.up(numbers[0])}"]
        for place, (before, after) in enumerate(pairwise(numbers), start=1):
            if before != after:
                path.append(f"H{self.across(place)}V{self.up(after)}")
        return "".join([*path, f"H{self.across(len(days))}"])

    def line(self, due: date, total: int) -> str:
        """Return a straight line from all tickets down to none at the end of a day."""
        end = self.across((due - self.first).days + 1)
        return f"M{LEFT} {self.up(total)}L{end} {BOTTOM}"

    def numbers(self) -> Iterator[AxisMark]:
        for number in range(0, self.most + 1, _step(self.most)):
            yield AxisMark(self.up(number), number=number)

    def days(self) -> Iterator[AxisMark]:
        every = -(-self.count // _MARKS)
        for place in range(0, self.count, every):
            yield AxisMark(self.across(place + 0.5), day=date.fromordinal(self.first.toordinal() + place))
