"""Rendered texts outside of their page: absolute links, and excerpts."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin

# A tag as the HTML cleaner writes it, which escapes all quotation marks in values.
_TAG = re.compile(r'<\w+(?: [\w-]+(?:="[^"]*")?)+')
_LINK = re.compile(r'( (?:href|src)=")([^"]+)')


_NUMBER = "([1-9][0-9]{0,17})"
_TICKET = re.compile(rf'<a href="/projects/{_NUMBER}/tickets/{_NUMBER}" title="(?:Ticket|In) ')


def tickets_linked(html: str) -> Iterator[tuple[int, int]]:
    """Yield the project and the number of each ticket that a text names, such as ``#12``."""
    return ((int(match[1]), int(match[2])) for match in _TICKET.finditer(html))


def absolute(html: str, page: str) -> str:
    """Return the HTML of a text on a page with absolute links and images."""
    return _TAG.sub(lambda tag: _LINK.sub(lambda link: link[1] + joined(page, link[2]), tag[0]), html)


def joined(page: str, link: str) -> str:
    """Return a link on a page as an absolute address; one that is no address stays as it is."""
    try:
        return urljoin(page, link)
    except ValueError:
        return link


# These separate words, even without a space.
_APART = re.compile(r"<(?:br|/(?:p|div|li|td|th|h[1-6]|pre|blockquote|address))\b")
_TAG = re.compile(r"""<(?:"[^"]*(?:"|$)|[^">])*(?:>|$)""")
# The last word may be cut; a single long one is shown.
_LAST_WORD = re.compile(r"(?:(?<=\S) \S*|.)$")
_CUT = re.compile(r"&#?\w*$")


def excerpt(html: str, longest: int) -> str:
    """Return the first words of rendered text on one line, without markup, up to ``longest`` characters.

    Words that were left out are marked. The text may be cut off anywhere, even inside a tag.
    """
    apart = _APART.sub(lambda match: f" {match[0]}", html)
    return shortened(" ".join(unescape(_CUT.sub("", _TAG.sub("", apart))).split()), longest)


def shortened(words: str, longest: int) -> str:
    """Return one line of text, with "…" for the words beyond ``longest`` characters."""
    return words if len(words) <= longest else f"{_LAST_WORD.sub('', words[:longest])}…"
