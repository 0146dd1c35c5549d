"""The credentials in the headers and the query of a request."""

import base64
from contextlib import suppress

from falcon.asgi import Request

TOKEN_HEADERS = ("X-ServiceToken", "X-LighthouseToken")
TOKEN_PARAMETER = "_token"  # noqa: S105 - the name of a parameter

TOKEN_PASSWORD = "x"  # noqa: S105 - the fixed word that marks a token in Basic authentication


def parts(header: str) -> tuple[str, str]:
    """Return the scheme in lower case and its value."""
    scheme, _, rest = header.strip().partition(" ")
    return scheme.lower(), rest.strip()


def name_and_password(encoded: str) -> tuple[str, str]:
    """Return name and password of Basic authentication; raises ValueError if it is malformed."""
    decoded = base64.b64decode(encoded, validate=True)
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")
    name, _, password = text.partition(":")
    return name, password


def has_password(header: str) -> bool:
    """Return whether there is a password to check, which is deliberately slow."""
    scheme, rest = parts(header)
    with suppress(ValueError):
        return scheme == "basic" and name_and_password(rest)[1] != TOKEN_PASSWORD
    return False


def has_credentials(request: Request) -> bool:
    """Return whether a request brings a token or a password, right or wrong; a session does not count."""
    return (
        any(request.get_header(name) is not None for name in (*TOKEN_HEADERS, "Authorization"))
        or TOKEN_PARAMETER in request.params
    )
