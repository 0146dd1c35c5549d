"""Pictures of people, which they set themselves; a picture is visible wherever the person is."""

from collections.abc import Iterable

from skerry import sizes
from skerry.errors import Invalid, NotFound
from skerry.resources.people import User
from skerry.store.attachments import Download
from skerry.store.people import avatars as store
from skerry.text.slugs import leading_number
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import users

MAX_BYTES = 2 * 1024 * 1024
MAX_PIXELS = 2000


def found(context: Context, params: Params) -> Download:
    """Return a picture by its URL; raises NotFound.

    The URL cannot be guessed, and appears only where the person is visible, which may be a public project. A
    new picture gets a new URL.
    """
    number, code = leading_number(params.texts["code"]), params.texts["code"].partition("-")[2]
    picture = store.one(context.transaction, number or 0)
    if picture is None or picture.attachment.code != code:
        raise NotFound("There is no such picture")
    return picture


def replace(context: Context, params: Params) -> User:
    """Replace the caller's picture with the one file of a multipart form.

    Raises Forbidden as ``users.check_may_change`` does, Invalid for anything but a PNG, JPEG, GIF or WebP
    picture of at most 2 MiB and 2000 by 2000 pixels.
    """
    users.check_may_change(context)
    if len(params.files) != 1:
        raise Invalid("Choose one picture")
    (file,) = params.files
    if not file.picture:
        raise Invalid("Picture must be in PNG, JPEG, GIF or WebP")
    if file.size > MAX_BYTES:
        raise Invalid(f"Picture is too large (at most {sizes.exact(MAX_BYTES)})")
    if max(file.width or 0, file.height or 0) > MAX_PIXELS:
        raise Invalid(f"Picture is too large (at most {MAX_PIXELS} by {MAX_PIXELS} pixels)")
    user_id = context.author.user_id
    store.change(context.transaction, user_id, code=file.code, media_type=file.picture, size=file.size)
    events.record(context, Type.USER_UPDATED, user_id, changes={"avatar": None})
    return users.profile(context, params)


def remove(context: Context, _params: Params) -> None:
    """Remove the caller's picture, if any; raises Forbidden as above."""
    users.check_may_change(context)
    if store.paths(context.transaction, {context.author.user_id}):
        store.remove(context.transaction, context.author.user_id)
        events.record(context, Type.USER_UPDATED, context.author.user_id, changes={"avatar": None})


def paths(context: Context, user_ids: Iterable[int | None]) -> dict[int, str]:
    """Return the paths of the pictures of those people who have one."""
    wanted = {user_id for user_id in user_ids if user_id}
    return store.paths(context.transaction, wanted) if wanted else {}
