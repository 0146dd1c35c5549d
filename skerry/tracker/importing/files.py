"""The files that come with an import: they are in the storage before their rows are written."""

from collections import Counter
from pathlib import Path
from secrets import token_hex

from skerry.store.avatars import SERVICE
from skerry.store.blobs import Blobs
from skerry.store.room import check_room
from skerry.store.spools import Spool
from skerry.store.unpacking import Member, Unpacked
from skerry.store.unsettled import Unsettled
from skerry.tracker import attachments, avatars
from skerry.tracker.context import NewFile
from skerry.tracker.importing import report as say
from skerry.wire import pictures


class KeptFiles(Unsettled):
    """Keeps the files of an archive."""

    def __init__(
        self, files: Unpacked, blobs: Blobs, account_id: int, told: Counter[str], *, only_try: bool = False
    ) -> None:
        """Begin without files; if it is ``only_try``, none is kept."""
        super().__init__(blobs)
        self._files = files
        self._account_id = account_id
        self._told = told
        self._only_try = only_try

    def attached(self, member: Member, filename: str, content_type: str) -> NewFile:
        """Keep an attached file as an upload is kept; raises Unavailable, Conflict if there is no room."""
        spool = self._spooled(member)
        try:
            picture, width, height = pictures.described(spool.file, content_type)
            code = self._keep(spool, self._account_id)
        finally:
            spool.discard()
        name = attachments.filename(filename or Path(member.name).name)[: attachments.LONGEST_NAME]
        media_type = attachments.content_type(content_type)
        return NewFile(code, name, media_type, member.size, spool.checksum, width, height, picture)

    def picture(self, member: Member) -> tuple[str, str, int] | None:
        """Keep somebody's picture, if it may be one; raises Unavailable, Conflict if there is no room."""
        if member.size > avatars.MOST_BYTES:
            self._told[say.PICTURES] += 1
            return None
        spool = self._spooled(member)
        try:
            media_type, width, height = pictures.described(spool.file)
            if not media_type or max(width or 0, height or 0) > avatars.MOST_PIXELS:
                self._told[say.PICTURES] += 1
                return None
            return self._keep(spool, SERVICE), media_type, member.size
        finally:
            spool.discard()

    def check_room(self, size: int) -> None:
        """Raise Conflict unless so many bytes fit beside the files."""
        check_room(self._blobs.data, size)

    def _spooled(self, member: Member) -> Spool:
        self.check_room(member.size)
        spool = self._blobs.spool(member.size, "")
        for piece in self._files.pieces(member):
            spool.write(piece)
        spool.finish()
        return spool

    def _keep(self, spool: Spool, account_id: int) -> str:
        return token_hex(20) if self._only_try else self.place(spool, account_id)
