"""An HTTP transport that connects only to permitted addresses, each resolved once."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address

import httpx

from skerry.tracker.context import Networks
from skerry.tracker.sending.hook_addresses import Address, is_within, literal, may_reach

Resolve = Callable[[str, int], Awaitable[list[Address]]]

_PORTS = {"http": 80, "https": 443}

# Deliveries to a receiver are sequential, so one connection to each is kept.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=1)

_CONNECT_SECONDS = 3
"""How long an address may take to connect if the host has another one."""


class Refused(Exception):
    """The address must not be contacted; the message says why."""


async def look_up(host: str, port: int) -> list[Address]:
    """Return all addresses of a host; raises OSError if it has none."""
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(str(place[0]).partition("%")[0]) for *_, place in infos]


class Transport(httpx.AsyncBaseTransport):
    """A transport that resolves a host once, checks all of its addresses, and connects to one that answers.

    The host name is used only for the certificate and the header ``Host``, so it is never resolved a second
    time. Connections are pooled by host, because each is verified against the name that it was made for.
    """

    def __init__(self, allowed: Networks, verify: ssl.SSLContext, resolve: Resolve = look_up) -> None:
        """Create a transport; ``allowed`` are networks permitted in addition to public addresses."""
        self._allowed, self._verify, self._resolve = allowed, verify, resolve
        self._inner: dict[tuple[str, str, int], httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; raises Refused, OSError, or what the library raises."""
        url = request.url
        host, port = url.raw_host.decode(), url.port or _PORTS[url.scheme]
        *others, last = await self._addresses(url.scheme, host, port)
        for address in others:
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return await self._send(request, host, port, address, connect=_CONNECT_SECONDS)
        return await self._send(request, host, port, last, connect=None)

    async def _send(
        self, request: httpx.Request, host: str, port: int, address: Address, *, connect: float | None
    ) -> httpx.Response:
        url = request.url
        # The header Host, which was set from the name, stays.
        request.url = url.copy_with(host=str(address))
        request.extensions = {**request.extensions, "sni_hostname": host, "timeout": {"connect": connect}}
        return await self._to(url.scheme, host, port).handle_async_request(request)

    async def _addresses(self, scheme: str, host: str, port: int) -> list[Address]:
        written = literal(host)
        addresses = [written] if written else list(dict.fromkeys(await self._resolve(host, port)))
        for address in addresses:
            if not may_reach(address, self._allowed):
                # The creator of a hook must not learn how host names resolve in this network.
                raise Refused(f"{host} is not a public address")
            if scheme == "http" and not is_within(address, self._allowed):
                raise Refused("Only https is allowed outside the networks in SKERRY_HOOKS_ALLOW")
        return addresses

    def _to(self, scheme: str, host: str, port: int) -> httpx.AsyncHTTPTransport:
        key = (scheme, host, port)
        if key not in self._inner:
            self._inner[key] = httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False, limits=_LIMITS)
        return self._inner[key]

    async def aclose(self) -> None:
        """Close all connections."""
        for inner in self._inner.values():
            await inner.aclose()
