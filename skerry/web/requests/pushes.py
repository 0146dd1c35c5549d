"""The content of a request with a push of a forge as its body, whose signature is over the raw bytes."""

from dataclasses import replace

from falcon.asgi import Request

from skerry.errors import BadRequest
from skerry.tracker.context import Params
from skerry.tracker.forges.payloads import HEADERS, MAX_SIZE, SentPush
from skerry.web.bodies import Body

__all__ = ["MAX_SIZE", "with_push"]


def with_push(params: Params, request: Request, body: Body) -> Params:
    """Return the parameters with the push as it was sent; raises BadRequest if there is none."""
    if body.content is None:
        raise BadRequest("Send the push as JSON")
    body.content.seek(0)
    sent = {name.lower(): value for name, value in request.headers.items() if name.lower() in HEADERS}
    return replace(params, draft={"push": SentPush(body.content.read(), sent)})
