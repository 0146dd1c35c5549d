"""Signatures of deliveries, according to the Standard Webhooks specification."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable

PREFIX = "whsec_"


def sign(secrets: Iterable[str], message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that sign a body at a time, with one signature for each secret."""
    content = b".".join((message_id.encode(), str(seconds).encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(_signature(secret, content) for secret in secrets),
    }


def _signature(secret: str, content: bytes) -> str:
    key = b64decode(secret.removeprefix(PREFIX))
    return f"v1,{b64encode(hmac.digest(key, content, 'sha256')).decode()}"
