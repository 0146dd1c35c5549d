"""Attachments: files of a ticket or a comment, removed with it."""

import re
import unicodedata

from skerry.errors import Invalid, NotFound
from skerry.resources.tickets import Attachment, Version
from skerry.store import attachments as store
from skerry.store.attachments import Download
from skerry.text.file_names import file_name
from skerry.tracker import access
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, NewFile, Params

NOWHERE = "There is no such attachment"
ALONE = "At least one other field must come with a file"

_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,127}")


def found(context: Context, params: Params) -> Download:
    """Return an attachment if the caller may see its ticket.

    Raises NotFound if no attachment has that id and name or the caller may not see it; if nobody is signed
    in, Unauthenticated.
    """
    # A missing attachment takes as long to look up as a hidden one.
    project_id = store.project_of(context.transaction, params.ids["id"]) or 0
    try:
        access.enter(context, project_id, Permission.VIEW, writes=False)
    except NotFound:
        raise NotFound(NOWHERE) from None
    attachment = store.one(context.transaction, project_id, params.ids["id"])
    # macOS decomposes the names of files that it uploads and asks for.
    wanted = unicodedata.normalize("NFC", params.texts["filename"])
    if attachment is None or attachment.attachment.filename != wanted:
        raise NotFound(NOWHERE)
    return attachment


def of_version(context: Context, version: Version) -> list[Attachment]:
    """Return the files of a version of a ticket, oldest first."""
    here = (context.project_id, version.number or 0, version.version or 0)
    return store.of_version(context.transaction, *here)


def check(params: Params) -> None:
    """Raise Invalid if files are sent alone."""
    if params.files and not (params.draft or params.extra_params):
        raise Invalid(ALONE)


def add(context: Context, number: int, version: int, files: tuple[NewFile, ...]) -> None:
    """Store the files of a version of a ticket."""
    for file in files:
        store.add(
            context.transaction,
            project_id=context.project_id,
            number=number,
            version=version,
            uploader_id=context.author.user_id,
            code=file.code,
            filename=file_name(file.filename),
            content_type=content_type(file.content_type),
            size=file.size,
            width=file.width,
            height=file.height,
        )


def content_type(said: str) -> str:
    """Return the media type under which a file is stored: the client's, if it is well-formed."""
    media_type = said.partition(";")[0].strip().lower()
    return media_type if _TYPE.fullmatch(media_type) else "application/octet-stream"
