"""Pages for mailed links, and for unsent mail."""

from skerry.tracker.auth import password_resets
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import addresses, incoming_mails, queue, subscriptions, unsent_mails
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines

_ON_A_PAGE = 50


def verification(context: Context, params: Params) -> Content:
    """Return the address that a link verifies; raises NotFound for an invalid link."""
    return {"verification": addresses.get(context, params), "code": params.texts["code"]}


def unsubscribe(context: Context, params: Params) -> Content:
    """Return what an unsubscribe link ends; raises NotFound if it is not valid."""
    return {"subscription": subscriptions.get(context, params), "code": params.texts["code"]}


def request_password_reset(context: Context, params: Params) -> Content:
    """Return the content of the page for requesting a new password."""
    return {"is_on": queue.is_on(context.transaction), "asked": "saved" in params.query}


def new_password(context: Context, params: Params) -> Content:
    """Return whose password a link changes; raises NotFound for an invalid link."""
    return {"reset": password_resets.get(context, params), "code": params.texts["code"]}


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the unsent mail, a summary, and the newest mail that came in and was not used."""
    mails = unsent_mails.list_all(context, params).records
    return {
        "lines": lines(params, "/administration/mails", mails, _ON_A_PAGE),
        "summary": unsent_mails.summary(context.transaction),
        "is_on": queue.is_on(context.transaction),
        "unused": incoming_mails.list_all(context, params).records[:_ON_A_PAGE],
    }
