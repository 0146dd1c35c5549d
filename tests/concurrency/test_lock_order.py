"""Counts are locked in one order, so that changes of several tickets at once never deadlock."""

import pytest

from skerry.resources.tickets import Ticket
from skerry.store import milestones, projects, states, tags
from skerry.store.counts.counters import StoredCounts
from skerry.tracker.changes.ticket_counts import CountChanges


@pytest.fixture
def locked(monkeypatch):
    """The keys of the counts that were changed, in order, by table."""
    found = {"projects": [], "milestones": [], states.COUNTS: [], tags.COUNTS: []}
    monkeypatch.setattr(
        projects, "count", lambda _transaction, project_id, **_moves: found["projects"].append(project_id)
    )
    monkeypatch.setattr(
        milestones,
        "count",
        lambda _transaction, _project_id, milestone_id, **_moves: found["milestones"].append(milestone_id),
    )
    monkeypatch.setattr(StoredCounts, "move", lambda counts, _transaction, moves: found[counts].extend(moves))
    return found


def test_counts_are_changed_in_the_order_of_their_keys(locked):
    tally = CountChanges()
    kept = ((9, "open", "wet", 8), (2, "new", "dry", 30), (5, "hold", "all", 4))
    for project_id, state, tag, milestone_id in kept:
        tally.move(project_id, None, Ticket(state=state, tag=tag, milestone_id=milestone_id))
    tally.keep(None)
    assert len(locked["milestones"]) == 3
    for keys in locked.values():
        assert keys == sorted(keys)
