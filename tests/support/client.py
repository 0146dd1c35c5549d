"""How tests speak to the product: HTTP in one of the two formats, read with readers of their own."""

import asyncio
import base64
import io
import json
import re
from dataclasses import dataclass, field
from threading import Thread
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from tests.support import forms

XML, JSON = "application/xml", "application/json"
FORM = "application/x-www-form-urlencoded"
TYPES = {"xml": XML, "json": JSON}


@dataclass
class Answer:
    """One answer: ``data`` is the parsed body in the same shape for both formats."""

    status: int
    headers: dict[str, str]
    body: bytes
    data: Any = None
    cookies: list[str] = field(default_factory=list)
    log: Any = field(default=None, repr=False, compare=False)

    @property
    def item(self):
        """The record inside the root; where the program failed, the log says how."""
        assert self.status < 500, self.log.getvalue()[-3000:] if self.log else self.body
        (value,) = self.data.values()
        return value

    @property
    def items(self):
        """The records of a list, each without its wrapper."""
        return next(iter(self.data.values()))

    @property
    def errors(self):
        return self.data["errors"]


class Loop:
    """An event loop in a thread of its own, on which applications answer as they do in a server."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, name="server", daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


LOOP = Loop()


def call(application, method, path, *, body=b"", headers=None, address="127.0.0.1", protocol="HTTP/1.1"):
    """Call an ASGI application as a server does and return the raw answer.

    ``body`` is bytes, or something with ``read`` that is read piece by piece.
    """
    path, _, query = path.partition("?")
    sent = {"Host": "127.0.0.1:8000", **(headers or {})}
    if isinstance(body, NeverRead):
        sent["Expect"] = "100-continue"
    if isinstance(body, bytes) and body:
        sent.setdefault("Content-Length", str(len(body)))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": protocol.removeprefix("HTTP/"),
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [
            (name.lower().encode(), value.encode("utf-8", "surrogateescape"))
            for name, value in sent.items()
            if value is not None
        ],
        "client": (address, 40000),
        "server": ("127.0.0.1", 8000),
    }
    return LOOP.run(_called(application, scope, io.BytesIO(body) if isinstance(body, bytes) else body))


async def _called(application, scope, body):
    started, pieces = {}, []
    announced = dict(scope["headers"]).get(b"content-length", b"")
    missing = int(announced) if announced.isdigit() else 0

    async def receive():
        nonlocal missing
        if type(body) is io.BytesIO:
            # Memory needs no thread to be read; but others get their turn, as where a server waits.
            await asyncio.sleep(0)
            piece = body.read(65536)
        else:
            piece = await asyncio.to_thread(body.read, 65536)
        missing -= len(piece)
        if not piece and missing > 0:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    async def send(event):
        if event["type"] == "http.response.start":
            started.update(event)
        else:
            pieces.append(event.get("body", b""))

    await application(scope, receive, send)
    pairs = [(name.decode(), value.decode("latin-1")) for name, value in started["headers"]]
    headers = dict(pairs)
    headers["vary"] = ", ".join(value for name, value in pairs if name == "vary")
    cookies = [value for name, value in pairs if name == "set-cookie"]
    return Answer(started["status"], headers, b"".join(pieces), cookies=cookies)


class NeverRead:
    """A body that fails the test when somebody reads it; its sender waits to be told to go on."""

    def read(self, *_size):
        raise AssertionError("the body was read")


@dataclass(frozen=True)
class Upload:
    """A multipart form with one file, in whatever format the answer is wanted."""

    field: str
    content: bytes
    filename: str = "ada.webp"

    kind = forms.KIND

    @property
    def raw(self):
        return forms.form(forms.file(self.content, self.filename, "image/webp", self.field))


@dataclass(frozen=True)
class Mail:
    """A raw mail."""

    raw: bytes
    kind = "message/rfc822"


@dataclass(frozen=True)
class Pushed:
    """A push as GitLab sends it, with its secret."""

    raw: bytes
    secret: str
    kind = JSON


@dataclass
class Client:
    """Somebody who calls one account in one format, with the headers that prove who it is."""

    application: Any
    host: str
    format: str
    headers: dict[str, str] = field(default_factory=dict)
    user_id: int | None = None
    email: str = ""
    log: Any = None

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def post(self, path, data=None, **headers):
        return self.send("POST", path, data, **headers)

    def put(self, path, data=None, **headers):
        return self.send("PUT", path, data, **headers)

    def delete(self, path, **headers):
        return self.send("DELETE", path, **headers)

    def send(self, method, path, data=None, *, raw=b"", kind=None, **headers):
        """Send ``data`` in the client's format, or ``raw`` bytes of some Content-Type ``kind``."""
        if isinstance(data, Pushed):
            headers["X-Gitlab-Token"] = data.secret
        if isinstance(data, Upload | Mail | Pushed):
            data, raw, kind = None, data.raw, data.kind
        body = encode(self.format, data) if data is not None else raw
        content_type = kind or TYPES[self.format]
        sent = {"Host": self.host, **self.headers, **{n.replace("_", "-"): v for n, v in headers.items()}}
        if body or kind:
            sent["Content-Type"] = content_type
        # Each account calls from an address of its own, so that no test pays for another's failed sign-ins.
        answer = call(
            self.application, method, self.address(path), body=body, headers=sent, address=self.host
        )
        if answer.body and answer.headers.get("content-type", "").startswith(
            ("application/json", "application/xml")
        ):
            answer.data = parse(answer.body)
        answer.log = self.log
        return answer

    def raw(self, path):
        """Get an answer whose body is not read."""
        return call(self.application, "GET", self.address(path), headers={"Host": self.host, **self.headers})

    def address(self, path):
        """Return the path with the client's extension, unless it has one or ends in ``!``."""
        path, question, query = path.partition("?")
        if path.endswith("!"):
            path = path[:-1]
        elif not re.search(r"\.\w+$", path):
            path = f"{path}.{self.format}"
        return path + question + query

    def speaking(self, **headers):
        """Return the same client with other headers."""
        return Client(self.application, self.host, self.format, headers, self.user_id, self.email, self.log)


def basic(name, password, scheme="Basic"):
    """Return the header of somebody who comes with a login and a password."""
    return {"Authorization": f"{scheme} {base64.b64encode(f'{name}:{password}'.encode()).decode()}"}


def encode(form, data):
    """Write ``{root: {name: value}}`` as a client would."""
    if form == "json":
        return json.dumps(data).encode()
    return b'<?xml version="1.0" encoding="UTF-8"?>' + "".join(
        _element(name, value) for name, value in data.items()
    ).encode("utf-8", "surrogatepass")


def _element(name, value):
    name = name.replace("_", "-")
    if value is None:
        return f'<{name} nil="true"/>'
    if isinstance(value, dict):
        inside = "".join(_element(key, item) for key, item in value.items())
    elif isinstance(value, list):
        inside = escape(", ".join(str(item) for item in value))
    elif isinstance(value, bool):
        inside = str(value).lower()
    else:
        inside = escape(str(value))
    return f"<{name}>{inside}</{name}>"


def parse(body):
    """Read an answer in either format into the same shape."""
    if body.lstrip().startswith(b"<"):
        root = ET.fromstring(body)  # noqa: S314 - our own answers
        return {root.tag.replace("-", "_"): _value(root)}
    data = json.loads(body)
    if isinstance(data, list):
        return data
    return {name: _unwrapped(value) for name, value in data.items()}


def _value(element):  # noqa: PLR0911 - one line for each type
    kind = element.get("type")
    if element.get("nil") == "true":
        return None
    if element.tag == "errors":
        return [child.text for child in element]
    if kind == "array":
        return [_value(child) for child in element if child.tag not in ("total_pages", "current_page")]
    text = element.text or ""
    if kind == "integer":
        return int(text)
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    if len(element) or element.tag == "diffable-attributes":
        return {child.tag.replace("-", "_"): _value(child) for child in element}
    if element.tag == "watchers-ids":
        return json.loads(text)
    return text


def _unwrapped(value):
    if isinstance(value, list):
        return [_unwrapped(_inner(item)) for item in value]
    if isinstance(value, dict):
        return {name: _unwrapped(item) for name, item in value.items()}
    return value


def _inner(item):
    if isinstance(item, dict) and len(item) == 1:
        (inside,) = item.values()
        return inside if isinstance(inside, dict) else item
    return item


def check_refused(answer, *statuses):
    """Assert that an answer is an error of one of the statuses, in its own format."""
    assert answer.status in statuses, (answer.status, answer.body[:300])
    assert answer.errors
    assert all(isinstance(sentence, str) and sentence for sentence in answer.errors)
