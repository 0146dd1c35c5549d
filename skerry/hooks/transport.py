"""HTTP to receivers: connects only to an address that was looked up once and may be reached."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

import httpx

from skerry.tracker.context import Networks
from skerry.tracker.sending.hook_addresses import Address, is_within, literal, may_reach

Resolve = Callable[[str, int], Awaitable[list[Address]]]

_PORTS = {"http": 80, "https": 443}

# A receiver gets one thing after the other, so one connection to each is kept.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=1)


class Refused(Exception):
    """The address may not be reached; the sentence says why."""


async def look_up(host: str, port: int) -> list[Address]:
    """Return all addresses of a host; raise OSError if it has none."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(str(place[0]).partition("%")[0]) for *_, place in found]


class Transport(httpx.AsyncBaseTransport):
    """Looks a host up once, checks every address that it has, and connects to the first one.

    The name is used for the certificate and in the header ``Host`` alone, so that nothing is looked up a
    second time. Connections are kept for each host apart, as each is checked against the name that it was
    made for.
    """

    def __init__(self, allowed: Networks, verify: ssl.SSLContext, resolve: Resolve = look_up) -> None:
        """Connect to nothing yet; ``allowed`` are networks that may be reached besides public addresses."""
        self._allowed, self._verify, self._resolve = allowed, verify, resolve
        self._inner: dict[tuple[str, str, int], httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; raise Refused, OSError, or what the library raises."""
        url = request.url
        host, port = url.host, url.port or _PORTS[url.scheme]
        address = await self._address(url.scheme, host, port)
        request = httpx.Request(
            request.method,
            url.copy_with(host=str(address)),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return await self._to(url.scheme, host, port).handle_async_request(request)

    async def _address(self, scheme: str, host: str, port: int) -> Address:
        written = literal(host)
        found = [written] if written else await self._resolve(host, port)
        for address in found:
            if not may_reach(address, self._allowed):
                raise Refused(f"{host} leads to {address}, which is no public address")
            if scheme == "http" and not is_within(address, self._allowed):
                raise Refused("Only https is used outside of the networks that the settings name")
        return found[0]

    def _to(self, scheme: str, host: str, port: int) -> httpx.AsyncHTTPTransport:
        key = (scheme, host, port)
        if key not in self._inner:
            self._inner[key] = httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False, limits=_LIMITS)
        return self._inner[key]

    async def aclose(self) -> None:
        """Close all connections."""
        for inner in self._inner.values():
            await inner.aclose()
