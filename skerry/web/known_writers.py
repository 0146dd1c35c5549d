"""Known writers: whoever changed something a short while ago is expected to be allowed to again.

Before a body is read it is found out who sends it, and in the transaction that changes something once more.
The first of these looks keeps strangers from making work. Somebody with a token that has just passed both
is no stranger, so their next small body goes straight to the transaction, which alone decides.
"""

from typing import NamedTuple

from skerry.store.snapshot_cache import BoundedCache
from skerry.tracker.visit import Caller
from skerry.web import bodies, drafting
from skerry.web.credentials import token_of
from skerry.web.passage import Passage


class Writer(NamedTuple):
    """Who sends something, and the account that it is for."""

    caller: Caller | None
    account_id: int


class KnownWriters:
    """Remembers who was allowed what; made once in each process. Nothing may be allowed by it."""

    def __init__(self) -> None:
        """Know nobody yet."""
        # Numbers stand for tokens, which are kept nowhere.
        self._known: BoundedCache[int, Writer] = BoundedCache()

    def expected(self, passage: Passage) -> Writer | None:
        """Give who sent the same kind of request to the same place with the same token, None if unknown."""
        key = _key(passage)
        return None if key is None else self._known.get(key)

    def remember(self, passage: Passage, writer: Writer) -> None:
        """Expect somebody again whose request was carried out."""
        key = _key(passage)
        if key is not None:
            self._known[key] = writer

    def forget(self, passage: Passage) -> None:
        """Expect nobody there: something was wrong."""
        key = _key(passage)
        if key is not None:
            self._known.pop(key, None)


def _key(passage: Passage) -> int | None:
    """Give a number for who asks for what, None where the sender is always found out before the body."""
    # A file would be brought to its place, maybe a bucket, before it is found out who sends it.
    has_files = bodies.media_type(passage.request) == bodies.MULTIPART
    if passage.format is None or has_files or not drafting.is_small(passage):
        return None
    token = token_of(passage.request, passage.ask.query)
    if token is None:
        return None
    line = passage.line
    return hash((passage.arrival.host, token, line.verb, line.path, passage.ask.ids.get("project_id")))
