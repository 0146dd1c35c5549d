"""The files of one request: spooled as they arrive, stored together, removed after an error."""

from typing import cast

from skerry import sizes
from skerry.errors import TooLarge
from skerry.files.blobs import Blobs
from skerry.files.temporary_files import TemporaryFile
from skerry.settings import Settings
from skerry.store.pending_files import PendingFiles
from skerry.tracker.context import NewFile
from skerry.wire import pictures
from skerry.wire.uploads import FilePart, Upload

MAX_FILES = 50


class Incoming(PendingFiles):
    """Receives the files of one request; after an error they are removed.

    No file is held in memory, and no transaction is open while files arrive or are stored.
    """

    def __init__(self, blobs: Blobs, settings: Settings) -> None:
        super().__init__(blobs)
        self._limit = settings.upload_limit
        self._temporary_files: list[TemporaryFile] = []

    def open(self, part: FilePart) -> TemporaryFile:
        """Open a temporary file for a part; raises TooLarge for the 51st."""
        if len(self._temporary_files) == MAX_FILES:
            raise TooLarge(f"The request contains too many files (at most {MAX_FILES})")
        too_large = f"The file {part.filename} is too large (at most {sizes.exact(self._limit)})"
        temporary_file = self._blobs.temporary_file(self._limit, too_large)
        self._temporary_files.append(temporary_file)
        return temporary_file

    def keep(self, account_id: int, uploads: list[Upload]) -> tuple[NewFile, ...]:
        """Store the files, each under its own code; account 0 is for files that belong to no account.

        This waits for the disk. Raises Unavailable if the storage cannot be reached.
        """
        return tuple(self._keep(account_id, upload) for upload in uploads)

    def _keep(self, account_id: int, upload: Upload) -> NewFile:
        part, temporary_file = upload.part, cast("TemporaryFile", upload.sink)
        temporary_file.finish()
        picture, width, height = pictures.described(temporary_file.file, part.content_type)
        code = self.place(temporary_file, account_id)
        return NewFile(
            code,
            part.filename,
            part.content_type,
            upload.size,
            temporary_file.checksum,
            width,
            height,
            picture,
        )

    @property
    def has_files(self) -> bool:
        """Return whether a file has begun to arrive."""
        return bool(self._temporary_files)

    def end(self, error: BaseException | None = None) -> None:
        """Remove the temporary files, and stored files that no row refers to."""
        for temporary_file in self._temporary_files:
            temporary_file.discard()
        self.__exit__(type(error) if error else None, error, None)
