"""Redirects from page URLs of older trackers, which still occur in texts and bookmarks."""

from collections.abc import Mapping
from urllib.parse import quote

import falcon
from falcon.asgi import Request, Response

from skerry.errors import NotFound
from skerry.web import middleware
from skerry.web.route import PROJECT, TICKETS

MOVED: Mapping[str, str] = {
    "/dashboard": "/",
    "/login": "/sign-in",
    f"{PROJECT}/home": PROJECT,
    f"{PROJECT}/overview": PROJECT,
    f"{PROJECT}/milestones/current": f"{TICKETS}?q=milestone:next",
    f"{TICKETS}/bins/{{id}}": f"{PROJECT}/bins/{{id}}",
}
"""The present path for each old path."""


class Moved:
    """Redirects to a page; programs get a 404."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def on_get(self, request: Request, response: Response, **values: str) -> None:
        """Redirect; raises NotFound for an API format."""
        info = middleware.request_info_of(request)
        if info.extension is not None:
            raise NotFound
        quoted = {name: quote(value, safe="") for name, value in values.items()}
        response.status = falcon.HTTP_301
        response.set_header("Location", self._path.format_map(quoted))

    on_head = on_get
