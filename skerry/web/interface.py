"""The description of the interface: a document for programs, and the same as a page for people."""

import json
from functools import cache

import falcon
from falcon.asgi import Request, Response

from skerry.text.markdown import render
from skerry.web import middleware
from skerry.web.dispatch import Dispatcher
from skerry.web.openapi import document, guide
from skerry.web.responses import static
from skerry.web.site import site


class Description:
    """Serves the OpenAPI document, always in JSON."""

    async def on_get(self, request: Request, response: Response) -> None:
        """Answer with the document; raises HTTPNotFound for another extension."""
        _check_extension(request, None, "json")
        static.send(request, response, "application/json; charset=utf-8", _document())

    on_head = on_get


class Guide:
    """Serves the page that is made from it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Show the page in the dispatcher's frame."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Answer with the page; raises HTTPNotFound for any extension."""
        _check_extension(request, None)
        info = middleware.request_info_of(request)
        about, resources = _contents()
        page_data = {"about": about, "resources": resources, "base": info.base}
        site.send(request, response, await self._dispatcher.frame(request), "api.html", page_data)

    on_head = on_get


def _check_extension(request: Request, *allowed: str | None) -> None:
    info = middleware.request_info_of(request)
    if info.extension not in allowed:
        raise falcon.HTTPNotFound


# Made at the first request: commands that serve nothing do not need it.
@cache
def _document() -> bytes:
    return json.dumps(document.document(), ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _contents() -> tuple[str, list[guide.Resource]]:
    described = document.document()
    return render(described["info"]["description"], None), list(guide.resources(described))
