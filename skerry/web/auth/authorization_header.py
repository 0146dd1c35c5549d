"""The Authorization header."""

import base64
from contextlib import suppress

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
