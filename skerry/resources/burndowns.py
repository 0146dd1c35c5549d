"""Burndowns."""

from typing import ClassVar

from skerry.wire.record import Record


class BurndownDay(Record, frozen=True):
    """How many tickets a milestone had at the end of a day in UTC, and how many of them were open."""

    singular: ClassVar[str] = "burndown_day"
    plural: ClassVar[str] = "burndown_days"

    date: str = ""
    open_tickets_count: int = 0
    tickets_count: int = 0
