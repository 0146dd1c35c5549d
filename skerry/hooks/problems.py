"""Sentences for the errors of deliveries."""

import socket
import ssl
from collections.abc import Iterator

import httpx

SENTENCES: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "The host name was not found"),
    (ConnectionRefusedError, "The connection was refused"),
    (ConnectionResetError, "The receiver closed the connection"),
    (BrokenPipeError, "The receiver closed the connection"),
    (TimeoutError, "The receiver could not be reached in time"),
    (httpx.TimeoutException, "The receiver could not be reached in time"),
    (httpx.RemoteProtocolError, "The receiver gave no valid HTTP response"),
    (httpx.ConnectError, "The receiver could not be reached"),
    (httpx.NetworkError, "The receiver closed the connection"),
    (httpx.InvalidURL, "The address of the hook cannot be used"),
    (UnicodeError, "The address of the hook cannot be used"),
)
"""What a hook's page says of the errors of a connection."""


def in_words(error: BaseException) -> str:
    """Return a sentence for an error of the connection, by its deepest known cause."""
    for each in reversed(list(_causes(error))):
        if isinstance(each, ssl.SSLError):
            reason = getattr(each, "verify_message", "") or (each.reason or "").replace("_", " ").lower()
            if isinstance(each, ssl.SSLCertVerificationError):
                return f"TLS: certificate verify failed: {reason}"
            return f"The receiver's TLS: {reason}"
        for kind, sentence in SENTENCES:
            if isinstance(each, kind):
                return sentence
    return "The receiver could not be reached"


def _causes(error: BaseException) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__  # type: ignore[assignment] # None ends it
