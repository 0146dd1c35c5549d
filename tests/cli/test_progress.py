"""The progress of long commands."""

import pytest

from skerry.cli import progress


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_is_printed_every_ten_seconds_with_an_estimate(clock, capsys):
    shown = progress.Progress()
    for second in range(31):
        clock[0] = float(second)
        shown("Writing tickets", 1000 + 100 * second, 100_000)
    shown.end()
    assert capsys.readouterr().err.splitlines() == [
        "Writing tickets: 2,000 of 100,000, about 8 min left",
        "Writing tickets: 3,000 of 100,000, about 10 min left",
        "Writing tickets: 4,000 of 100,000, about 12 min left",
    ]


def test_nothing_is_printed_by_a_quick_command(clock, capsys):
    shown = progress.Progress()
    clock[0] = 9.0
    shown("Writing tickets", 10, 10)
    shown.end()
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_one_line_that_is_updated_and_then_removed(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    shown = progress.Progress()
    for second in (1.0, 2.0):
        clock[0] = second
        shown("Reading tickets", int(second), 4)
    shown.end()
    assert capsys.readouterr().err == (
        "\r\x1b[KReading tickets: 1 of 4\r\x1b[KReading tickets: 2 of 4, about 1 s left\r\x1b[K"
    )
