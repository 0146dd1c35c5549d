"""Requests to providers: bounded in size and time, and without redirects."""

import asyncio
import json
import ssl
from functools import cache
from typing import Any

import httpx

from skerry.openid.answers import ProviderDown

SECONDS = 10.0
"""How long a provider has for one answer."""

MAX_BYTES = 256 * 1024
"""How much of an answer is read; the largest are lists of keys."""

_OK = 200


class Rejected(ProviderDown):
    """The provider answered with an error, whose code is ``code`` if it has one."""

    def __init__(self, sentence: str, code: str = "") -> None:
        self.code = code
        super().__init__(sentence)


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def fetch(method: str, url: str, **request: Any) -> dict[str, Any]:
    """Return the JSON object with which a provider answers; raises ProviderDown."""
    host = httpx.URL(url).host
    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx.AsyncClient(verify=_trusted(), trust_env=False, timeout=SECONDS) as client,
        ):
            headers = {"Accept": "application/json", **request.pop("headers", {})}
            async with client.stream(method, url, headers=headers, **request) as answer:
                status, body = answer.status_code, await _body(answer, host)
    except TimeoutError as error:
        raise ProviderDown(f"{host} did not respond in {SECONDS:.0f} s") from error
    except (OSError, httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise ProviderDown(f"{host} cannot be reached: {type(error).__name__}") from error
    document = _object(body)
    if status != _OK:
        raise Rejected(f"{host} answered with status {status}", str((document or {}).get("error", "")))
    if document is None:
        raise ProviderDown(f"{host} answered with something that is not a JSON object")
    return document


async def _body(answer: httpx.Response, host: str) -> bytes:
    body = b""
    async for chunk in answer.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            raise ProviderDown(f"{host} answered with more than {MAX_BYTES} bytes")
    return body


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
