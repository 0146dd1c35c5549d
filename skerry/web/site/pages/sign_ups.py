"""The pages of sign-up, and of people who wait for approval."""

from skerry.tracker.auth import applicants, sign_ups
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines, search_text

_ON_A_PAGE = 50


def ask(context: Context, params: Params) -> Content:
    """Return whether one can sign up, and what has been done so far."""
    return {"is_on": sign_ups.is_on(context.transaction), "done": params.query.get("done", "")}


def finish(context: Context, params: Params) -> Content:
    """Return who signs up with a link; raises NotFound if it is not valid."""
    return {"new_person": sign_ups.get(context, params), "code": params.texts["code"]}


def waiting(context: Context, params: Params) -> Content:
    """Return a page of the people who wait for approval."""
    people = applicants.filter_by_name(context, search_text(params, "q"))
    return {"lines": lines(params, "/applicants", people, _ON_A_PAGE)}
