"""The description of the interface: a document for programs, and the same as a page for people."""

import json
from functools import cache

import falcon
from falcon.asgi import Request, Response

from skerry.text.markdown import render
from skerry.web import front, static
from skerry.web.hallway import Hallway
from skerry.web.openapi import document, guide
from skerry.web.site import site


class Description:
    """Serves the OpenAPI document; it is JSON whatever the caller likes."""

    async def on_get(self, request: Request, response: Response) -> None:
        """Answer with the document; raises HTTPNotFound for another extension."""
        _check_extension(request, None, "json")
        static.send(request, response, "application/json; charset=utf-8", _document())

    on_head = on_get


class Guide:
    """Serves the page that is made from it."""

    def __init__(self, hallway: Hallway) -> None:
        """Show it in the hallway's frame."""
        self._hallway = hallway

    async def on_get(self, request: Request, response: Response) -> None:
        """Answer with the page; raises HTTPNotFound for any extension."""
        _check_extension(request, None)
        arrival = front.arrival_of(request)
        about, resources = _contents()
        context = {"about": about, "resources": resources, "base": arrival.base}
        site.send(request, response, await self._hallway.frame(request), "api.html", context)

    on_head = on_get


def _check_extension(request: Request, *allowed: str | None) -> None:
    arrival = front.arrival_of(request)
    if arrival.extension not in allowed:
        raise falcon.HTTPNotFound


# Made when somebody first asks: commands that serve nothing need none of this.
@cache
def _document() -> bytes:
    return json.dumps(document.document(), ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _contents() -> tuple[str, list[guide.Resource]]:
    described = document.document()
    return render(described["info"]["description"], None), list(guide.resources(described))
