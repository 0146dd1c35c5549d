"""Loads a server with one request on several connections: with wrk, or without it with plain Python."""

import http.client
import json
import math
import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import astuple, dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol
from uuid import uuid4

SCRIPT = Path(__file__).with_name("load.lua")
WRK = shutil.which("wrk")
CLIENT = "wrk" if WRK else "plain Python"
PATIENCE_SECONDS = 20

# So many answers warm up every worker, and show how long one usually is.
WARM_UP = 9

# The plain client is itself slow, so it takes two processes at most.
MAX_PROCESSES = 2

REFUSED = 400


class WrongAnswerError(Exception):
    """A server said something else than it must; the text says what."""


@dataclass(frozen=True)
class Request:
    """A request; ``@number@`` in path and body is a number up to ``highest``, ``@unique@`` is no other's."""

    method: str
    path: str
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    highest: int = 1


@dataclass(frozen=True)
class Answer:
    """An answer, and how many bytes its head had, nearly."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    head: int


@dataclass(frozen=True)
class Figures:
    """What was measured: requests a second, milliseconds, and the server's microseconds of CPU a request."""

    rate: float
    p50: float
    p99: float
    cpu: float


class Watched(Protocol):
    """A server on a port, whose CPU time is known."""

    port: int

    def cpu(self) -> float:
        """Return the seconds of CPU that it has used."""


def ask(port: int, request: Request) -> Answer:
    """Send a request once."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        return _sent(connection, request, uuid4().hex)
    finally:
        connection.close()


def ask_some(port: int, request: Request) -> Answer:
    """Send a request some times, and return the answer of middle length.

    Of random tickets, one that was changed more often than the others would say nothing of them.
    """
    answers = [ask(port, request) for _ in range(WARM_UP)]
    return sorted(answers, key=lambda answer: len(answer.body))[WARM_UP // 2]


def _sent(connection: http.client.HTTPConnection, request: Request, unique: str) -> Answer:
    number = str(random.randint(1, request.highest))
    path, body = (
        text.replace("@number@", number).replace("@unique@", unique) for text in (request.path, request.body)
    )
    connection.request(request.method, path, body.encode() or None, dict(request.headers))
    answer = connection.getresponse()
    head = 19 + sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
    return Answer(answer.status, answer.headers, answer.read(), head)


def measure(server: Watched, request: Request, size: int, connections: int, seconds: float = 1) -> Figures:
    """Send a request for some seconds; raises WrongAnswerError unless the answers have this size in bytes."""
    # wrk counts whole seconds only.
    run, before = _with_wrk if WRK and seconds >= 1 else _with_python, server.cpu()
    said = run(server.port, request, connections, seconds)
    cpu = server.cpu() - before
    if said["refused"] or said["broken"] or not said["requests"]:
        raise WrongAnswerError(f"{request.method} {request.path} under load: {said}")
    mean = said["bytes"] / said["requests"]
    # Texts differ by some digits. Tickets taken at random differ much, the more the longer data are kept and
    # written to: of them an answer without its body is told.
    least, most = (0.4, 2.5) if "@number@" in request.path else (0.9, 1.1)
    # What was under way at the end is counted in bytes only.
    if not least * size - 20 <= mean <= (most + connections / said["requests"]) * size + 20:
        raise WrongAnswerError(f"{request.path} has {mean:.0f} bytes under load, not {size}")
    rate = said["requests"] / said["microseconds"] * 1e6
    return Figures(rate, said["p50"] / 1000, said["p99"] / 1000, cpu / said["requests"] * 1e6)


def median(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each figure over some rounds."""
    return Figures(*(statistics.median(each) for each in zip(*map(astuple, rounds), strict=True)))


def _with_wrk(port: int, request: Request, connections: int, seconds: float) -> dict[str, float]:
    options = [
        "-t1",
        f"-c{connections}",
        f"-d{round(seconds)}s",
        f"--timeout={PATIENCE_SECONDS}s",
        f"-s{SCRIPT}",
    ]
    headers = [f"-H{name}: {value}" for name, value in request.headers.items()]
    words = [request.method, request.path, request.body, str(request.highest), uuid4().hex]
    done = subprocess.run(
        [str(WRK), *options, *headers, f"http://127.0.0.1:{port}", "--", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WrongAnswerError(f"wrk failed: {done.stderr or done.stdout}")
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def _with_python(port: int, request: Request, connections: int, seconds: float) -> dict[str, float]:
    processes = min(connections, MAX_PROCESSES)
    share = partial(_several, port, request, seconds)
    began = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        shares = [connections // processes + (place < connections % processes) for place in range(processes)]
        found = [each for part in pool.map(share, shares) for each in part]
    times = sorted(taken for taken, _, _ in found)
    return {
        "requests": len(found),
        "microseconds": min(time.perf_counter() - began, seconds) * 1e6,
        "bytes": sum(size for _, size, _ in found),
        "refused": sum(status >= REFUSED for _, _, status in found),
        "broken": 0,
        "p50": _percentile(times, 0.50),
        "p99": _percentile(times, 0.99),
    }


def _several(port: int, request: Request, seconds: float, connections: int) -> list[tuple[float, int, int]]:
    """Return microseconds, bytes and status of each answer on so many connections."""
    with ThreadPoolExecutor(connections) as pool:
        each = pool.map(lambda _: list(_one_after_another(port, request, seconds)), range(connections))
        return [found for several in each for found in several]


def _one_after_another(port: int, request: Request, seconds: float) -> Iterator[tuple[float, int, int]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    run, until = uuid4().hex, time.perf_counter() + seconds
    for number in count():
        began = time.perf_counter()
        # One is sent in any case, also where the machine had no time for us.
        if number and began >= until:
            break
        answer = _sent(connection, request, f"{run}{number}")
        yield (time.perf_counter() - began) * 1e6, answer.head + len(answer.body), answer.status
    connection.close()


def _percentile(ordered: list[float], part: float) -> float:
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)] if ordered else 0.0
