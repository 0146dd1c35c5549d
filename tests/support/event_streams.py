"""Streams of events as their readers see them: asked for as by a server, and read as they come."""

import asyncio
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from tests.support.client import LOOP
from tests.support.processes import PATIENCE


@dataclass
class Block:
    """What stands between two empty lines of a stream."""

    id: str | None = None
    data: str | None = None
    comment: str | None = None

    @property
    def event(self):
        """The event in it, in either format."""
        if self.data.startswith("<"):
            return {child.tag.replace("-", "_"): child.text for child in ET.fromstring(self.data)}  # noqa: S314
        return json.loads(self.data)["event"]


def parsed(text):
    """Return the blocks of a text as RFC-like readers of server-sent events do."""
    return [_block(piece.split("\n")) for piece in text.split("\n\n")[:-1]]


def _block(lines):
    block, data = Block(), []
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "":
            block.comment = value
        elif name == "id":
            block.id = value
        elif name == "data":
            data.append(value)
    block.data = "\n".join(data) if data else None
    return block


@dataclass
class Stream:
    """An open stream; it is slow when nothing of it is taken."""

    status: int = 0
    headers: dict = field(default_factory=dict)
    text: str = ""
    ended: bool = False
    changed: Condition = field(default_factory=Condition)
    taking: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def blocks(self):
        return parsed(self.text)

    @property
    def events(self):
        return [block.event for block in self.blocks if block.data]

    @property
    def ids(self):
        return [block.id for block in self.blocks if block.data]

    def until(self, found, what="this"):
        """Wait until something is so of the stream, and return it."""
        with self.changed:
            assert self.changed.wait_for(lambda: found(self), PATIENCE), f"{what} did not come: {self.text}"
            return found(self)

    def types(self, number):
        """Return the types of the events once so many have come."""
        self.until(lambda stream: len(stream.events) >= number, f"{number} events")
        return [event["type"] for event in self.events]

    def take(self, *, on):
        """Take what comes, or nothing any more."""
        LOOP.run(_switched(self.taking, on=on))

    def _note(self, **values):
        with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()


@contextmanager
def streaming(client, path, **headers):
    """Open a stream of somebody's for a while."""
    stream, gone = Stream(), asyncio.Event()
    task = LOOP.run(_started(client, path, headers, stream, gone))
    try:
        yield stream
    finally:
        LOOP.run(_left(stream, gone, task))


async def _switched(switch, *, on):
    (switch.set if on else switch.clear)()


async def _started(client, path, headers, stream, gone):
    stream.taking.set()
    return asyncio.create_task(_read(client, path, headers, stream, gone))


async def _left(stream, gone, task):
    gone.set()
    stream.taking.set()
    await asyncio.wait_for(task, PATIENCE)


async def _read(client, path, headers, stream, gone):
    path, _, query = path.partition("?")
    sent = {"Host": client.host, "Accept": "text/event-stream", **client.headers}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": (client.host, 40000),
        "server": ("127.0.0.1", 8000),
    }
    begun = False

    async def receive():
        nonlocal begun
        if not begun:
            begun = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(event):
        await stream.taking.wait()
        if event["type"] == "http.response.start":
            pairs = {name.decode(): value.decode() for name, value in event["headers"]}
            stream._note(status=event["status"], headers=pairs)
        else:
            stream._note(text=stream.text + event.get("body", b"").decode())

    await client.application(scope, receive, send)
    stream._note(ended=True)
