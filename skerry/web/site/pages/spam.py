"""The page of spammers who were removed."""

from skerry.tracker.context import Context, Params
from skerry.tracker.spam import spam
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines

_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the removals of spammers that can be undone."""
    return {"lines": lines(params, "/spam-removals", spam.list_all(context, params).records, _ON_A_PAGE)}
