"""The routes and the form of the earlier texts of a version or a message."""

from collections.abc import Callable

from skerry.resources.texts import EarlierText
from skerry.tracker import earlier_texts
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params
from skerry.web.route import EMPTY, LIST, VIEW, Route
from skerry.web.routes.page import Form


def routes(path: str, delete: Callable[[Context, Params], None], permission: Permission) -> tuple[Route, ...]:
    """Return the routes of the earlier texts of the resource at a path."""
    texts, text = f"{path}/texts", f"{path}/texts/{{text}}"
    return (
        Route("GET", texts, earlier_texts.list_all, VIEW, EarlierText, LIST),
        Route("GET", text, earlier_texts.get, VIEW, EarlierText),
        Route("DELETE", text, delete, permission, EarlierText, EMPTY),
    )


def form(path: str) -> Form:
    """Return the form that removes an earlier text of the resource at a path."""
    return Form("DELETE", f"{path}/texts/{{text}}", page=f"{path}/texts", then=f"{path}/texts")
