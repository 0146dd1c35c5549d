"""Milestones."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import Record, day, longest, required, writable


class Milestone(Record, frozen=True):
    """A goal for tickets of a project, possibly with a start and a due date; closed once it is completed."""

    singular, plural = "milestone", "milestones"
    list_extras = ("total_pages", "current_page")
    texts = ("goals",)
    omittable = ("goals_html",)

    completed_at: datetime | None = None
    created_at: datetime | None = None
    due_on: Annotated[datetime | None, writable, day] = None
    goals: Annotated[str, writable] = ""
    goals_html: str = ""
    id: int | None = None
    open_tickets_count: int = 0
    permalink: str | None = None
    project_id: int | None = None
    start_on: Annotated[str | None, writable, day] = None
    tickets_count: int = 0
    title: Annotated[str, writable, required, longest(255)] = ""
    updated_at: datetime | None = None
    url: str | None = None
    user_name: str | None = None


class BurndownDay(Record, frozen=True):
    """How many tickets a milestone had at the end of a day in UTC, and how many of them were open."""

    singular, plural = "burndown_day", "burndown_days"

    date: str = ""
    open_tickets_count: int = 0
    tickets_count: int = 0
