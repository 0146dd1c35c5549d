"""Well-known addresses: the contact for vulnerabilities (RFC 9116), and the form for a new password."""

from datetime import UTC, datetime, timedelta

import falcon
from falcon.asgi import Request, Response

from skerry.settings import Settings
from skerry.web import middleware

CHANGE_PASSWORD = "/profile#password"  # noqa: S105 - an address

_VALID = timedelta(days=180)
"""How long the file can be believed; RFC 9116 advises less than a year."""


class SecurityContact:
    """The endpoint that says whom to tell about a vulnerability of this installation."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def on_get(self, request: Request, response: Response) -> None:
        """Respond with the file; raises HTTPNotFound if the settings name no contact."""
        contact = self._settings.security_contact
        if not contact:
            raise falcon.HTTPNotFound
        expires = (datetime.now(UTC) + _VALID).strftime("%Y-%m-%dT00:00:00Z")
        response.content_type = "text/plain; charset=utf-8"
        address = f"{middleware.request_info_of(request).base}/.well-known/security.txt"
        response.text = f"Contact: {contact}\nExpires: {expires}\nCanonical: {address}\n"

    on_head = on_get


class ChangePassword:
    """The redirect by which password managers find the form for a new password."""

    async def on_get(self, _request: Request, response: Response) -> None:
        """Redirect to the form."""
        response.status = falcon.HTTP_302
        response.set_header("Location", CHANGE_PASSWORD)

    on_head = on_get
