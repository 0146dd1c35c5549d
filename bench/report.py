"""What was found: as a table while it is measured, as JSON for later, and beside an earlier run."""

import argparse
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.load import CLIENT, Figures
from bench.operations import Operation

SLOWEST = 10
"""How many times as long as the median one answer in a hundred may take at most, with many connections."""

MANY = 16
WORSE, BETTER = 0.85, 1.15
"""A share of the bare program's rate that moved so far is worth a word."""

_HEAD = (
    f"{'operation':12} {'req/s':>7} {'p50 ms':>7} {'p99 ms':>7} {'cpu us':>7} {'MiB':>5} {'bytes':>7}"
    f" {'bare/s':>7} {'bare us':>7} {'of bare':>8} {'by cpu':>7} {'const/s':>8} {'of const':>9}  aims"
)


@dataclass(frozen=True)
class Result:
    """One operation at so many workers and connections."""

    operation: Operation
    workers: int
    connections: int
    size: int = 0
    figures: Figures = field(default=Figures(0, 0, 0, 0))
    memory: float = 0.0
    constant: Figures | None = None
    bare: Figures | None = None

    @property
    def key(self) -> str:
        """Name the measurement, the same in every run."""
        return f"{self.operation.name} workers={self.workers} connections={self.connections}"

    @property
    def of_bare(self) -> float | None:
        """Return the share of the bare program's rate."""
        return self.figures.rate / self.bare.rate if self.bare else None

    @property
    def by_cpu(self) -> float | None:
        """Return the same by the CPU that they need, which other programs on the machine hardly move."""
        return self.bare.cpu / self.figures.cpu if self.bare and self.figures.cpu else None

    @property
    def of_constant(self) -> float | None:
        """Return the share of the rate of a constant answer."""
        return self.figures.rate / self.constant.rate if self.constant else None

    def aims(self) -> Iterable[tuple[str, bool]]:
        """Return each aim in words, and whether it is met."""
        least, found = self.operation.least, self.of_bare
        if least is not None and found is not None:
            yield f"{found:.2f} of bare, aim {least:g}", found >= least
        if self.connections >= MANY:
            beside = f" (constant {_spread(self.constant):.1f})" if self.constant else ""
            spread = _spread(self.figures)
            yield f"p99/p50 {spread:.1f}{beside}, aim {SLOWEST}", spread <= SLOWEST


def _spread(figures: Figures) -> float:
    """Return how many times as long as the median the slow answers take."""
    return figures.p99 / figures.p50


def opening(options: argparse.Namespace, url: str) -> None:
    """Return what is about to be measured."""
    seconds = f"{options.seconds} rounds of {options.round:g} s for each figure"
    tickets = "Kept" if options.kept else f"{options.tickets:,}"
    print(f"{tickets} tickets on {_database(url)}; load by {CLIENT}, {seconds}; {machine()}")
    print("What the columns mean and what is aimed at stands in docs/performance.md.")
    if not options.kept:
        print("Making the data …", flush=True)


def _database(url: str) -> str:
    return f"SQLite {sqlite3.sqlite_version}" if url.startswith("sqlite") else "PostgreSQL"


def machine() -> str:
    """Name what the figures were taken on."""
    return f"Python {platform.python_version()}, {os.cpu_count()} cores ({platform.machine()})"


def heading(workers: int, connections: int) -> None:
    """Begin a table."""
    print(f"\nworkers {workers}, connections {connections}\n{_HEAD}", flush=True)


def line(result: Result, earlier: Mapping[str, Any]) -> None:
    """Print a line of the table."""
    figures = result.figures
    words = "; ".join(("met: " if met else "MISSED: ") + what for what, met in result.aims())
    print(
        f"{result.operation.name:12} {figures.rate:7.0f} {figures.p50:7.2f} {figures.p99:7.2f}"
        f" {figures.cpu:7.0f} {result.memory:5.0f} {result.size:7}"
        f" {_rate(result.bare):>7} {_cpu(result.bare):>7}"
        f" {_share(result.of_bare):>8} {_share(result.by_cpu):>7}"
        f" {_rate(result.constant):>8} {_share(result.of_constant):>9}  {words}"
        f"{_beside(result, earlier.get(result.key))}",
        flush=True,
    )


def _rate(figures: Figures | None) -> str:
    return f"{figures.rate:.0f}" if figures else "-"


def _cpu(figures: Figures | None) -> str:
    return f"{figures.cpu:.0f}" if figures else "-"


def _share(share: float | None) -> str:
    return f"{share:.2f}" if share is not None else "-"


def _beside(result: Result, before: Mapping[str, Any] | None) -> str:
    """Return how it was in an earlier run; the shares tell more than the rates, which the machine moves."""
    if before is None:
        return ""
    said = f"  [earlier {before['rate']:.0f}/s"
    if result.of_bare is None or not before["of_bare"]:
        return f"{said}]"
    change = result.of_bare / before["of_bare"]
    word = " WORSE" if change < WORSE else " better" if change > BETTER else ""
    return f"{said}, {before['of_bare']:.2f} of bare{word}]"


def summary(results: Iterable[Result]) -> None:
    """Return which aims were missed."""
    aims = [(result.key, what, met) for result in results for what, met in result.aims()]
    missed = [(key, what) for key, what, met in aims if not met]
    print(f"\n{len(aims) - len(missed)} of {len(aims)} aims met")
    for key, what in missed:
        print(f"  missed: {key}: {what}")


def keep(options: argparse.Namespace, results: Iterable[Result]) -> None:
    """Write what was found to the file asked for."""
    if options.json is None:
        return
    kept = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "database": _database("" if options.postgres else options.kept or options.database or "sqlite"),
        "client": CLIENT,
        "tickets": None if options.kept else options.tickets,
        "seconds": options.seconds,
        "results": {result.key: _kept(result) for result in results},
    }
    options.json.write_text(json.dumps(kept, indent=1) + "\n")


def _kept(result: Result) -> dict[str, Any]:
    return {
        **asdict(result.figures),
        "bytes": result.size,
        "memory": round(result.memory, 1),
        "bare": asdict(result.bare) if result.bare else None,
        "constant": asdict(result.constant) if result.constant else None,
        "of_bare": result.of_bare,
        "by_cpu": result.by_cpu,
        "of_constant": result.of_constant,
        "aims": [{"aim": what, "met": met} for what, met in result.aims()],
    }


def earlier(file: Path | None) -> Mapping[str, Any]:
    """Return the results of an earlier run by their names, none without a file."""
    if file is None:
        return {}
    try:
        found: dict[str, Any] = json.loads(file.read_text())["results"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{file} holds no earlier results: {error}")
    return found
