"""What was found beside another tracker: as a table while it is measured, as JSON for later."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.load import CLIENT, Figures
from bench.report import machine

_SIDE = f"{'req/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'cpu ms':>7} {'bytes':>7}"
HEAD = (
    f"{'operation':12} {'sign-in':8} {'conns':>5} |{_SIDE} |{_SIDE} | {'times':>6} {'by cpu':>6} {'aim':>5}"
)


@dataclass(frozen=True)
class Pair:
    """One deed with so many connections: what the product and the other tracker reach."""

    name: str
    sign_in: str
    connections: int
    ours: Figures
    theirs: Figures
    our_bytes: int
    their_bytes: int
    aim: float | None = None

    @property
    def key(self) -> str:
        """Name the measurement, the same in every run."""
        return f"{self.name} {self.sign_in} connections={self.connections}"

    @property
    def times(self) -> float:
        """Return how many times as many the product does in a second."""
        return self.ours.rate / self.theirs.rate

    @property
    def by_cpu(self) -> float | None:
        """Return how many times as much CPU the other one needs; nothing where nobody says."""
        return self.theirs.cpu / self.ours.cpu if self.ours.cpu and self.theirs.cpu else None


def one_after_another(several: Sequence[Figures]) -> Figures:
    """Return the figures of a deed that takes several requests; their sum stands for its p50 and p99."""
    return Figures(
        rate=1 / sum(1 / each.rate for each in several),
        p50=sum(each.p50 for each in several),
        p99=sum(each.p99 for each in several),
        cpu=sum(each.cpu for each in several),
    )


def line(pair: Pair) -> str:
    """Return a line of the table; an aim stands for ``times``."""
    cpu = f"{pair.by_cpu:.1f}" if pair.by_cpu else "-"
    aim = f"{pair.aim:.0f}" if pair.aim else "-"
    return (
        f"{pair.name:12} {pair.sign_in:8} {pair.connections:5} |{_side(pair.ours, pair.our_bytes)}"
        f" |{_side(pair.theirs, pair.their_bytes)} | {pair.times:6.1f} {cpu:>6} {aim:>5}"
    )


def _side(figures: Figures, size: int) -> str:
    return f"{figures.rate:8.1f} {figures.p50:8.2f} {figures.p99:8.2f} {figures.cpu / 1000:7.2f} {size:7}"


def kept(pairs: Iterable[Pair], **run: Any) -> dict[str, Any]:
    """Return what is kept of a run."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "client": CLIENT,
        **run,
        "results": {pair.key: {**asdict(pair), "times": pair.times, "by_cpu": pair.by_cpu} for pair in pairs},
    }


def keep(file: Path, pairs: Iterable[Pair], **run: Any) -> None:
    """Write what was found to a file."""
    file.write_text(json.dumps(kept(pairs, **run), indent=1) + "\n")
