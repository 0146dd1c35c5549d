"""Pages of messages and of the comments on them."""

from dataclasses import replace
from typing import Any

from skerry.resources.messages import Message
from skerry.tracker import holding, messages, unseen
from skerry.tracker.visit import Ask, Page, Visit

_ON_A_PAGE = 20


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a page of the project's messages, and who commented last on each."""
    page = Page(ask.page.number, _ON_A_PAGE)
    listing = messages.listed_without_comments(visit, page)
    return {"listing": listing, "last": messages.last_comments(visit, listing.records), "page": page}


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a message with its comments; a comment is shown with the message that it is on; raises Missing."""
    message = messages.shown(visit, ask)
    if message.parent_id:
        message = messages.shown(visit, replace(ask, ids={**ask.ids, "id": message.parent_id}))
    return {"message": message}


def blank(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a message as it would be posted."""
    return {"message": messages.blank(visit, ask)}


def edited(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a message or a comment to be changed or deleted; raises Missing."""
    message = messages.shown(visit, ask)
    return {"message": message, "seen": _mark(message)}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise Stale if a message says something else than its reader saw."""
    holding.held(visit, Message, ask, removes=False)
    unseen.check(saw, _mark(messages.shown(visit, ask)))


def _mark(message: Message) -> str:
    return unseen.mark(message.title, message.body)
