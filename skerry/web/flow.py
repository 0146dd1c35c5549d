"""Slow clients: what comes or goes piece by piece waits at seats of its own, and not for ever.

A request has one of the server's threads from its first line on, and nothing interrupts a thread
that waits for the next piece. So the server has many more threads than requests are worked on at a
time; bodies are read by threads beside those, for which a request waits only so long; and both
ways have so few seats that threads are always left for everybody else.
"""

import time
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Protocol

from skerry.errors import TooSlow, Unavailable

SEATS = 32
"""How many bodies may be on their way in at a time, and how many files on their way out."""

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
        self._going = Seats(seats)
        self._idle: SimpleQueue[Reader] = SimpleQueue()

    def coming(self, stream: Readable) -> "Body":
        """Give a body that has to come in time; whoever asks for it closes it."""
        return Body(stream, self._seconds, self._coming, self._idle)

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

    def __init__(self, stream: Readable, seconds: float, seats: Seats, idle: "SimpleQueue[Reader]") -> None:
        """Take no seat before the first byte is wanted."""
        self._stream = stream
        self._seconds = seconds
        self._seats = seats
        self._idle = idle
        self._reader: Reader | None = None
        self._until = 0.0

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end.

        Raises TooSlow if they do not come in time, Unavailable if too many others are being read.
        """
        reader = self._reader or self._begun()
        try:
            piece = reader.read(self._stream, size, max(0.0, self._until - time.monotonic()))
        except Empty as error:
            self._give_up()
            raise TooSlow from error
        self._until += len(piece) / BYTES_A_SECOND
        return piece

    def _begun(self) -> "Reader":
        self._seats.take()
        try:
            self._reader = self._idle.get_nowait()
        except Empty:
            self._reader = Reader()
        self._until = time.monotonic() + self._seconds
        return self._reader

    def _give_up(self) -> None:
        # The connection is closed after the answer, and that ends what the thread waits for.
        if self._reader:
            self._reader.end()
            self._reader = None
            self._seats.leave()

    def close(self) -> None:
        """Leave the seat to the next."""
        if self._reader:
            self._idle.put(self._reader)
            self._reader = None
            self._seats.leave()


class Reader:
    """A thread that reads for one request after the other."""

    def __init__(self) -> None:
        """Start; a process may end while the thread waits."""
        self._wanted: SimpleQueue[tuple[Readable, int] | None] = SimpleQueue()
        self._come: SimpleQueue[bytes | Exception] = SimpleQueue()
        Thread(target=self._run, name="body", daemon=True).start()

    def _run(self) -> None:
        while (wanted := self._wanted.get()) is not None:
            stream, size = wanted
            try:
                self._come.put(stream.read(size))
            except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for the bytes
                self._come.put(error)

    def read(self, stream: Readable, size: int, seconds: float) -> bytes:
        """Give what the stream gives; raises Empty if that takes longer, and is then used no more."""
        self._wanted.put((stream, size))
        come = self._come.get(timeout=seconds)
        if isinstance(come, Exception):
            raise come
        return come

    def end(self) -> None:
        """Let the thread end when it comes back."""
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
