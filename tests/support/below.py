"""The service below a path of its host, as an ASGI server says it, and what leaves that path."""

import json
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from tests.support.browser_client import WebClient

PREFIX = "/tracker"

# What is no address although it begins with a slash: a key, and the end of an address.
_NO_ADDRESS = {"data-key", "data-section", "value", "placeholder", "content"}
_ADDRESS = re.compile(r"/(?:[a-z]|$)")
_WHOLE = re.compile(r"(?:/[a-z]|https?://)\S*\Z")


def below(application, prefix=PREFIX):
    """Return an application that gets every request below a path."""

    async def called(scope, receive, send):
        await application({**scope, "root_path": prefix}, receive, send)

    return called


def leaves(address, host):
    """Return whether an address is one of the service, but not below the path."""
    parts = urlsplit(address)
    ours = parts.netloc in ("", host) and parts.scheme in ("", "http", "https")
    return ours and bool(_ADDRESS.match(parts.path)) and not f"{parts.path}/".startswith(f"{PREFIX}/")


class _Addresses(HTMLParser):
    """Gathers the values of attributes that look like addresses."""

    def __init__(self, source):
        super().__init__()
        self.found = []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            is_one = name in ("href", "src", "action") or (value or "").startswith("/")
            if value and name not in _NO_ADDRESS and is_one:
                self.found.append((f"<{tag} {name}>", value))


def in_page(source):
    """Return the addresses in a page, each with where it stands."""
    return _Addresses(source).found


def in_answer(body):
    """Return the addresses in an answer of the interface: whole values, and those in rendered texts."""
    if not body:
        return []
    texts = _texts(json.loads(body)) if body.startswith(b"{") else ET.fromstring(body).itertext()  # noqa: S314
    found = []
    for text in texts:
        found += in_page(text) if "<" in text else [("value", text)] if _WHOLE.match(text) else []
    return found


def _texts(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list):
        return [text for each in tree for text in _texts(each)]
    return [tree] if isinstance(tree, str) else []


def in_headers(answer):
    """Return the addresses in the headers of an answer, and the paths of its cookies."""
    found = [("Location", answer.headers[name]) for name in ("location",) if name in answer.headers]
    found += [("Link", each) for each in re.findall(r"<([^>]*)>", answer.headers.get("link", ""))]
    return found


def surfing_below(world, client, password):
    """Return somebody who has signed in below the path."""
    web = WebClient(below(world.instance.application), world.host)
    page = web.get(f"{PREFIX}/sign-in")
    web.submit(page, f"{PREFIX}/sign-in", email=client.email, password=password)
    return web
