"""What another tracker brings along to be measured beside the product."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bench.compare.beside_data import Told
from bench.compare.beside_operations import Ask, SignIn
from bench.serving import ROOT, Server

FILLING_SECONDS = 1800


class Tracker(Protocol):
    """Another tracker with data of its own below the folder of a run; made only where it can be had."""

    name: str
    on_postgres: bool
    """Whether it can be measured on PostgreSQL; it can on SQLite."""

    @property
    def versions(self) -> Sequence[str]:
        """Name what is measured, once it is filled."""

    @property
    def aims(self) -> Mapping[str, float]:
        """Return how many times as many of a deed the product should do, where something is aimed at."""

    @property
    def writers(self) -> tuple[int, ...]:
        """With how many connections it is able to be written to, once it is filled."""

    def fill(self, told: Path, postgres: str | None) -> None:
        """Fill it with what was told, in an empty database on PostgreSQL or else in one on SQLite."""

    def server(self, workers: int) -> Server:
        """Start it with so many processes."""

    def sign_ins(self, our_token: str, seconds: int) -> tuple[SignIn, ...]:
        """Return the ways in which the member shows who he is, measured for a number of seconds each."""

    def asks(self, sign_in: SignIn, told: Told) -> Mapping[str, tuple[Ask, ...]]:
        """Return what it is asked for each deed that it is able to do."""


def run(name: str, words: Sequence[str], folder: Path = ROOT, **environment: str) -> str:
    """Run a command that sets the tracker up and return its output; exits with its last words if it fails."""
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=FILLING_SECONDS,
    )
    if done.returncode:
        sys.exit(f"{name} could not be filled:\n{done.stderr[-2000:] or done.stdout[-2000:]}")
    return done.stdout
