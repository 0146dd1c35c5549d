"""The servers that are measured: started, watched and stopped."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Self

from bench.load import Request, ask

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 60
MEBIBYTE = 1024 * 1024
MODULE = (sys.executable, "-m")


class Server:
    """One server with all its processes, on a port of its own."""

    def __init__(
        self, words: Sequence[str], log: Path, ready: str, folder: Path = ROOT, **environment: str
    ) -> None:
        """Start a command, in whose words ``{port}`` stands for its port; ``ready`` answers when it is."""
        self.port = _free_port()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
        self._ready, self._log = ready, log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [word.format(port=self.port) for word in words],
                cwd=folder,
                env={**kept, **environment},
                stdout=output,
                stderr=output,
                start_new_session=True,  # an interrupt at the keyboard is for us, who then stop it
            )

    def __enter__(self) -> Self:
        """Wait until it answers."""
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop it, and whatever it left behind."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            with contextlib.suppress(OSError):
                if ask(self.port, Request("GET", self._ready)).status == HTTPStatus.OK:
                    return
            time.sleep(0.05)
        raise SystemExit(f"A server did not start:\n{self._log.read_text()[-2000:]}")

    def memory(self) -> float:
        """Return the memory of all processes in MiB, what they share counted once; 0 where nobody says."""
        return sum(_proportional(process) for process in _with_children(self._process.pid)) / MEBIBYTE

    def cpu(self) -> float:
        """Return the seconds of CPU that all processes have used; 0 where nobody says."""
        return sum(_used(process) for process in _with_children(self._process.pid))


def _free_port() -> int:
    """Return a port on which nobody listens, and which the system gives to nobody who connects."""
    while True:
        port = random.randrange(10_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def _with_children(process: int) -> list[int]:
    try:
        texts = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    direct = [int(child) for text in texts for child in text.split()]
    return [process, *(deeper for child in direct for deeper in _with_children(child))]


def _proportional(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) * 1024 if match else 0


def _used(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def product(folder: Path, url: str, workers: int) -> Server:
    """Start the product as its README says."""
    words = [*MODULE, "skerry", "--data", str(folder), "--database", url, "serve", "--port", "{port}"]
    return Server([*words, "--workers", str(workers)], folder / "product.log", "/health")


def bare(folder: Path, url: str, workers: int, base: str) -> Server:
    """Start the bare program; ``base`` is the address in its links."""
    words = [*MODULE, "bench.bare", "--database", url, "--port", "{port}", "--workers", str(workers)]
    return Server([*words, "--base", base], folder / "bare.log", "/constant/1")
