"""The description of the interface: a document for programs, and the same as a page for people."""

import json
from functools import cache

import falcon

from skerry.web import front, pages, static
from skerry.web.front import Arrival
from skerry.web.openapi import document, guide


class Description:
    """Serves the OpenAPI document; it is JSON whatever the caller likes."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the document; raises HTTPNotFound for another extension."""
        _check_extension(request, None, "json")
        static.send(request, response, "application/json; charset=utf-8", _document())

    on_head = on_get


class Guide:
    """Serves the page that is made from it."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the page; raises HTTPNotFound for any extension."""
        _check_extension(request, None)
        arrival: Arrival = request.env[front.KEY]
        static.send(request, response, falcon.MEDIA_HTML, _page().replace(pages.BASE, arrival.base.encode()))

    on_head = on_get


def _check_extension(request: falcon.Request, *allowed: str | None) -> None:
    arrival: Arrival = request.env[front.KEY]
    if arrival.extension not in allowed:
        raise falcon.HTTPNotFound


# Made when somebody first asks: commands that serve nothing need none of this.
@cache
def _document() -> bytes:
    return json.dumps(document.document(), ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _page() -> bytes:
    described = document.document()
    return pages.api(described["info"]["description"], guide.resources(described))
