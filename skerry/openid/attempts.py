"""Attempts: what a browser remembers between leaving for a provider and coming back."""

import base64
import hashlib
import json
import re
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, field

SECONDS = 600
"""How long a person has for signing in at the provider."""

MAX_LENGTH = 3500
"""The maximum length of an encoded attempt, which a cookie holds."""

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Attempt:
    """An attempt to sign in with a provider, or to link it if ``links`` is the id of the session that asked.

    With ``again``, the provider must ask for the password even if the person is signed in there.
    """

    provider: str
    since: int
    next: str = "/"
    links: int = 0
    again: bool = False
    state: str = field(default_factory=_secret)
    nonce: str = field(default_factory=_secret)
    verifier: str = field(default_factory=_secret)

    @property
    def challenge(self) -> str:
        """Return what the provider compares the verifier with (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def encoded(self) -> str:
        """Return the attempt as the value of a cookie."""
        text = json.dumps(asdict(self), separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def decoded(value: str) -> Attempt | None:
    """Return the attempt in a cookie, or None if it is none."""
    with suppress(ValueError, TypeError):
        if len(value) <= MAX_LENGTH:
            fields = json.loads(base64.urlsafe_b64decode(f"{value}{'=' * (-len(value) % 4)}"))
            kinds = {"since": int, "links": int, "again": bool}
            if all(type(fields[name]) is kinds.get(name, str) for name in Attempt.__dataclass_fields__):
                attempt = Attempt(**fields)
                secret = (attempt.state, attempt.nonce, attempt.verifier)
                return attempt if all(map(_SECRET.fullmatch, secret)) else None
    return None
