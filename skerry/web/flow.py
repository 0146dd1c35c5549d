"""Slow clients: what comes or goes piece by piece waits at seats of its own, and not for ever.

A request has one of the server's threads from its first line on, and nothing interrupts a thread
that waits for the next piece. So the server has many more threads than requests are worked on at a
time; bodies are read by threads beside those, for which a request waits only so long; and both
ways have so few seats that threads are always left for everybody else. A thread that nobody waits
for any more ends when its client goes, or is found to be gone (``peers.py``).
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Protocol

from skerry.errors import TooSlow, Unavailable

SEATS = 32
"""How many bodies may be on their way in at a time, and how many files on their way out."""

MOST_LEFT_BEHIND = 8 * SEATS
"""How many threads may wait for clients who were told that they are too slow, and stay."""

BYTES_A_SECOND = 4096
"""So many bytes that have come lengthen the time for the rest by a second."""

KEY = "skerry.flow"

BUSY = "Too many others send or fetch something at the moment; try again shortly"


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end."""


class Flow:
    """The seats of one process, and how many seconds a body has."""

    def __init__(self, seconds: float, seats: int = SEATS) -> None:
        """Begin with all seats free."""
        self._seconds = seconds
        self._coming = Seats(seats)
        self._left_behind = Seats(MOST_LEFT_BEHIND)
        self._going = Seats(seats)
        self._idle: SimpleQueue[Reader] = SimpleQueue()

    def coming(self, stream: Readable) -> "Body":
        """Give a body that has to come in time; whoever asks for it closes it."""
        return Body(stream, self._seconds, self)

    def begun(self) -> "Reader":
        """Give somebody who reads; raises Unavailable if no seat is free."""
        self._coming.take()
        try:
            return self._idle.get_nowait()
        except Empty:
            return Reader()

    def done(self, reader: "Reader") -> None:
        """Take back somebody who has read."""
        self._idle.put(reader)
        self._coming.leave()

    def leave_behind(self, reader: "Reader") -> None:
        """Wait no longer for somebody who reads; while too many are left behind, the seat stays taken."""
        try:
            self._left_behind.take()
        except Unavailable:
            reader.end(self._coming.leave)
        else:
            reader.end(self._left_behind.leave)
            self._coming.leave()

    def going(self, pieces: Iterator[bytes]) -> "Pieces":
        """Give the pieces of an answer a seat until they are closed; raises Unavailable without one."""
        self._going.take()
        return Pieces(pieces, self._going)


class Seats:
    """So many may sit down, and nobody waits."""

    def __init__(self, number: int) -> None:
        """Begin with all seats free."""
        self._free = number
        self._lock = Lock()

    def take(self) -> None:
        """Sit down; raises Unavailable if no seat is free."""
        with self._lock:
            if not self._free:
                raise Unavailable(BUSY)
            self._free -= 1

    def leave(self) -> None:
        """Stand up."""
        with self._lock:
            self._free += 1


class Body:
    """A body that comes while somebody waits, but not for ever."""

    def __init__(self, stream: Readable, seconds: float, flow: Flow) -> None:
        """Take no seat before the first byte is wanted."""
        self._stream = stream
        self._seconds = seconds
        self._flow = flow
        self._reader: Reader | None = None
        self._until = 0.0

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end.

        Raises TooSlow if they do not come in time, Unavailable if too many others are being read.
        """
        if self._reader is None:
            self._reader = self._flow.begun()
            self._until = time.monotonic() + self._seconds
        try:
            piece = self._reader.read(self._stream, size, max(0.0, self._until - time.monotonic()))
        except Empty as error:
            self._flow.leave_behind(self._reader)
            self._reader = None
            raise TooSlow from error
        self._until += len(piece) / BYTES_A_SECOND
        return piece

    def close(self) -> None:
        """Leave the seat to the next."""
        if self._reader:
            self._flow.done(self._reader)
            self._reader = None


class Reader:
    """A thread that reads for one request after the other."""

    def __init__(self) -> None:
        """Start; a process may end while the thread waits."""
        self._wanted: SimpleQueue[Callable[[], bytes] | None] = SimpleQueue()
        self._come: SimpleQueue[bytes | Exception] = SimpleQueue()
        self._at_the_end: Callable[[], object] = int
        Thread(target=self._run, name="body", daemon=True).start()

    def _run(self) -> None:
        while (read := self._wanted.get()) is not None:
            try:
                self._come.put(read())
            except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for the bytes
                self._come.put(error)
        self._at_the_end()

    def read(self, stream: Readable, size: int, seconds: float) -> bytes:
        """Give what the stream gives; raises Empty if that takes longer, and then can only be ended."""
        self._wanted.put(partial(stream.read, size))
        come = self._come.get(timeout=seconds)
        if isinstance(come, Exception):
            raise come
        return come

    def end(self, at_the_end: Callable[[], None]) -> None:
        """Let the thread end when it comes back, and do something then."""
        self._at_the_end = at_the_end
        self._wanted.put(None)


class Pieces:
    """An answer that goes piece by piece."""

    def __init__(self, pieces: Iterator[bytes], seats: Seats) -> None:
        """Hold a seat that was taken."""
        self._pieces = pieces
        self._seats: Seats | None = seats

    def __iter__(self) -> Iterator[bytes]:
        """Give the pieces."""
        return self

    def __next__(self) -> bytes:
        """Give the next piece; the seat is free again after the last one."""
        try:
            return next(self._pieces)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the seat to the next, however far the answer came."""
        seats, self._seats = self._seats, None
        if seats:
            seats.leave()
