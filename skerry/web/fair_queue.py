"""A fair queue of those who wait for a leader: searches have a row of their own and hold up nobody else."""

from collections import deque
from typing import NamedTuple, Protocol

from skerry.web.front import Environment


class Transport(Protocol):
    """The way of one answer back to the caller; only the first is sent."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes, /) -> None:
        """Send the answer."""


class Request(NamedTuple):
    """A request that is to be answered."""

    transport: Transport
    environment: Environment
    searches: bool


class FairQueue:
    """Requests in two rows, of which each gets half of the time, and of the leaders, while both wait."""

    def __init__(self, leaders: int) -> None:
        """Begin with nobody."""
        self._most = max(1, leaders // 2)
        self._searches: deque[Request] = deque()
        self._others: deque[Request] = deque()
        # How many seconds more than the others the searches have had, while both waited.
        self._more = 0.0

    def __bool__(self) -> bool:
        """Say whether anybody waits."""
        return bool(self._searches or self._others)

    def add(self, request: Request) -> None:
        """Let one more wait."""
        (self._searches if request.searches else self._others).append(request)

    def take(self, searching: int) -> Request | None:
        """Give the next one, who is to be answered beside so many searches; None if there is none."""
        if self._others and (not self._searches or searching >= self._most or self._more > 0):
            return self._others.popleft()
        return self._searches.popleft() if self._searches else None

    def charge(self, request: Request, seconds: float) -> None:
        """Note how long a request took that was taken."""
        if not self._searches or not self._others:
            self._more = 0.0
        self._more += seconds if request.searches else -min(seconds, self._more)
