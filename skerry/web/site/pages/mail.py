"""The pages of links that are mailed, and of mails that wait."""

from skerry.tracker.context import Context, Params
from skerry.tracker.mail import addresses, frequency, password_resets, queue, waiting
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import lines

_ON_A_PAGE = 50


def verification(context: Context, params: Params) -> Content:
    """Return the address that a link verifies; raise NotFound if it opens nothing."""
    return {"verification": addresses.get(context, params), "code": params.texts["code"]}


def unsubscribe(context: Context, params: Params) -> Content:
    """Return how often whoever has a link gets mails; raise NotFound if it is none of ours."""
    return {"subscription": frequency.get(context, params), "code": params.texts["code"]}


def asked(context: Context, params: Params) -> Content:
    """Return what the page says on which a new password is asked for."""
    return {"is_on": queue.is_on(context.transaction), "asked": "saved" in params.query}


def new_password(context: Context, params: Params) -> Content:
    """Return whose password a link changes; raise NotFound if it opens nothing."""
    return {"reset": password_resets.get(context, params), "code": params.texts["code"]}


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the mails that were not sent, and how the server is doing."""
    found = waiting.list_all(context, params).records
    return {
        "lines": lines(params, "/administration/mails", found, _ON_A_PAGE),
        "summary": waiting.summary(context.transaction),
        "is_on": queue.is_on(context.transaction),
    }
