"""The pace of deliveries."""

import pytest

from skerry.hooks import pace
from skerry.hooks.pace import Pace
from tests.support import loops


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on when somebody sleeps, and by the seconds that a test adds."""
    clock = [1000.0]

    async def sleep(seconds):
        clock[0] += seconds

    monkeypatch.setattr(pace, "monotonic", lambda: clock[0])
    monkeypatch.setattr(pace, "sleep", sleep)
    return clock


def take(turns, taken=0.0, clock=None):
    async def run():
        for _ in range(turns):
            await keeper.wait()
            clock[0] += taken

    keeper, began = Pace(), clock[0]
    loops.run(run())
    return clock[0] - began


def test_five_hundred_deliveries_take_two_and_a_half_seconds(clock):
    assert take(500, clock=clock) == pytest.approx(500 * pace.INTERVAL, abs=pace.BURST + pace.INTERVAL)


def test_a_delivery_that_takes_longer_than_its_turn_is_not_delayed_further(clock):
    assert take(100, 2 * pace.INTERVAL, clock) == pytest.approx(
        100 * 2 * pace.INTERVAL, abs=pace.BURST + pace.INTERVAL
    )
