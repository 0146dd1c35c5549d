"""The metrics of all workers together, in the Prometheus format."""

import hmac
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

import falcon
from falcon.asgi import Request, Response

from skerry.errors import SkerryError
from skerry.store.sending.backlogs import Total
from skerry.web.auth import authorization_header
from skerry.web.metrics import BOUNDS, Metrics, Row, Snapshot
from skerry.web.metrics_files import MetricsFiles

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_LEVELS = {
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


def text(snapshots: list[Snapshot], backlog: Total | None = None) -> bytes:
    """Return the metrics of all processes in the Prometheus format, and the backlog if it is known."""
    # Imported on demand: most installations never use it, and it needs memory.
    from prometheus_client import generate_latest  # noqa: PLC0415

    return generate_latest(_Collected(snapshots, backlog))


class _Collected:
    """A prometheus-client collector of the metrics."""

    def __init__(self, snapshots: list[Snapshot], backlog: Total | None) -> None:
        self._snapshots, self._backlog = snapshots, backlog

    def collect(self) -> Iterable["Metric"]:
        """Yield the metrics."""
        yield from _of_requests(self._snapshots)
        yield from _of_transactions(self._snapshots)
        yield from _of_processes(self._snapshots)
        if self._backlog is not None:
            yield from _of_backlog(self._backlog)


def _of_requests(snapshots: list[Snapshot]) -> Iterable["Metric"]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily  # noqa: PLC0415 - as in `text`

    rows = [row for snapshot in snapshots for row in snapshot["requests"]]
    answers = CounterMetricFamily(
        "skerry_requests", "Responses by route and status.", labels=["method", "route", "status"]
    )
    for (method, route, status), counts in _summed(rows, 3).items():
        answers.add_metric([method, route, status], sum(counts[1:]))
    yield answers
    duration = HistogramMetricFamily(
        "skerry_request_seconds", "Seconds until the response begins.", labels=["method", "route"]
    )
    for (method, route), (seconds, *steps) in _summed([[*row[:2], *row[3:]] for row in rows], 2).items():
        ends = [*(str(bound) for bound in BOUNDS), "+Inf"]
        heights = [(end, sum(steps[: place + 1])) for place, end in enumerate(ends)]
        duration.add_metric([method, route], heights, seconds)
    yield duration


def _of_transactions(snapshots: list[Snapshot]) -> Iterable["Metric"]:
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415 - as in `text`

    rows = [[kind, *counts] for each in snapshots for kind, counts in each["transactions"].items()]
    number = CounterMetricFamily("skerry_database_transactions", "Committed transactions.", labels=["kind"])
    seconds = CounterMetricFamily(
        "skerry_database_seconds", "Seconds spent in the database or waiting for it.", labels=["kind"]
    )
    for (kind,), counts in _summed(rows, 1).items():
        number.add_metric([kind], counts[0])
        seconds.add_metric([kind], counts[1])
    yield number
    yield seconds


def _of_processes(snapshots: list[Snapshot]) -> Iterable["Metric"]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415 - as in `text`

    for name, meaning in _LEVELS.items():
        now = sum(snapshot["levels"].get(name, 0) for snapshot in snapshots)
        yield GaugeMetricFamily(f"skerry_{name}", meaning, value=now)
    spent = sum(snapshot["cpu_seconds"] for snapshot in snapshots)
    yield CounterMetricFamily("skerry_cpu_seconds", "Processor time of all workers together.", value=spent)


def _of_backlog(backlog: Total) -> Iterable["Metric"]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - as in `text`

    for name, meaning, label, values in (
        ("events_behind", "Events that a reader has not read yet.", "reader", backlog.readers),
        (
            "hooks",
            "Hooks that are active, failing or off.",
            "state",
            backlog.hooks,
        ),
        ("mails", "Mails that are queued, and mails that the mail server refused.", "state", backlog.mails),
    ):
        gauge = GaugeMetricFamily(f"skerry_{name}", meaning, labels=[label])
        for value, count in values.items():
            gauge.add_metric([value], count)
        yield gauge
    for name, meaning, count in (
        (
            "hook_events_waiting",
            "Events that active hooks have not received yet, in total.",
            backlog.hook_events,
        ),
        ("mail_outages", "Accounts whose mails the mail server does not accept.", backlog.outages),
        ("sending_paused", "Accounts in which sending is paused.", backlog.paused),
    ):
        yield GaugeMetricFamily(f"skerry_{name}", meaning, value=count)


def _summed(rows: Iterable[Row], names: int) -> dict[tuple[str, ...], list[float]]:
    """Return the sums of rows with the same labels."""
    sums: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        key, counts = tuple(row[:names]), row[names:]
        sums[key] = [a + b for a, b in zip(sums[key], counts, strict=True)] if key in sums else list(counts)
    return sums
