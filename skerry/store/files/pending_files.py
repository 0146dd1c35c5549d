"""Files that are in the storage before the rows that speak of them are written for good."""

from secrets import token_hex
from types import TracebackType
from typing import Self

from skerry.errors import Unavailable
from skerry.store.attachments import key_of
from skerry.store.files.blobs import Blobs
from skerry.store.files.temporary_files import TemporaryFile


class PendingFiles:
    """Keeps files; those of which no row came to speak are removed at the end, or by the cleanup."""

    def __init__(self, blobs: Blobs) -> None:
        """Start without files."""
        self._blobs = blobs
        self._keys: list[str] = []

    def place(self, temporary_file: TemporaryFile, account_id: int) -> str:
        """Move a file of an account, or with 0 of none, to where it stays, and return its code.

        Raises Unavailable if the storage cannot be reached.
        """
        code = token_hex(20)
        key = key_of(account_id, code)
        self._keys.append(key)
        self._blobs.keep(temporary_file, key)
        return code

    def settle(self) -> None:
        """Leave the files where they are: their rows are written for good."""
        self._keys = []

    def __enter__(self) -> Self:
        """Keep files until the end."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Remove files of which no row speaks."""
        # Whether a commit that was cut off has happened is not known: then the cleanup decides. So it is
        # when somebody stops the program.
        if self._keys and isinstance(error, Exception | None) and not isinstance(error, Unavailable):
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._blobs.remove(self._keys)
        except Unavailable:
            return  # the cleanup will find them; the caller is told about the first error
