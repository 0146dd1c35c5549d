"""The files of one request: spooled while they come, kept when all have come, given up after an error."""

from secrets import token_hex
from types import TracebackType
from typing import Self, cast

from skerry import sizes
from skerry.config import Settings
from skerry.errors import TooLarge, Unavailable
from skerry.store.attachments import key_of
from skerry.store.blobs import Blobs, Spool
from skerry.tracker.visit import NewFile
from skerry.wire import pictures
from skerry.wire.uploads import FilePart, Upload

MOST_FILES = 50


class Incoming:
    """Takes the files of one request; what it has when an error comes is removed.

    Nothing is held in memory, and no transaction is open while files come or move to their place.
    """

    def __init__(self, blobs: Blobs, settings: Settings) -> None:
        """Begin without files."""
        self._blobs = blobs
        self._limit = settings.upload_limit
        self._spools: list[Spool] = []
        self._keys: list[str] = []

    def open(self, part: FilePart) -> Spool:
        """Begin to take one file; raises TooLarge for the 51st."""
        if len(self._spools) == MOST_FILES:
            raise TooLarge(f"The request holds too many files (at most {MOST_FILES})")
        too_large = f"The file {part.filename} is too large (at most {sizes.exact(self._limit)})"
        spool = self._blobs.spool(self._limit, too_large)
        self._spools.append(spool)
        return spool

    def keep(self, account_id: int, uploads: list[Upload]) -> tuple[NewFile, ...]:
        """Move the files of an account, or with 0 of none, to where they stay, each under its own code.

        Raises Unavailable if the storage cannot be reached.
        """
        return tuple(self._keep(account_id, upload) for upload in uploads)

    def _keep(self, account_id: int, upload: Upload) -> NewFile:
        code, spool = token_hex(20), cast("Spool", upload.sink)
        part = upload.part
        picture = pictures.media_type_of(spool.file)
        size = pictures.size_of(spool.file) if picture or part.content_type.startswith("image/") else None
        key = key_of(account_id, code)
        self._keys.append(key)
        self._blobs.keep(spool, key)
        width, height = size or (None, None)
        return NewFile(
            code, part.filename, part.content_type, upload.size, spool.checksum, width, height, picture
        )

    def settle(self) -> None:
        """Leave the files where they are: their rows are written for good."""
        self._keys = []

    def __enter__(self) -> Self:
        """Take files until the end."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Remove what is not needed: the spools, and files that no row came to speak of."""
        for spool in self._spools:
            spool.discard()
        # Whether a commit that was cut off has happened is not known: then the sweep decides.
        if self._keys and not isinstance(error, Unavailable):
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._blobs.remove(self._keys)
        except Unavailable:
            return  # the sweep will find them; the caller is told about the first error
