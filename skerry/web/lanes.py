"""Lanes: quick requests are answered one after the other by one thread or a few, all others beside them.

Threads that answer at the same time hinder each other in one interpreter: every step of a statement
lets another thread in, which wakes one that waits. So only a few of the server's threads, the leaders,
answer what is quick: one on SQLite, which works inside the process, and more on PostgreSQL, which is
waited for.

- A thread that comes with a quick request while all leaders are busy leaves it in their queue and is
  parked. The server then has one thread less to hand requests to. Under load soon only the leaders
  are left.
- A request that may take its time is answered by the thread that came with it, while a parked thread
  takes its place. So is a search, unless it is known to be quick.
- A parked thread goes back to the server after a while, which ends those that find nothing to do.

Decision 15 says why, and what was measured.
"""

import re
import time
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from typing import Any, NoReturn

from skerry.web import authorization_header
from skerry.web.fair_queue import FairQueue, Request, Transport
from skerry.web.front import Application, Environment, StartResponse
from skerry.web.log import Log
from skerry.web.quick_searches import SLOW_SECONDS, QuickSearches, Took

KEY = "skerry.quick"
"""The key in a request's environment under which the leader that answers it is named."""

BEGAN = "skerry.began"
"""The key in a request's environment for when its work began, in a list of one moment.

A list, because the server hands on a copy of the environment, and the moment is changed later.
"""

ASIDE_SECONDS = 10.0
"""For how long requests of the same shape are answered aside after a slow one."""

PARKED_SECONDS = 60.0
"""For how long a thread is parked: each costs some 50 KB, and under load all are parked but the leaders."""

MOST_SHAPES = 1000
"""How many shapes of slow requests are remembered."""

LONGEST_SHAPE = 200
"""How many characters of a shape are kept, so that nobody can fill the memory with them."""

_READING = ("GET", "HEAD", "OPTIONS")
# Pictures of people, too: they may be in a bucket, and it may hang.
_FILES = ("/attachments/", "/avatars/")
# Every letter of an address may be written in two ways.
_QUERY = re.compile(r"(?:^|&)(?:q|%71)=")
_SHAPE = re.compile(r"[0-9]+|=[^&]*")


Answer = Callable[[Transport, Environment], Any]
"""Answers a request as an application says, and comes back when all of the answer has gone."""


class Lanes:
    """Answers requests that the server's threads come with; made once in each process."""

    def __init__(
        self, inside: Application, serve: Callable[[Application], Answer], log: Log, leaders: int = 1
    ) -> None:
        """Answer with an application, in the way that ``serve`` gives; failures of that are logged."""
        self._inside = inside
        self._answer = serve(self._apply)
        self._log = log
        self._lock = Lock()
        self._waiting = FairQueue(leaders)
        self._searches = QuickSearches()
        self._parked: list[Lock] = []
        self._most = leaders
        # Since when each leader is at which request.
        self._leading: dict[object, tuple[float, Request | None]] = {}
        self._slow: dict[str, float] = {}

    @property
    def parked(self) -> int:
        """Say how many threads are kept until they are needed."""
        return len(self._parked)

    def __call__(self, transport: Transport, environment: Environment) -> None:
        """Answer a request, or leave it to a leader."""
        is_simple = may_be_quick(environment)
        request = Request(transport, environment, is_simple and is_search(environment))
        if not is_simple or not self._is_quick(request):
            self._wake_one()
            self._answer_aside(request)
        elif (parked := self._lead(request)) and self._is_woken(parked):
            self._lead(None)

    def _is_quick(self, request: Request) -> bool:
        if request.searches:
            return self._searches.is_quick(request.environment)
        return not self._was_slow(request.environment)

    def _answer_aside(self, request: Request) -> None:
        took = self._timed(request)
        if request.searches:
            self._searches.note(request.environment, took)

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
        """Take the lead from whoever has been at one request for too long."""
        now = time.monotonic()
        for leader, (since, _) in self._leading.copy().items():
            if now - since > SLOW_SECONDS:
                self._depose(leader)

    def _depose(self, leader: object) -> None:
        with self._lock:
            if self._leading.pop(leader, None) is None:
                return
        if not self._wake_one() and self._waiting:
            # No parked thread is left to answer those that wait: theirs were woken before, and went.
            Thread(target=self._stand_in, daemon=True).start()

    def _stand_in(self) -> None:
        """Lead with a thread that is not the server's: by the end, all of those may be parked."""
        self._lead(None)
        self._wake_one()

    def _lead(self, request: Request | None) -> "Lock | None":
        """Answer a request and all that wait; if there are enough leaders, leave it to them.

        In that case it gives a lock: the thread that came with the request is to wait for it.
        """
        me = object()
        with self._lock:
            if len(self._leading) >= self._most:
                return self._park(request) if request else None
            self._leading[me] = time.monotonic(), request
        request = request or self._next(me)
        while request is not None:
            request.environment[KEY] = me
            self._answer_quickly(request)
            request = self._next(me)
        return None

    def _park(self, request: Request) -> Lock:
        # Our own lock is held here, so that no leader can end in between.
        self._waiting.add(request)
        parked = Lock()
        parked.acquire()
        self._parked.append(parked)
        return parked

    def _is_woken(self, parked: Lock) -> bool:
        """Wait until this thread is needed; False if it was not for so long that it may go."""
        if parked.acquire(timeout=PARKED_SECONDS):
            return True
        with self._lock:
            if parked not in self._parked:
                # It has been chosen just now.
                return True
            self._parked.remove(parked)
        return False

    def _searching(self) -> int:
        return sum(request is not None and request.searches for _, request in self._leading.values())

    def _next(self, leader: object) -> Request | None:
        """Give a leader the next request; none to a thread that has lost the lead."""
        with self._lock:
            if leader not in self._leading:
                return None
            now = time.monotonic()
            since, before = self._leading.pop(leader)
            if before:
                self._waiting.charge(before, now - since)
            request = self._waiting.take(self._searching())
            if request:
                self._leading[leader] = now, request
            return request

    def _answer_quickly(self, request: Request) -> None:
        try:
            took = self._timed(request)
        except BaseException as error:  # noqa: BLE001 - others wait for the same thread
            self._log.failure("failure", "", error)
            request.transport.response_bytes(500, [], b"")
            return
        if request.searches:
            self._searches.note(request.environment, took)
            self._searches.regret(took)
        elif took.is_slow:
            self._remember(_shape(request.environment), time.monotonic() + ASIDE_SECONDS)

    def _timed(self, request: Request) -> Took:
        began, worked = [time.monotonic()], time.thread_time()
        request.environment[BEGAN] = began
        self._answer(request.transport, request.environment)
        # The time for which it waited for its turn does not count: the application moves the beginning.
        return Took(time.monotonic() - began[0], time.thread_time() - worked)

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
    """Say whether nothing speaks against a quick answer: no body, no password, no file."""
    return (
        environment["REQUEST_METHOD"] in _READING
        and not has_body(environment)
        and not has_password(environment)
        and not environment["PATH_INFO"].startswith(_FILES)
    )


def is_search(environment: Environment) -> bool:
    """Say whether something is searched for, which may take any time."""
    return _QUERY.search(environment["QUERY_STRING"]) is not None


def has_body(environment: Environment) -> bool:
    """Say whether a request has a body; some programs say even of a GET that theirs is empty."""
    return environment.get("CONTENT_LENGTH", "0") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environment


def has_password(environment: Environment) -> bool:
    """Say whether there is a password to check, which is made to take long."""
    header: str | None = environment.get("HTTP_AUTHORIZATION")
    return header is not None and authorization_header.has_password(header)


def _shape(environment: Environment) -> str:
    """Give the address without its numbers and values, which like requests have in common."""
    return _SHAPE.sub("", f"{environment['PATH_INFO']}?{environment['QUERY_STRING']}")[:LONGEST_SHAPE]
