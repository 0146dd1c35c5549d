"""Pages of messages and of the comments on them."""

from functools import partial

from skerry.resources.messages import Message
from skerry.tracker import holding, messages, unseen
from skerry.tracker.visit import FIRST_PAGE, Ask, Page, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import last_there, there

_ON_A_PAGE = 20
_COMMENTS_ON_A_PAGE = 50


def listed(visit: Visit, ask: Ask) -> Content:
    """Return a page of the project's messages, and who commented last on each."""
    wanted = Page(ask.page.number, _ON_A_PAGE)
    listing, page = last_there(wanted, partial(messages.listed_without_comments, visit))
    return {"listing": listing, "last": messages.last_comments(visit, listing.records), "page": page}


def shown(visit: Visit, ask: Ask) -> Content:
    """Return a message with a page of its comments; raises NotFound.

    A comment is shown with the message that it is on, and with those beside it.
    """
    message, wanted = messages.one(visit, ask.ids["id"]), Page(ask.page.number, _COMMENTS_ON_A_PAGE)
    if message.parent_id:
        wanted = messages.page_with(visit, message, _COMMENTS_ON_A_PAGE)
        message = messages.one(visit, message.parent_id)
    page = there(wanted, message.comments_count)
    message, comments = messages.with_page(visit, message, page)
    return {"message": message, "comments": comments, "page": page, "mark": _mark}


def text(visit: Visit, ask: Ask) -> Content:
    """Return a message or a comment of which only the text is shown, all of it; raises NotFound."""
    message = messages.one(visit, ask.ids["id"])
    label = f"{message.title} ({message.id})"
    return {"said": message, "label": label, "back": f"/projects/{visit.project_id}/messages/{message.id}"}


def blank(visit: Visit, ask: Ask) -> Content:
    """Return a message as it would be posted."""
    return {"message": messages.blank(visit, ask)}


def edited(visit: Visit, ask: Ask) -> Content:
    """Return a message or a comment to be changed or deleted, and on which page it stands.

    Raise NotFound.
    """
    message = messages.one(visit, ask.ids["id"])
    page = messages.page_with(visit, message, _COMMENTS_ON_A_PAGE) if message.parent_id else FIRST_PAGE
    return {"message": message, "seen": _mark(message), "page": page}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise PreconditionFailed if a message says something else than its reader saw."""
    holding.held(visit, Message, ask, removes=False)
    unseen.check(saw, _mark(messages.one(visit, ask.ids["id"])))


def _mark(message: Message) -> str:
    return unseen.mark(message.title, message.body)
