"""Redirects from the former addresses of tickets that were moved to another project."""

from collections.abc import Mapping
from contextlib import suppress

import falcon
from falcon.asgi import Request, Response

from skerry.errors import BadRequest, Conflict, Forbidden, Invalid, NotFound, PreconditionFailed, SkerryError
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.tracker import access
from skerry.tracker.access import Permission
from skerry.tracker.context import Context
from skerry.web import middleware, scopes
from skerry.web.requests.parameters import id_in
from skerry.web.route import TICKET

REPLACED = (BadRequest, Conflict, Forbidden, Invalid, NotFound, PreconditionFailed)
"""The errors that a redirect replaces, if the ticket was moved."""


def is_below(path: str) -> bool:
    """Return whether the path of a route is that of a ticket, or below it."""
    return path.startswith(TICKET)


def place(context: Context, segments: Mapping[str, str]) -> Place | None:
    """Return where a ticket was moved to, if the caller can see both projects.

    Raises Forbidden for a token that is limited to scopes without tickets.
    """
    principal = context.principal
    if principal and principal.scopes:
        access.check_scopes(principal, scopes.needed(TICKET, writes=False))
    project_id, number = (id_in(segments[name]) or 0 for name in ("project_id", "number"))
    with suppress(SkerryError):
        access.enter(context, project_id, Permission.VIEW, writes=False)
        visibility = access.visibility(principal)
        return moved_tickets.visible(context.transaction, project_id, number, visibility)
    return None


def redirect(request: Request, response: Response, present: Place, base: str) -> None:
    """Redirect to the same address below the present place, with the same method."""
    info = middleware.request_info_of(request)
    parts = info.quoted_path.split("/")
    parts[2], parts[4] = str(present.project_id), str(present.number)
    extension = f".{info.extension}" if info.extension else ""
    query = f"?{request.query_string}" if request.query_string else ""
    # Some clients turn any other method into a GET after a 301.
    is_read = request.method in ("GET", "HEAD")
    response.status = falcon.HTTP_301 if is_read else falcon.HTTP_308
    response.set_header("Location", f"{base}{'/'.join(parts)}{extension}{query}")
    response.set_header("Cache-Control", "no-store")
