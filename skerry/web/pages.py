"""Pages for browsers."""

from collections.abc import Iterable
from http import HTTPStatus

from jinja2 import Environment, PackageLoader, StrictUndefined

_TEMPLATES = Environment(
    loader=PackageLoader("skerry.web"), autoescape=True, undefined=StrictUndefined, auto_reload=False
)


def error(status: int, sentences: Iterable[str]) -> bytes:
    """Give the page that says what went wrong."""
    page = _TEMPLATES.get_template("error.html")
    return page.render(status=status, title=HTTPStatus(status).phrase, sentences=list(sentences)).encode()


def welcome(base: str) -> bytes:
    """Give the page at the root: that the service runs, and how to speak to it."""
    return _TEMPLATES.get_template("welcome.html").render(title="Skerry", base=base).encode()
