"""Files in the storage whose rows are not committed yet."""

from secrets import token_hex
from types import TracebackType
from typing import Self

from skerry.errors import Unavailable
from skerry.files.blobs import Blobs
from skerry.files.temporary_files import TemporaryFile
from skerry.store.attachments import key_of


class PendingFiles:
    """Stores files; those without a committed row are removed at the end, or by the cleanup."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._keys: list[str] = []

    def place(self, temporary_file: TemporaryFile, account_id: int) -> str:
        """Store a file and return its code; account 0 is for files of no account.

        Raises Unavailable if the storage cannot be reached.
        """
        code = token_hex(20)
        key = key_of(account_id, code)
        self._keys.append(key)
        self._blobs.keep(temporary_file, key)
        return code

    def settle(self) -> None:
        """Keep the files: their rows are committed."""
        self._keys = []

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Remove the files without rows."""
        # If a commit was interrupted, its outcome is unknown, and the cleanup decides; likewise if the
        # process is stopped.
        if self._keys and isinstance(error, Exception | None) and not isinstance(error, Unavailable):
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._blobs.remove(self._keys)
        except Unavailable:
            return  # the cleanup removes them later; the first error is raised
