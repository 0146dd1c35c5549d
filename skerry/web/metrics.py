"""Metrics: counted by each process, shared in files, and shown for all workers together.

Each worker writes its metrics to a file every few seconds and before it responds, so that no published
counter decreases. The worker that handles a request for the metrics adds them up, in the Prometheus format.
"""

import hmac
import json
import os
import resource
import sys
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address
from itertools import accumulate, zip_longest
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import falcon
from falcon.asgi import Request, Response

from skerry.errors import SkerryError
from skerry.store.sending.backlogs import Total
from skerry.web import authorization_header

if TYPE_CHECKING:
    from prometheus_client.core import Metric

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram's buckets in seconds; one more bucket follows the last."""

ROUTE = "skerry.route"
"""The key in the scope of a request for the template of the matched path."""

OTHER = "other"

KINDS = ("read", "write")
"""The kinds of transactions."""

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Other methods are counted as one: each would be a new series, or put a secret into the log."""

EVERY_SECONDS = 5
"""How often each worker writes its metrics."""

Snapshot = dict[str, Any]
"""The metrics of a process as JSON values."""

Labels = tuple[str, ...]

Described = tuple[str, str, Labels, Mapping[Labels, float]]
"""A metric: its name, its meaning, the names of its labels, and the value for each of these."""

_GAUGES = {
    "requests_in_progress": "Requests in progress.",
    "requests_waiting": "Calls running in threads or waiting for a thread.",
    "database_connections_in_use": "Connections to the database in use.",
    "resident_memory_bytes": "Peak memory of all workers together.",
    "open_files": "Open files and connections of all workers together.",
    "event_streams": "Open streams of events.",
    "workers": "Worker processes.",
}

# Headers that proxies add to requests.
_HANDED_ON = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via")

# The periodic writer and the endpoint write the same file; the lock keeps their order.
_writing = Lock()


class Gauge:
    """A gauge of how many ``with`` blocks are active."""

    def __init__(self) -> None:
        self.now = 0
        self._lock = Lock()

    def __enter__(self) -> None:
        """Increment the gauge."""
        with self._lock:
            self.now += 1

    def __exit__(self, *_error: object) -> None:
        """Decrement the gauge."""
        with self._lock:
            self.now -= 1


class Metrics:
    """The metrics of one process since it started."""

    def __init__(
        self,
        pool: Callable[[], int] = lambda: 0,
        waiting: Callable[[], int] = lambda: 0,
        streams: Callable[[], int] = lambda: 0,
    ) -> None:
        """Create metrics at zero.

        ``pool`` returns the number of connections in use, ``waiting`` that of queued calls, ``streams`` that
        of event streams.
        """
        self._waiting, self._streams = waiting, streams
        self.in_progress = Gauge()
        self._pool = pool
        self._requests: dict[tuple[str, str, str], list[float]] = {}
        self._transactions: dict[str, list[float]] = {kind: [0, 0.0] for kind in KINDS}
        self._lock = Lock()

    def request(self, method: str, route: str | None, status: str, seconds: float) -> None:
        """Count a response; ``route`` is the template of the path, or None for an unknown path."""
        key = (method if method in METHODS else OTHER, route or OTHER, status)
        step = bisect_left(BOUNDS, seconds) + 1
        with self._lock:
            counts = self._requests.get(key)
            if counts is None:
                # The sum of seconds, then the number of requests in each bucket.
                counts = self._requests[key] = [0.0] * (len(BOUNDS) + 2)
            counts[0] += seconds
            counts[step] += 1

    def transaction(self, kind: str, seconds: float) -> None:
        """Count a transaction and its duration."""
        with self._lock:
            counts = self._transactions[kind]
            counts[0] += 1
            counts[1] += seconds

    def snapshot(self) -> Snapshot:
        """Return all metrics as JSON values."""
        with self._lock:
            requests = [[*key, *counts] for key, counts in self._requests.items()]
            transactions = {kind: list(counts) for kind, counts in self._transactions.items()}
        return {
            "process": os.getpid(),
            "requests": requests,
            "transactions": transactions,
            "cpu_seconds": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
            "levels": {
                "requests_in_progress": self.in_progress.now,
                "requests_waiting": self._waiting(),
                "database_connections_in_use": self._pool(),
                "resident_memory_bytes": _resident(),
                "open_files": _open_files(),
                "event_streams": self._streams(),
                "workers": 1,
            },
        }


def _resident() -> int:
    """Return the peak memory in bytes; the system reports kilobytes, macOS bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _open_files() -> int:
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names are enough
    except OSError:
        return 0


class MetricsFiles:
    """The files with the metrics of a server's workers."""

    def __init__(self, data: Path) -> None:
        """Create the files' folder on demand, inside the data folder."""
        self._folder = data / "metrics"

    def clear(self) -> None:
        """Remove the files of an earlier server's workers."""
        for path in self._folder.glob("*"):
            path.unlink(missing_ok=True)

    def write(self, take: Callable[[], Snapshot]) -> Snapshot:
        """Take the metrics of this worker, write them if the disk has room, and return them."""
        with _writing:
            snapshot = take()
            part = self._folder / f"{snapshot['process']}.part"
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                part.write_text(json.dumps(snapshot))
                part.replace(part.with_suffix(".json"))
        return snapshot

    def others(self) -> list[Snapshot]:
        """Return the metrics of the other workers, without the gauges of those that have ended."""
        paths = (path for path in self._folder.glob("*.json") if path.stem != str(os.getpid()))
        return [snapshot for path in paths if (snapshot := _read(path))]


def _read(path: Path) -> Snapshot | None:
    try:
        snapshot: Snapshot = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return snapshot if _lives(snapshot["process"]) else {**snapshot, "levels": {}}


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def write_regularly(metrics: Metrics, shared: MetricsFiles) -> None:
    """Write a worker's metrics every few seconds, until the process ends."""
    while True:
        shared.write(metrics.snapshot)
        time.sleep(EVERY_SECONDS)


class MetricsEndpoint:
    """The metrics endpoint; for callers without access it does not exist."""

    def __init__(
        self, metrics: Metrics, files: MetricsFiles, token: str, backlog: Callable[[], Awaitable[Total]]
    ) -> None:
        """Create an endpoint for callers with the token or, without a token, on the same machine.

        ``backlog`` returns the backlog of readers, hooks and mail.
        """
        self._metrics, self._backlog = metrics, backlog
        self._files = files
        self._token = token

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with the metrics."""
        if not (self._has_token(request) if self._token else _is_local(request)):
            raise falcon.HTTPNotFound
        own = self._files.write(self._metrics.snapshot)
        response.content_type = "text/plain; version=0.0.4; charset=utf-8"
        response.set_header("Cache-Control", "no-store")
        backlog = None
        with suppress(SkerryError):
            backlog = await self._backlog()
        response.data = text([own, *self._files.others()], backlog)

    on_head = on_get

    def _has_token(self, request: Request) -> bool:
        scheme, sent = authorization_header.parts(request.get_header("Authorization") or "")
        return scheme == "bearer" and hmac.compare_digest(
            sent.encode("utf-8", "surrogateescape"), self._token.encode("utf-8", "surrogateescape")
        )


def _is_local(request: Request) -> bool:
    if any(request.get_header(name) for name in _HANDED_ON):
        return False
    try:
        return ip_address(request.remote_addr).is_loopback
    except ValueError:
        return False


def text(snapshots: list[Snapshot], backlog: Total | None) -> bytes:
    """Return the metrics of all processes in the Prometheus format, and the backlog if it is known."""
    from prometheus_client import generate_latest  # noqa: PLC0415 - it needs memory, and few use it

    return generate_latest(_Collected(snapshots, backlog))


class _Collected:
    """A prometheus-client collector of the metrics."""

    def __init__(self, snapshots: list[Snapshot], backlog: Total | None) -> None:
        self._snapshots, self._backlog = snapshots, backlog

    def collect(self) -> Iterator["Metric"]:
        """Yield the metrics."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415 - as in `text`

        yield _durations(self._snapshots)
        gauges = [*_gauges(self._snapshots), *(_backlogs(self._backlog) if self._backlog else ())]
        for family, described in (
            (CounterMetricFamily, _counters(self._snapshots)),
            (GaugeMetricFamily, gauges),
        ):
            for name, meaning, labels, values in described:
                metric = family(f"skerry_{name}", meaning, labels=labels)
                for key, value in values.items():
                    metric.add_metric(key, value)
                yield metric


def _durations(snapshots: list[Snapshot]) -> "Metric":
    from prometheus_client.core import HistogramMetricFamily  # noqa: PLC0415 - as in `text`

    duration = HistogramMetricFamily(
        "skerry_request_seconds", "Seconds until the response begins.", labels=["method", "route"]
    )
    rows = (((method, route), counts) for each in snapshots for method, route, _, *counts in each["requests"])
    for labels, (seconds, *steps) in _summed(rows).items():
        heights = zip((*map(str, BOUNDS), "+Inf"), accumulate(steps), strict=True)
        duration.add_metric(labels, [*heights], seconds)
    return duration


def _counters(snapshots: list[Snapshot]) -> Iterator[Described]:
    requests = _summed((tuple(row[:3]), row[3:]) for each in snapshots for row in each["requests"])
    answers = {labels: sum(steps) for labels, (_, *steps) in requests.items()}
    yield "requests", "Responses by route and status.", ("method", "route", "status"), answers
    rows = (((kind,), counts) for each in snapshots for kind, counts in each["transactions"].items())
    spent = _summed(rows)
    number, seconds = ({kind: counts[place] for kind, counts in spent.items()} for place in (0, 1))
    yield "database_transactions", "Committed transactions.", ("kind",), number
    yield "database_seconds", "Seconds spent in the database or waiting for it.", ("kind",), seconds
    cpu = sum(each["cpu_seconds"] for each in snapshots)
    yield "cpu_seconds", "Processor time of all workers together.", (), {(): cpu}


def _gauges(snapshots: list[Snapshot]) -> Iterator[Described]:
    for name, meaning in _GAUGES.items():
        yield name, meaning, (), {(): sum(each["levels"].get(name, 0) for each in snapshots)}


def _backlogs(backlog: Total) -> Iterator[Described]:
    for name, meaning, label, values in (
        ("events_behind", "Events that a reader has not read yet.", "reader", backlog.readers),
        ("hooks", "Hooks that are active, failing or off.", "state", backlog.hooks),
        ("mails", "Mails that are queued, and mails that the mail server refused.", "state", backlog.mails),
    ):
        yield name, meaning, (label,), {(value,): count for value, count in values.items()}
    waiting = "Events that active hooks have not received yet, in total."
    yield "hook_events_waiting", waiting, (), {(): backlog.hook_events}
    outages = "Accounts whose mails the mail server does not accept."
    yield "mail_outages", outages, (), {(): backlog.outages}
    yield "sending_paused", "Accounts in which sending is paused.", (), {(): backlog.paused}


def _summed(rows: Iterable[tuple[Labels, list[float]]]) -> dict[Labels, list[float]]:
    """Return the sums of the numbers with the same labels."""
    sums: dict[Labels, list[float]] = {}
    for labels, counts in rows:
        sums[labels] = [a + b for a, b in zip_longest(sums.get(labels, ()), counts, fillvalue=0.0)]
    return sums
