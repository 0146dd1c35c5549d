"""Texts of tickets for mail: shortened, and without remote content."""

import re
from html import escape, unescape

from skerry.text.rendered_html import excerpt, joined

MAX_LENGTH = 20_000
"""The maximum length of a text, in characters; the page has the rest."""

_EXCERPT = 200

# A tag as the HTML cleaner writes it; all stored texts have passed through the cleaner.
_TAG = re.compile(r'<(?P<end>/?)(?P<name>\w+)(?P<attributes>(?: [\w-]+(?:="[^"]*")?)*) ?/?>')
_ATTRIBUTE = re.compile(r' ([\w-]+)(?:="([^"]*)")?')
_KEPT = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "tt",
        "u",
        "ul",
    ]
)


def shortened(text: str) -> str:
    """Return the beginning of a text that is too long for a mail."""
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]} …"


def excerpt_of(html: str) -> str:
    """Return the first words of a text on one line."""
    return excerpt(html, _EXCERPT)


def for_mail(html: str, text: str, page: str) -> str:
    """Return the HTML of a text on a page for a mail: without images and forms, and with absolute URLs.

    A text that is too long is cut, and shown as it was typed.
    """
    if len(text) > MAX_LENGTH or len(html) > 4 * MAX_LENGTH:
        return f"<pre>{escape(shortened(text))}</pre>"
    return _TAG.sub(lambda match: _tag(match, page), html)


def _tag(match: re.Match[str], page: str) -> str:
    name, attributes = match["name"], dict(_ATTRIBUTE.findall(match["attributes"]))
    if name == "img":
        return escape(unescape(attributes.get("alt", "")))
    if name == "input":
        return "☑ " if "checked" in attributes else "☐ "
    if name not in _KEPT:
        return ""
    if match["end"] or name != "a" or not attributes.get("href"):
        return f"<{match['end']}{name}>"
    return f'<a href="{joined(page, attributes["href"])}">'


REPLY_LINE = "--- Reply above this line ---"
"""The same in all languages, so that a quote of this line in a reply is recognized."""
