"""Rendering of pages, and of the error page."""

from collections.abc import Mapping

import falcon
from falcon.asgi import Request, Response

from skerry.errors import SkerryError
from skerry.web.auth import browser
from skerry.web.responses.answer import STATUSES, send_body, set_error_headers
from skerry.web.site import templates, unsaved_form
from skerry.web.site.frame import Entered, Frame

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Only resources of this site, no inline scripts or styles, and no forms to other sites."""


def send(
    request: Request,
    response: Response,
    frame: Frame,
    template: str,
    page_data: Mapping[str, object],
    entered: Entered | None = None,
) -> None:
    """Send a page, and set a cookie if the browser needs a secret for forms."""
    shown = {"frame": frame, "entered": entered or Entered(), **page_data}
    body = templates.render(template, frame.reader.language, shown, frame.info.prefix)
    if frame.minted:
        browser.remember(request, response, frame.secret)
    response.content_type = falcon.MEDIA_HTML
    response.set_header("Content-Security-Policy", POLICY)
    # A browser keeps no secret that is shown once.
    response.set_header("Cache-Control", "no-store" if entered and entered.made else "private, no-cache")
    send_body(response, body)


def send_error_page(request: Request, response: Response, frame: Frame, failure: SkerryError) -> None:
    """Send the error page."""
    response.status = status = STATUSES.get(type(failure), falcon.HTTP_500)
    number, _, phrase = status.partition(" ")
    page_data = {
        "status": number,
        "phrase": phrase,
        "sentences": list(failure.sentences),
        "unsaved": unsaved_form.in_request(request),
        "retry_after": getattr(failure, "retry_after", 0),
    }
    send(request, response, frame, "error.html", page_data)
    set_error_headers(response, failure)
