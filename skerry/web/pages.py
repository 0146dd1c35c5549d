"""Pages for browsers."""

from collections.abc import Iterable
from http import HTTPStatus

from jinja2 import Environment, PackageLoader, StrictUndefined

from skerry.text.markdown import render
from skerry.web.openapi.guide import Resource

BASE = b"TRACKER-ADDRESS"
"""Stands for the address of the tracker on a page that is made once for all addresses."""

_TEMPLATES = Environment(
    loader=PackageLoader("skerry.web"),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,
    trim_blocks=True,
    lstrip_blocks=True,
)


def error(status: int, sentences: Iterable[str]) -> bytes:
    """Give the page that says what went wrong."""
    page = _TEMPLATES.get_template("error.html")
    return page.render(status=status, title=HTTPStatus(status).phrase, sentences=list(sentences)).encode()


def welcome(base: str) -> bytes:
    """Give the page at the root: that the service runs, and how to speak to it."""
    return _TEMPLATES.get_template("welcome.html").render(title="Skerry", base=base).encode()


def api(about: str, resources: Iterable[Resource]) -> bytes:
    """Give the page that describes the interface, with BASE for the address."""
    page = _TEMPLATES.get_template("api.html")
    return page.render(
        title="The interface",
        about=render(about, None),
        resources=resources,
        base=BASE.decode(),
    ).encode()
