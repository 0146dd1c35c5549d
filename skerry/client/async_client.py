"""The client for asyncio: the same as in ``sync_client.py``, awaited."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Self

import httpx

from skerry.client.exchange import EventReader, Exchange, Pages, body_of, checked, is_busy, record_of
from skerry.client.records import Event, Project, R, Record, Values
from skerry.client.settings import Settings, Where


class AsyncClient(Settings):
    """The same client for asyncio."""

    @cached_property
    def _http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(**self.options)

    async def __aenter__(self) -> Self:
        """Keep connections until the block is left."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def request(self, method: str, path: str, **parts: Any) -> httpx.Response:
        """Send a request, again if need be, and return the successful answer."""
        request = self._http.build_request(method, self.address(path), **parts)
        exchange = Exchange(request, repeats=self.repeats)
        while exchange.answer is None:
            await asyncio.sleep(exchange.pause)
            try:
                exchange.take(await self._http.send(exchange.request))
            except httpx.TransportError as error:
                exchange.take(error)
        return exchange.answer

    async def project_id(self, project: Where = None) -> int:
        """Return the id of a project, given by id or name, or of the only one."""
        return self.known_id(project) or self.learn_id(project, [one async for one in self.list(Project)])

    async def _path(self, kind: type[Record], project: Where, key: object = "") -> str:
        return self.path(kind, key, 0 if kind.is_global() else await self.project_id(project))

    async def get(self, kind: type[R], key: object = "", *, project: Where = None) -> R:
        """Return a resource, such as ``get(Ticket, 12)``."""
        return record_of(await self.request("GET", await self._path(kind, project, key)), kind)

    async def list(self, kind: type[R], *, project: Where = None, **params: Any) -> AsyncIterator[R]:
        """Yield the resources of a kind, such as ``list(Ticket, q="state:open")``."""
        pages, path = Pages(kind, params), await self._path(kind, project)
        while pages.more:
            for item in pages.take(await self.request("GET", path, params=pages.params)):
                yield item

    async def create(self, kind: type[R], values: Values, *, project: Where = None) -> R:
        """Create a resource and return it."""
        path = await self._path(kind, project)
        return record_of(await self.request("POST", path, **body_of(kind, values)), kind)

    async def update(
        self, kind: type[R], key: object, values: Values, *, project: Where = None, if_match: str = ""
    ) -> R:
        """Change a resource, with ``if_match`` only if this is still its ``etag``."""
        path = await self._path(kind, project, key)
        return record_of(await self.request("PUT", path, **body_of(kind, values, if_match)), kind)

    async def delete(self, kind: type[Record], key: object, *, project: Where = None) -> None:
        """Delete a resource."""
        await self.request("DELETE", await self._path(kind, project, key))

    async def events(
        self, after: str = "now", *, follow: bool = True, project: Where = None
    ) -> AsyncIterator[Event]:
        """Yield the events after a position; with ``follow`` without end, and after a cut without a gap."""
        path = await self._path(Event, project) if project or self.project else "/events"
        reader = EventReader(after)
        while reader.more:
            for event in reader.page(await self.request("GET", path, params=reader.params)):
                yield event
        while follow:
            with suppress(httpx.TransportError):
                async with self._http.stream("GET", self.address(path), **reader.parts) as answer:
                    if answer.is_success:
                        async for line in answer.aiter_lines():
                            for event in reader.read(line):
                                yield event
                    elif not is_busy(answer):
                        await answer.aread()
                        checked(answer)
            await asyncio.sleep(reader.cut())
