"""Attachments: files of a ticket or a comment, removed with it."""

import re

from skerry.errors import Invalid, NotFound
from skerry.store import attachments as store
from skerry.store.attachments import Found
from skerry.tracker import access
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, NewFile, Params

MAX_NAME_LENGTH = 255

NOWHERE = "There is no such attachment"
ALONE = "At least one other field must come with a file"

_UNPLAIN = re.compile(r"[^A-Za-z0-9_.-]")
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,127}")


def found(context: Context, params: Params) -> Found:
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
    attachment = store.one(context.transaction, params.ids["id"])
    if attachment is None or attachment.attachment.filename != params.texts["filename"]:
        raise NotFound(NOWHERE)
    return attachment


def check(params: Params) -> None:
    """Raise Invalid if files are sent alone, or if the name of one is too long."""
    if params.files and not (params.draft or params.extra_params):
        raise Invalid(ALONE)
    if any(len(filename(file.filename)) > MAX_NAME_LENGTH for file in params.files):
        raise Invalid(f"Filename is too long (at most {MAX_NAME_LENGTH} characters)")


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
            filename=filename(file.filename),
            content_type=content_type(file.content_type),
            size=file.size,
            width=file.width,
            height=file.height,
        )


def filename(said: str) -> str:
    """Return the name under which a file is stored: without folders, and safe in a URL."""
    name = _UNPLAIN.sub("_", re.split(r"[/\\]", said)[-1])
    # A path segment that consists of dots would change the path.
    return name if name.strip(".") else "_" * max(1, len(name))


def content_type(said: str) -> str:
    """Return the media type under which a file is stored: the client's, if it is well-formed."""
    media_type = said.partition(";")[0].strip().lower()
    return media_type if _TYPE.fullmatch(media_type) else "application/octet-stream"
