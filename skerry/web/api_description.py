"""The description of the API, as a document for programs and as a page for people."""

import json
import re
from functools import cache, lru_cache

import falcon
from falcon.asgi import Request, Response

from skerry.text.markdown import render
from skerry.web import middleware
from skerry.web.dispatch import Dispatcher
from skerry.web.openapi import document, guide
from skerry.web.site import site, static

_WITHIN_A_PARAGRAPH = re.compile(r"(?<!\n)\n(?!\n)")


class Description:
    """The endpoint of the OpenAPI document for one format of bodies; the document is always in JSON."""

    def __init__(self, form: str) -> None:
        self._form = form

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with the document; raises HTTPNotFound for another extension."""
        _check_extension(request, None, "json")
        prefix = middleware.request_info_of(request).prefix
        static.send(request, response, "application/json; charset=utf-8", _document(self._form, prefix))

    on_head = on_get


class Guide:
    """The endpoint of the page that is generated from the document."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Create the endpoint; the page uses the dispatcher's frame."""
        self._dispatcher = dispatcher

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with the page; raises HTTPNotFound for any extension."""
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


# Created on first use, because most commands do not need it.
@lru_cache(maxsize=16)
def _document(form: str, prefix: str) -> bytes:
    return json.dumps(document.document(form, prefix), ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _contents() -> tuple[str, list[guide.Resource]]:
    described = document.document()
    # In a comment, the end of a line is kept.
    about = _WITHIN_A_PARAGRAPH.sub(" ", described["info"]["description"])
    return render(about, None), list(guide.resources(described))
