"""Pages of messages and of the comments on them."""

from functools import partial

from skerry.resources.messages import Message
from skerry.tracker import earlier_texts as texts
from skerry.tracker import edit_conflicts, messages, row_locks
from skerry.tracker.context import FIRST_PAGE, Context, Params, RequestedPage
from skerry.tracker.people import avatars
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import clamped, existing_page, with_marks
from skerry.wire.record import changed

_ON_A_PAGE = 20
_COMMENTS_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the project's messages, each with its last comment's author."""
    wanted = RequestedPage(params.page.number, _ON_A_PAGE)
    results, page = existing_page(wanted, partial(messages.list_without_comments, context))
    return {
        "listing": results,
        "last": messages.last_comments(context, results.records),
        "page": page,
        "pictures": avatars.paths(context, [each.user_id for each in results.records]),
    }


def get(context: Context, params: Params) -> Content:
    """Return a message with a page of its comments; raises NotFound.

    A comment is shown with its message and the other comments on the same page.
    """
    message, wanted = (
        messages.one(context, params.ids["id"]),
        RequestedPage(params.page.number, _COMMENTS_ON_A_PAGE),
    )
    if message.parent_id:
        wanted = messages.page_with(context, message, _COMMENTS_ON_A_PAGE)
        message = messages.one(context, message.parent_id)
    page = clamped(wanted, message.comments_count)
    message, comments = messages.with_page(context, message, page)
    shown = with_marks(context, changed(message, comments=comments))
    people = [each.user_id for each in (message, *(shown.comments or []))]
    pictures = avatars.paths(context, people)
    return {"message": message, "comments": shown.comments, "page": page, "mark": _mark, "pictures": pictures}


def text(context: Context, params: Params) -> Content:
    """Return a message or a comment to show its full text; raises NotFound."""
    message = messages.one(context, params.ids["id"])
    label = f"{message.title} ({message.id})"
    back = f"/projects/{context.project_id}/messages/{message.id}"
    return {"said": message, "label": label, "back": back, "above": message.title}


def earlier_texts(context: Context, params: Params) -> Content:
    """Return the earlier texts of a message or a comment; raises NotFound."""
    message = messages.one(context, params.ids["id"])
    address = f"/projects/{context.project_id}/messages/{message.id}"
    return {
        "said": message,
        "listing": texts.list_all(context, params),
        "label": message.title,
        "address": address,
        "back": address,
        "above": message.title,
        "can_delete": context.member,
    }


def new(context: Context, params: Params) -> Content:
    """Return a new message with its defaults."""
    return {"message": messages.new(context, params)}


def edit(context: Context, params: Params) -> Content:
    """Return a message or a comment to be changed or deleted, and the page that contains it.

    Raises NotFound.
    """
    message = messages.one(context, params.ids["id"])
    page = messages.page_with(context, message, _COMMENTS_ON_A_PAGE) if message.parent_id else FIRST_PAGE
    return {"message": message, "seen": _mark(message), "page": page}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if a message has changed since the reader saw it."""
    row_locks.locked(context, Message, params, removes=False)
    edit_conflicts.check(saw, _mark(messages.one(context, params.ids["id"])))


def _mark(message: Message) -> str:
    return edit_conflicts.mark(message.title, message.body)
