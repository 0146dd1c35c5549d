"""Slow transfers: bodies that come and files that go have slots of their own, bodies a limit of time too.

A request occupies one of the server's threads from its first line on. So the server has many more
threads than it works on requests at a time, and slow transfers have so few slots that threads are
always left for everybody else.

A thread that waits for the rest of a body cannot be interrupted. When the time of the body is over,
the connection is shut for reading instead, so that the thread's wait ends.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain

from skerry.errors import TooSlow, Unavailable
from skerry.web import tcp_connections
from skerry.web.slots import COMING_SLOTS, FETCHED_SLOTS, GOING_SLOTS, Slots
from skerry.wire.uploads import Readable

BYTES_A_SECOND = 4096
"""For each so many bytes that have come, the rest has a second more."""

LOOK_SECONDS = 5.0
"""For how long a late client is watched before its connection is shut for reading."""

REST = 16 << 20
"""At most so many bytes of a refused body are read to its end: a client that is still sending, such as a
proxy, may not look for an answer before."""

SILENCE = 0.9
"""A connection may belong to a late body if nothing was sent on it for this share of the body's age. Not
for all of it: at its beginning the client may have been told to go on."""

KEY = "skerry.transfers"

LEAVE = "skerry.leave"
"""The key in a request's environment, if it has a turn, for what lets another one have it before its end."""


class Transfers:
    """The slots of one process, and how many seconds a body has."""

    def __init__(
        self,
        seconds: float,
        coming: int = COMING_SLOTS,
        going: int = GOING_SLOTS,
        fetched: int = FETCHED_SLOTS,
    ) -> None:
        """Begin with all slots free."""
        early = -(-coming // 4)
        self._seconds = seconds
        self._coming = Slots(coming)
        self._early = Slots(early, -(-early // 2))
        self._known = Slots(coming, -(-coming // 2))
        self._going = Slots(going, -(-going // 2))
        self._fetched = Slots(fetched, -(-fetched // 2))
        self._bodies: set[Body] = set()

    def coming(
        self,
        stream: Readable,
        address: str,
        length: int | None = None,
        network: str = "",
        *,
        waits: bool = False,
    ) -> "Body":
        """Give a body that comes from a network address; the caller closes it.

        ``length`` is how many bytes it has, None if it does not say; ``network`` what its sender is told from
        others by. One that ``waits`` is sent only once it is wanted.
        """
        return Body(stream, address, self, length, network, waits=waits)

    def begin(self, body: "Body") -> float:
        """Give a body a slot, and the moment until which it has time; raises Unavailable if none is free."""
        if body.sender is None:
            share, holder = self._early, body.network
        else:
            share, holder = self._known, str(body.sender)
        share.take(holder)
        body.share = share, holder
        try:
            self._coming.take()
        except Unavailable:
            self.arrived(body)
            raise
        self._bodies.add(body)
        return self.limit()

    def limit(self) -> float:
        """Give the moment until which a body that begins now has time."""
        return time.monotonic() + self._seconds

    def arrived(self, body: "Body") -> None:
        """Take back what a body used of its sender's share, or of that of strangers."""
        if body.share:
            share, holder = body.share
            body.share = None
            share.leave(holder)

    def end(self, body: "Body") -> None:
        """Take back the slot of a body."""
        self._bodies.discard(body)
        self.arrived(body)
        self._coming.leave()

    def going(self, pieces: Iterator[bytes], reader: str) -> "Pieces":
        """Give the pieces of an answer a slot until they are closed; raises Unavailable if none is free.

        The first piece is fetched at once, and what that raises is raised: bytes that cannot be reached are
        an error, not a broken answer.
        """
        self._going.take(reader)
        going = Pieces(pieces, partial(self._going.leave, reader))
        going.begin()
        return going

    def fetched(self, pieces: Iterable[bytes], reader: str) -> bytes:
        """Give all bytes of a small file that is far away; raises Unavailable if no slot is free for that."""
        self._fetched.take(reader)
        try:
            return b"".join(pieces)
        finally:
            self._fetched.leave(reader)

    def watch(self) -> None:
        """Shut the connections of clients who are too slow, for as long as the process lives."""
        # A worker whose place another one takes listens no more, and its clients may still be slow.
        look, ports = min(LOOK_SECONDS, self._seconds), tcp_connections.listened_at()
        while True:
            silence = self.silence()
            before = tcp_connections.received(silence, ports) if silence else {}
            time.sleep(look)
            for connection, received in tcp_connections.received(silence, ports).items() if before else ():
                if connection in before and received - before[connection] < BYTES_A_SECOND * look:
                    tcp_connections.take_no_more(connection)

    def silence(self) -> dict[str, float]:
        """Give for how many seconds nothing can have been sent to clients who are late, by their addresses.

        A request does not say by which connection it came. Other connections from the same address, as from
        a proxy, may wait for answers, which granian does not send once a connection is shut for reading. So
        only those are shut on which nothing was sent for that long.
        """
        silence: dict[str, float] = {}
        for body in self._bodies.copy():
            if body.is_late:
                silence[body.address] = min(SILENCE * body.age, silence.get(body.address, math.inf))
        return silence


class Body:
    """A body that has to come in time; ``sender`` is the number of who sends it, None until that is known."""

    def __init__(
        self,
        stream: Readable,
        address: str,
        transfers: Transfers,
        length: int | None,
        network: str,
        *,
        waits: bool,
    ) -> None:
        """Take no slot before the first byte is wanted, by somebody who reads it or for its sender's sake."""
        self.address = address
        self.network = network
        self.sender: int | None = None
        self.share: tuple[Slots, str] | None = None
        self._stream = stream
        self._transfers = transfers
        self._left = math.inf if length is None else length
        # Whether nobody needs to read it: its sender waits to be told to go on, or was told to come again.
        self._may_be_left = waits
        self._since = 0.0
        self._until: float | None = None

    @property
    def age(self) -> float:
        """Say for how many seconds it is coming."""
        return time.monotonic() - self._since

    @property
    def is_late(self) -> bool:
        """Say whether its time is over."""
        # Another thread may close the body in between.
        until = self._until
        return until is not None and time.monotonic() > until

    def read(self, size: int, /) -> bytes:
        """Give at most so many bytes, and none at the end.

        Raises TooSlow if it ends after its time, Unavailable if too many others are being read.
        """
        if self._until is None:
            self._until = self._begin()
        piece = self._stream.read(size)
        if len(piece) < size and self.is_late:
            raise TooSlow
        self._until += len(piece) / BYTES_A_SECOND
        self._left -= len(piece)
        if len(piece) < size or self._left <= 0:
            # All of it is there: the work on it may take its time.
            self._until = math.inf
            self._transfers.arrived(self)
        return piece

    def _begin(self) -> float:
        self._since = time.monotonic()
        try:
            return self._transfers.begin(self)
        except Unavailable:
            # Who finds no slot is told at once.
            self._may_be_left = True
            raise

    def close(self) -> None:
        """Give the slot back, after what little is left of the body was read or has run out of time.

        What was refused before any of it was read is read now, if there is a slot.
        """
        if self._until is None and not self._may_be_left and 0 < self._left <= REST:
            with suppress(Unavailable):
                self._until = self._begin()
        self._may_be_left = True
        if self._until is not None:
            # The answer waits for this, so it gets no more time than a body that begins now.
            self._until = min(self._until, self._transfers.limit())
            with suppress(OSError):
                while 0 < self._left <= REST and not self.is_late and (piece := self._stream.read(65536)):
                    self._left -= len(piece)
            self._until = None
            self._transfers.end(self)


class Pieces:
    """An answer that goes piece by piece."""

    def __init__(self, pieces: Iterator[bytes], leave: Callable[[], None]) -> None:
        """Hold a slot that was taken."""
        self._pieces = pieces
        self._leave: Callable[[], None] | None = leave

    def begin(self) -> None:
        """Fetch the first piece, if there is one; where that fails, the slot is free again."""
        with suppress(StopIteration):
            self._pieces = chain([next(self)], self._pieces)

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
        """Give the slot back, however far the answer came."""
        leave, self._leave = self._leave, None
        if leave:
            leave()
