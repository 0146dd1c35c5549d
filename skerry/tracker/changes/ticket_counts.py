"""The stored counts of projects, milestones, states and tags, updated once per transaction."""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from skerry.database.transactions import Transaction
from skerry.store import milestones, projects, states, tags
from skerry.text.tags import read_tags
from skerry.tracker.changes.ticket_values import Values

K = TypeVar("K", bound=tuple[int | str, ...])

_NO_NUMBERS: Mapping[int, int] = MappingProxyType({})


class CountChanges:
    """Sums up changes to the counts, and writes them in a fixed order.

    Projects come first, then milestones, states and tags, each by its key, so that concurrent changes never
    deadlock; tickets are locked before any of them.
    """

    def __init__(self) -> None:
        """Start with no changes; of milestones, note those whose tickets are not all private."""
        self._projects: dict[int, list[int]] = {}
        self._milestones: dict[int, list[int]] = {}
        self._homes: dict[int, int] = {}
        self._open_ones: set[int] = set()
        self._states = Counter[tuple[int, str, int]]()
        self._tags = Counter[tuple[int, str]]()

    def move(self, project_id: int, before: Values | None, after: Values | None) -> None:
        """Count a ticket that was created, changed or deleted in a project."""
        for values, step in ((before, -1), (after, 1)):
            if values is None:
                continue
            open_step = 0 if values.closed else step
            _add(self._projects, project_id, step, open_step)
            if values.milestone_id:
                self._homes[values.milestone_id] = project_id
                if not values.private:
                    self._open_ones.add(values.milestone_id)
                _add(self._milestones, values.milestone_id, step, open_step)
            self._states[project_id, values.state or "", int(values.closed)] += step
        if not before or not after or before.tag != after.tag:
            self._move_tags(project_id, before, after)

    def _move_tags(self, project_id: int, before: Values | None, after: Values | None) -> None:
        for values, step in ((before, -1), (after, 1)):
            if values and values.tag:
                for tag in read_tags(values.tag):
                    self._tags[project_id, tag] += step

    def keep(self, transaction: Transaction, numbers: Mapping[int, int] = _NO_NUMBERS) -> dict[int, int]:
        """Write the changes.

        ``numbers`` says how many ticket numbers to reserve in each project; returns the last one of each.
        """
        last: dict[int, int] = {}
        for project_id in sorted({*self._projects, *numbers}):
            tickets, open_tickets = self._projects.get(project_id, (0, 0))
            moves = {"tickets": tickets, "open_tickets": open_tickets}
            given = numbers.get(project_id, 0)
            if given:
                last[project_id] = projects.number(transaction, project_id, numbers=given, **moves)
            elif tickets or open_tickets:
                projects.count(transaction, project_id, **moves)
        self._keep_milestones(transaction)
        states.COUNTS.move(transaction, _moved(self._states))
        tags.COUNTS.move(transaction, _moved(self._tags))
        return last

    def _keep_milestones(self, transaction: Transaction) -> None:
        for milestone_id, (tickets, open_tickets) in sorted(self._milestones.items()):
            if tickets or open_tickets:
                milestones.count(
                    transaction,
                    self._homes[milestone_id],
                    milestone_id,
                    tickets=tickets,
                    open_tickets=open_tickets,
                    silent=milestone_id not in self._open_ones,
                )


def moved(
    transaction: Transaction,
    project_id: int,
    before: Values | None,
    after: Values | None,
    *,
    numbers: int = 0,
) -> int:
    """Count one ticket as ``CountChanges`` does; return the project's last number if some are reserved."""
    tally = CountChanges()
    tally.move(project_id, before, after)
    return tally.keep(transaction, {project_id: numbers}).get(project_id, 0)


def _moved(steps: Counter[K]) -> dict[K, int]:
    return {key: step for key, step in sorted(steps.items()) if step}


def _add(counts: dict[int, list[int]], key: int, tickets: int, open_tickets: int) -> None:
    count = counts.setdefault(key, [0, 0])
    count[0] += tickets
    count[1] += open_tickets
