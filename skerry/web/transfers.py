"""Slow transfers: what comes or goes piece by piece waits in slots of its own, and not for ever.

A request has one of the server's threads from its first line on. So the server has many more
threads than requests are worked on at a time, and what is slow has so few slots that threads are
always left for everybody else. A thread that waits for the rest of a body cannot be interrupted;
but when its time is over, nothing more is taken from the client, and so it comes back.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from typing import Protocol

from skerry.errors import TooSlow, Unavailable
from skerry.web import tcp_connections

COMING_SLOTS = 96
GOING_SLOTS = 32

EARLY_SLOTS = 48
"""So many of the bodies that come may be ones that are read before it is known who sends them, from one
network half of that: nobody keeps others from signing in from a single machine."""

BYTES_A_SECOND = 4096
"""So many bytes that have come lengthen the time for the rest by a second."""

LOOK_SECONDS = 5.0
"""How long one who is late is looked at before nothing more is taken."""

REST = 16 << 20
"""So many bytes of a body that was refused are read away: who is still sending them, such as a proxy, may
not look for an answer before."""

SILENCE = 0.9
"""For such a share of a late body's time nothing was sent to its client, who may be told to go on first."""

KEY = "skerry.transfers"

BUSY = "Too many others send or fetch something at the moment; try again shortly"


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end."""


class Transfers:
    """The slots of one process, and how many seconds a body has."""

    def __init__(
        self,
        seconds: float,
        coming: int = COMING_SLOTS,
        going: int = GOING_SLOTS,
        early: int = EARLY_SLOTS,
    ) -> None:
        """Begin with all slots free."""
        self._seconds = seconds
        self._coming = Slots(coming)
        self._early = Slots(early, -(-early // 2))
        self._going = Slots(going)
        self._bodies: set[Body] = set()

    def coming(self, stream: Readable, address: str, length: int | None = None, network: str = "") -> "Body":
        """Give a body that comes from a network address; whoever asks for it closes it.

        ``length`` is how many bytes it has, None if it does not say; ``network`` what its sender is told from
        others by.
        """
        return Body(stream, address, self, length, network)

    def begin(self, body: "Body") -> float:
        """Give a body a slot, and the moment until which it has time; raises Unavailable without one."""
        if body.is_early:
            self._early.take(body.network)
        try:
            self._coming.take()
        except Unavailable:
            self.arrived(body)
            raise
        self._bodies.add(body)
        return self.limit()

    def limit(self) -> float:
        """Give the moment until which has time what begins now."""
        return time.monotonic() + self._seconds

    def arrived(self, body: "Body") -> None:
        """Take back what a body needs for as long as it comes."""
        if body.is_early:
            body.is_early = False
            self._early.leave(body.network)

    def end(self, body: "Body") -> None:
        """Take back the slot of a body."""
        self._bodies.discard(body)
        self.arrived(body)
        self._coming.leave()

    def going(self, pieces: Iterator[bytes]) -> "Pieces":
        """Give the pieces of an answer a slot until they are closed; raises Unavailable without one."""
        self._going.take()
        return Pieces(pieces, self._going)

    def watch(self) -> None:
        """Take nothing more from clients who are too slow, for as long as the process lives."""
        look = min(LOOK_SECONDS, self._seconds)
        while True:
            silence = self.silence()
            before = tcp_connections.received(silence) if silence else {}
            time.sleep(look)
            for connection, received in tcp_connections.received(silence).items() if before else ():
                if connection in before and received - before[connection] < BYTES_A_SECOND * look:
                    tcp_connections.take_no_more(connection)

    def silence(self) -> dict[str, float]:
        """Give for how many seconds nothing was sent to clients who are late, by their addresses.

        No request says by which connection it came. Others with the same address, as behind a proxy, may wait
        for their answers, which granian gives to nobody from whom nothing more is taken.
        """
        silence: dict[str, float] = {}
        for body in self._bodies.copy():
            if body.is_late:
                silence[body.address] = min(SILENCE * body.age, silence.get(body.address, math.inf))
        return silence


class Slots:
    """So many at a time, and so many of them for each holder; nobody waits."""

    def __init__(self, number: int, each: int | None = None) -> None:
        """Begin with all slots free."""
        self._free = number
        self._each = number if each is None else each
        self._held: Counter[str] = Counter()
        self._lock = Lock()

    def take(self, holder: str = "") -> None:
        """Take one; raises Unavailable if no slot is free."""
        with self._lock:
            if not self._free or self._held[holder] >= self._each:
                raise Unavailable(BUSY)
            self._free -= 1
            self._held[holder] += 1

    def leave(self, holder: str = "") -> None:
        """Give one back."""
        with self._lock:
            self._free += 1
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]


class Body:
    """A body that has to come in time; ``is_early`` until it is known who sends it."""

    def __init__(
        self, stream: Readable, address: str, transfers: Transfers, length: int | None, network: str
    ) -> None:
        """Take no slot before the first byte is wanted."""
        self.address = address
        self.network = network
        self.is_early = True
        self._stream = stream
        self._transfers = transfers
        self._left = math.inf if length is None else length
        self._since = 0.0
        self._until: float | None = None

    @property
    def age(self) -> float:
        """Say for how many seconds it is coming."""
        return time.monotonic() - self._since

    @property
    def is_late(self) -> bool:
        """Say whether its time is over."""
        # Whoever asks for another thread's may find it closed in between.
        until = self._until
        return until is not None and time.monotonic() > until

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end.

        Raises TooSlow if it ends after its time, Unavailable if too many others are being read.
        """
        if self._until is None:
            self._since = time.monotonic()
            self._until = self._transfers.begin(self)
        piece = self._stream.read(size)
        if len(piece) < size and self.is_late:
            raise TooSlow
        self._until += len(piece) / BYTES_A_SECOND
        self._left -= len(piece)
        if len(piece) < size or self._left <= 0:
            # It is there as a whole: what is done with it may take its time.
            self._until = math.inf
            self._transfers.arrived(self)
        return piece

    def close(self) -> None:
        """Leave the slot to the next, once a small rest that nobody asked for is read, or late."""
        if self._until is not None:
            # The answer waits for it, and what has come before has earned more time than that.
            self._until = min(self._until, self._transfers.limit())
            with suppress(OSError):
                while 0 < self._left <= REST and not self.is_late and (piece := self._stream.read(65536)):
                    self._left -= len(piece)
            self._until = None
            self._transfers.end(self)


class Pieces:
    """An answer that goes piece by piece."""

    def __init__(self, pieces: Iterator[bytes], slots: Slots) -> None:
        """Hold a slot that was taken."""
        self._pieces = pieces
        self._slots: Slots | None = slots

    def __iter__(self) -> Iterator[bytes]:
        """Give the pieces."""
        return self

    def __next__(self) -> bytes:
        """Give the next piece; the slot is free again after the last one."""
        try:
            return next(self._pieces)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the slot to the next, however far the answer came."""
        slots, self._slots = self._slots, None
        if slots:
            slots.leave()
