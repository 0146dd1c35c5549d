"""How much one process does at a time: what is worked on at the same time, and what waits at the side."""

from collections.abc import Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic

from skerry.web import front, lanes, transfers
from skerry.web.front import Application, Environment, StartResponse
from skerry.web.metrics import Metrics
from skerry.web.transfers import Transfers

PATIENCE_SECONDS = 0.5
"""How long a request waits for its turn: turns make reading fast, they do not stop anybody."""

_READING = ("GET", "HEAD")


class ConcurrencyLimit:
    """A WSGI application around another, between the front door and the routes.

    Many threads that read at once only hinder each other in one interpreter, so they take turns.
    Who writes waits at the database instead.
    """

    def __init__(self, inside: Application, bodies: Transfers, metrics: Metrics, turns: int) -> None:
        """Let so many requests read at a time."""
        self._inside = inside
        self._transfers = bodies
        self._metrics = metrics
        self._turns: SimpleQueue[None] = SimpleQueue()
        for _ in range(turns):
            self._turns.put(None)

    def __call__(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        environment[transfers.KEY] = self._transfers
        with self._metrics.in_progress:
            if lanes.has_body(environment):
                return self._with_body(environment, start_response)
            if environment.get("REQUEST_METHOD") in _READING and lanes.KEY not in environment:
                return self._in_turn(environment, start_response)
            return self._inside(environment, start_response)

    def _with_body(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        said = environment.get("CONTENT_LENGTH", "")
        length = int(said) if said.isdecimal() else None
        network = front.arrival_of(environment).network
        peer = environment.get("REMOTE_ADDR", "")
        waits = "HTTP_EXPECT" in environment
        environment["wsgi.input"] = body = self._transfers.coming(
            environment["wsgi.input"], peer, length, network, waits=waits
        )
        try:
            return self._inside(environment, start_response)
        finally:
            body.close()

    def _in_turn(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        environment[transfers.LEAVE] = leave = Turn(self._turns, is_taken=self._taken()).leave
        if began := environment.get(lanes.BEGAN):
            began[0] = monotonic()
        try:
            return self._inside(environment, start_response)
        finally:
            leave()

    def _taken(self) -> bool:
        with suppress(Empty):
            self._turns.get_nowait()
            return True
        with self._metrics.waiting, suppress(Empty):
            self._turns.get(timeout=PATIENCE_SECONDS)
            return True
        return False


class Turn:
    """The turn of one request, which may have gone on without any."""

    def __init__(self, turns: "SimpleQueue[None]", *, is_taken: bool) -> None:
        """Belong to those who take turns."""
        self._turns = turns
        self._is_taken = is_taken

    def leave(self) -> None:
        """Let another request have it, once: whoever waits for something far away needs it no more."""
        is_taken, self._is_taken = self._is_taken, False
        if is_taken:
            self._turns.put(None)
