"""Responses that are the same for everybody: static files, and prebuilt pages."""

import falcon
from falcon.asgi import Request, Response

from skerry.web.responses.answer import entity_tag, matches, send_body
from skerry.web.site import assets

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_HOUR, _YEAR = 3600, 31_536_000


class Static:
    """Serves the static files of the package by name."""

    def __init__(self) -> None:
        """Read the files."""
        self._files = {name: assets.content(name) for name in assets.names() if _type(name)}

    async def on_get(self, request: Request, response: Response, name: str) -> None:
        """Respond with a file; raises HTTPNotFound."""
        if name not in self._files:
            raise falcon.HTTPNotFound
        send(request, response, _type(name), self._files[name])
        # A URL with a version never changes its content.
        kept = f"max-age={_YEAR}, immutable" if request.query_string else f"max-age={_HOUR}"
        response.set_header("Cache-Control", f"public, {kept}")

    on_head = on_get


def _type(name: str) -> str:
    return _TYPES.get(name[name.rfind(".") :], "")


def send(request: Request, response: Response, content_type: str, body: bytes) -> None:
    """Send content that anybody may cache and revalidate, or a 304 if the client has it."""
    tag = entity_tag(body)
    response.content_type = content_type
    response.set_header("ETag", tag)
    response.set_header("Cache-Control", "public, max-age=0, must-revalidate")
    response.append_header("Vary", "Accept-Encoding")
    if matches(request.get_header("If-None-Match"), [tag]):
        response.status = falcon.HTTP_304
    else:
        send_body(response, body)
