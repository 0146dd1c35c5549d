"""Files in a bucket of any S3-compatible storage."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from skerry.files.storage import BATCH, PIECE, StoredFile, temporary_key

# Each part is in memory while it is sent, so one file takes this times the number of parallel parts.
PART = 8 * 1024 * 1024
PARTS_AT_ONCE = 1

_UNSENT = "error sending request"
_BEYOND = "status code: 416"
_NAME = re.compile(r"^\w+: ")


class Bucket:
    """A bucket, or a prefix in one; every method may raise OSError."""

    # Each piece is a separate request.
    piece_size = PIECE
    is_remote = True

    def __init__(self, place: str, called: str) -> None:
        """Create a storage at ``s3://bucket/prefix``, with the endpoint and credentials in the environment.

        Raises ValueError with a message if they are invalid, in which the place is ``called`` so.
        """
        try:
            self._store = S3Store.from_url(
                place,
                # An endpoint with http:// is allowed if it is named explicitly.
                client_options={"allow_http": True, "connect_timeout": "5s", "timeout": "60s"},
                retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
            )
        except (BaseError, ValueError) as error:
            # The rest of the message is about the library's own code.
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{called} or an AWS_ setting cannot be used: {reason}") from error

    def put(self, path: Path, key: str) -> None:
        """Upload a file, a large one in parts."""
        with _translate_errors():
            obstore.put(self._store, key, path, chunk_size=PART, max_concurrency=PARTS_AT_ONCE)

    def piece(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` up to ``stop``; raises FileNotFoundError."""
        with _translate_errors():
            try:
                return bytes(obstore.get_range(self._store, key, start=start, end=stop))
            except BaseError as error:
                # The file ends before that.
                if _BEYOND not in str(error):
                    raise
                return b""

    def size(self, key: str) -> int:
        """Return the size of a file in bytes; raises FileNotFoundError."""
        with _translate_errors():
            return obstore.head(self._store, key)["size"]

    def check_container(self, key: str) -> None:  # noqa: ARG002 - a bucket has no folders
        """Raise OSError if the bucket is missing."""
        with _translate_errors():
            next(iter(obstore.list(self._store, chunk_size=1)), None)

    def remove(self, keys: list[str]) -> None:
        """Remove files; S3 ignores missing ones."""
        with _translate_errors():
            obstore.delete(self._store, keys)

    def list_all(self) -> Iterator[StoredFile]:
        """Return every file."""
        with _translate_errors():
            for batch in obstore.list(self._store, chunk_size=BATCH):
                yield from (StoredFile(entry["path"], entry["last_modified"]) for entry in batch)

    def now(self) -> datetime:
        """Return the time by the bucket's clock, read from a file that is created for it."""
        key = temporary_key()
        with _translate_errors():
            obstore.put(self._store, key, b"now")
            try:
                return obstore.head(self._store, key)["last_modified"]
            finally:
                obstore.delete(self._store, key)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except BaseError as error:
        raise OSError(_message(error)) from error


def _message(error: BaseError) -> str:
    """Return the library's message for an error, with the reason that only its details contain."""
    first, _, details = str(error).partition("\n")
    lines = [line for line in details.splitlines() if line.strip("(){}[], ")]
    if not first.endswith(_UNSENT) or not lines:
        return first
    # The root cause is nested deepest, as in: message: "Connection refused",
    deepest = max(reversed(lines), key=lambda line: len(line) - len(line.lstrip()))
    cause = _NAME.sub("", deepest.strip()).strip('",')
    return f"{first}: {cause}"
