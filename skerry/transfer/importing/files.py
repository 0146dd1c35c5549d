"""The files of an import, stored before their rows are written."""

from collections import Counter
from pathlib import Path
from secrets import token_hex

from skerry.files.blobs import Blobs
from skerry.files.temporary_files import TemporaryFile
from skerry.store.disk_space import check_disk_space
from skerry.store.pending_files import PendingFiles
from skerry.store.people.avatars import SERVICE
from skerry.store.transfer.unpacking import Member, Unpacked
from skerry.text.file_names import file_name
from skerry.tracker import attachments
from skerry.tracker.context import NewFile
from skerry.tracker.people import avatars
from skerry.transfer.importing import report as say
from skerry.wire import pictures


class ArchiveFiles(PendingFiles):
    """Stores the files of an archive."""

    def __init__(
        self, files: Unpacked, blobs: Blobs, account_id: int, told: Counter[str], *, dry_run: bool = False
    ) -> None:
        """Create an empty store; in a ``dry_run`` nothing is stored."""
        super().__init__(blobs)
        self._files = files
        self._account_id = account_id
        self._told = told
        self._dry_run = dry_run

    def attached(self, member: Member, filename: str, content_type: str) -> NewFile:
        """Store an attached file like an upload; raises Unavailable, or Conflict if there is no space."""
        temporary_file = self._to_temporary_file(member)
        try:
            picture, width, height = pictures.described(temporary_file.file, content_type)
            code = self._keep(temporary_file, self._account_id)
        finally:
            temporary_file.discard()
        said = filename or Path(member.name).name
        name = file_name(said)
        self._told[say.FILE_NAMES] += name != said
        media_type = attachments.content_type(content_type)
        return NewFile(code, name, media_type, member.size, temporary_file.checksum, width, height, picture)

    def picture(self, member: Member) -> tuple[str, str, int] | None:
        """Store a person's picture if it is valid; raises Unavailable, or Conflict if there is no space."""
        if member.size > avatars.MAX_BYTES:
            self._told[say.PICTURES] += 1
            return None
        temporary_file = self._to_temporary_file(member)
        try:
            media_type, width, height = pictures.described(temporary_file.file)
            if not media_type or max(width or 0, height or 0) > avatars.MAX_PIXELS:
                self._told[say.PICTURES] += 1
                return None
            return self._keep(temporary_file, SERVICE), media_type, member.size
        finally:
            temporary_file.discard()

    def check_disk_space(self, size: int) -> None:
        """Raise Conflict unless the given number of bytes fits on the disk that holds the files."""
        check_disk_space(self._blobs.data, size)

    def _to_temporary_file(self, member: Member) -> TemporaryFile:
        self.check_disk_space(member.size)
        temporary_file = self._blobs.temporary_file(member.size, "")
        for piece in self._files.pieces(member):
            temporary_file.write(piece)
        temporary_file.finish()
        return temporary_file

    def _keep(self, temporary_file: TemporaryFile, account_id: int) -> str:
        return token_hex(20) if self._dry_run else self.place(temporary_file, account_id)
