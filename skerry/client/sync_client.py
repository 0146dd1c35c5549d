"""The client that waits."""

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Self

import httpx

from skerry.client.exchange import EventReader, Exchange, Pages, body_of, checked, is_busy, record_of
from skerry.client.records import Event, Project, R, Record, Values
from skerry.client.settings import Settings, Where


class Client(Settings):
    """A client that returns what it is asked for."""

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(**self.options)

    def __enter__(self) -> Self:
        """Keep connections until the block is left."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the connections."""
        self._http.close()

    def request(self, method: str, path: str, **parts: Any) -> httpx.Response:
        """Send a request, again if need be, and return the successful answer."""
        request = self._http.build_request(method, self.address(path), **parts)
        exchange = Exchange(request, repeats=self.repeats)
        while exchange.answer is None:
            time.sleep(exchange.pause)
            try:
                exchange.take(self._http.send(exchange.request))
            except httpx.TransportError as error:
                exchange.take(error)
        return exchange.answer

    def project_id(self, project: Where = None) -> int:
        """Return the id of a project, given by id or name, or of the only one."""
        return self.known_id(project) or self.learn_id(project, [*self.list(Project)])

    def _path(self, kind: type[Record], project: Where, key: object = "") -> str:
        return self.path(kind, key, 0 if kind.is_global() else self.project_id(project))

    def get(self, kind: type[R], key: object = "", *, project: Where = None) -> R:
        """Return a resource, such as ``get(Ticket, 12)``."""
        return record_of(self.request("GET", self._path(kind, project, key)), kind)

    def list(self, kind: type[R], *, project: Where = None, **params: Any) -> Iterator[R]:
        """Yield the resources of a kind, such as ``list(Ticket, q="state:open")``."""
        pages, path = Pages(kind, params), self._path(kind, project)
        while pages.more:
            yield from pages.take(self.request("GET", path, params=pages.params))

    def create(self, kind: type[R], values: Values, *, project: Where = None) -> R:
        """Create a resource and return it."""
        return record_of(self.request("POST", self._path(kind, project), **body_of(kind, values)), kind)

    def update(
        self, kind: type[R], key: object, values: Values, *, project: Where = None, if_match: str = ""
    ) -> R:
        """Change a resource, with ``if_match`` only if this is still its ``etag``."""
        path = self._path(kind, project, key)
        return record_of(self.request("PUT", path, **body_of(kind, values, if_match)), kind)

    def delete(self, kind: type[Record], key: object, *, project: Where = None) -> None:
        """Delete a resource."""
        self.request("DELETE", self._path(kind, project, key))

    def events(self, after: str = "now", *, follow: bool = True, project: Where = None) -> Iterator[Event]:
        """Yield the events after a position; with ``follow`` without end, and after a cut without a gap."""
        path = self._path(Event, project) if project or self.project else "/events"
        reader = EventReader(after)
        while reader.more:
            yield from reader.page(self.request("GET", path, params=reader.params))
        while follow:
            stream = self._http.stream("GET", self.address(path), **reader.parts)
            with suppress(httpx.TransportError), stream as answer:
                if answer.is_success:
                    for line in answer.iter_lines():
                        yield from reader.read(line)
                elif not is_busy(answer):
                    answer.read()
                    checked(answer)
            time.sleep(reader.cut())
