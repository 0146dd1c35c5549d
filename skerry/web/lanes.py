"""Lanes: quick requests are answered one after the other by one thread or a few, all others beside them.

Threads that answer at once hinder each other in one interpreter: every step of a statement lets
another thread in, and that wakes one that waits. So of the server's threads only so many, the leaders,
answer what is quick: one where all work is done inside the process, more where a database elsewhere is
waited for. Another one that comes with a quick request leaves it to them and is parked, so that the
server has one thread less to hand requests to; under load these are soon all but the leaders. Whatever
may take its time is answered by the thread that came with it, while a parked one takes its place.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from typing import Any, NoReturn, Protocol

from skerry.web import authorization
from skerry.web.front import Application, Environment, StartResponse
from skerry.web.log import Log

KEY = "skerry.quick"
"""Where the environment of a request in the quick lane names its leader."""

SLOW_SECONDS = 0.05
"""What works longer than this is not quick."""

STUCK_SECONDS = 0.5
"""So is what takes longer than this, whatever it waits for."""

ASIDE_SECONDS = 10.0
"""How long requests of the same shape go aside after a slow one."""

MOST_SHAPES = 1000
"""How many shapes of slow requests are remembered."""

LONGEST_SHAPE = 200
"""So many characters of each, for nobody is to fill the memory with them."""

_READING = ("GET", "HEAD", "OPTIONS")
_FILES = "/attachments/"
_QUERY = re.compile(r"(?:^|&)q=")
_SHAPE = re.compile(r"[0-9]+|=[^&]*")


class Transport(Protocol):
    """The way of one answer back to the caller; only the first is sent."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes, /) -> None:
        """Send the answer."""


Answer = Callable[[Transport, Environment], Any]
"""Answers a request as an application says, and comes back when all of the answer has gone."""

Request = tuple[Transport, Environment]


class Lanes:
    """Answers requests that the server's threads come with; made once in each process."""

    def __init__(
        self, inside: Application, serve: Callable[[Application], Answer], log: Log, leaders: int = 1
    ) -> None:
        """Answer as an application says, in the way of the server; what fails all the same is logged."""
        self._inside = inside
        self._answer = serve(self._apply)
        self._log = log
        self._lock = Lock()
        self._waiting: deque[Request] = deque()
        self._parked: list[Lock] = []
        self._most = leaders
        # Since when each leader is at his request.
        self._leading: dict[object, float] = {}
        self._slow: dict[str, float] = {}

    @property
    def parked(self) -> int:
        """Say how many threads are kept until they are needed."""
        return len(self._parked)

    def __call__(self, transport: Transport, environment: Environment) -> None:
        """Answer a request, or leave it to a leader."""
        if not may_be_quick(environment) or self._was_slow(environment):
            self._wake_one()
            self._answer(transport, environment)
            return
        if not self._lead((transport, environment)):
            self._park()

    def _apply(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        pieces = self._inside(environment, start_response)
        if KEY in environment and not isinstance(pieces, list):
            # How long it takes to send them is up to the caller.
            self._depose(environment[KEY])
        return pieces

    def watch(self) -> NoReturn:
        """Look after the leaders for as long as the process lives."""
        while True:
            time.sleep(SLOW_SECONDS)
            self.look()

    def look(self) -> None:
        """Depose whoever has been at one request for too long."""
        now = time.monotonic()
        for leader, since in self._leading.copy().items():
            if now - since > SLOW_SECONDS:
                self._depose(leader)

    def _depose(self, leader: object) -> None:
        with self._lock:
            if self._leading.pop(leader, None) is None:
                return
        if not self._wake_one() and self._waiting:
            # Their threads were woken before, and found a leader.
            Thread(target=self._stand_in, daemon=True).start()

    def _stand_in(self) -> None:
        """Lead with a thread that is not the server's: by the end, all of those may be parked."""
        self._lead(None)
        self._wake_one()

    def _lead(self, request: Request | None) -> bool:
        """Answer a request and all that wait, unless enough others lead: then it waits for one of them."""
        me = object()
        with self._lock:
            if len(self._leading) >= self._most:
                self._waiting.extend([request] if request else [])
                return False
            self._leading[me] = time.monotonic()
        request = request or self._next(me)
        while request is not None:
            request[1][KEY] = me
            self._answer_quickly(*request)
            request = self._next(me)
        return True

    def _next(self, leader: object) -> Request | None:
        """Give a leader the next request; there is none for one who was deposed."""
        with self._lock:
            if leader not in self._leading:
                return None
            if self._waiting:
                self._leading[leader] = time.monotonic()
                return self._waiting.popleft()
            del self._leading[leader]
            return None

    def _answer_quickly(self, transport: Transport, environment: Environment) -> None:
        began, worked = time.monotonic(), time.thread_time()
        try:
            self._answer(transport, environment)
        except BaseException as error:  # noqa: BLE001 - others wait for the same thread
            self._log.failure("failure", "", error)
            transport.response_bytes(500, [], b"")
        ended = time.monotonic()
        # On a busy machine everything takes long; only what works or waits for long itself is slow.
        if time.thread_time() - worked > SLOW_SECONDS or ended - began > STUCK_SECONDS:
            self._remember(_shape(environment), ended + ASIDE_SECONDS)

    def _park(self) -> None:
        """Keep this thread until it is needed, unless somebody has ceased to lead; then answer what waits."""
        mine = Lock()
        mine.acquire()
        with self._lock:
            if len(self._leading) < self._most:
                mine.release()
            else:
                self._parked.append(mine)
        mine.acquire()
        self._lead(None)

    def _wake_one(self) -> bool:
        with self._lock:
            if not self._parked:
                return False
            parked = self._parked.pop()
        parked.release()
        return True

    def _was_slow(self, environment: Environment) -> bool:
        return bool(self._slow) and self._slow.get(_shape(environment), 0.0) > time.monotonic()

    def _remember(self, shape: str, until: float) -> None:
        if len(self._slow) >= MOST_SHAPES:
            self._slow.clear()
        self._slow[shape] = until


def may_be_quick(environment: Environment) -> bool:
    """Say whether nothing speaks against a quick answer: no body, no search, no password, no file."""
    return (
        environment["REQUEST_METHOD"] in _READING
        and not has_body(environment)
        and not has_password(environment)
        and not _QUERY.search(environment["QUERY_STRING"])
        and not environment["PATH_INFO"].startswith(_FILES)
    )


def has_body(environment: Environment) -> bool:
    """Say whether a request has a body; some programs say even of a GET that theirs is empty."""
    return environment.get("CONTENT_LENGTH", "0") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environment


def has_password(environment: Environment) -> bool:
    """Say whether there is a password to check, which is made to take long."""
    header: str | None = environment.get("HTTP_AUTHORIZATION")
    return header is not None and authorization.has_password(header)


def _shape(environment: Environment) -> str:
    """Give what requests have in common that ask the same of different things."""
    return _SHAPE.sub("", f"{environment['PATH_INFO']}?{environment['QUERY_STRING']}")[:LONGEST_SHAPE]
