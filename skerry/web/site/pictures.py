"""Rendered texts on pages: task boxes become buttons, and images from other servers become links."""

import re
from html import escape, unescape

# A tag as the HTML cleaner writes it; all stored texts have passed through the cleaner.
_TAG = re.compile(r'<(?P<end>/?)(?P<name>\w+)(?P<attributes>(?: [\w-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_OVERLOOKED = re.compile(r"[\t\r\n]")
_OURS = re.compile(r"/(?![/\\]).*|[\w.-][^:]*", re.DOTALL)


def named(html: str, base: str) -> str:
    """Return the HTML of a text with links in place of images from other servers than ``base``.

    Links cannot be nested, so inside a link only the image's name remains.
    """
    if "<img" not in html:
        return html
    inside = False

    def tag(match: re.Match[str]) -> str:
        nonlocal inside
        if match["name"] == "a":
            inside = not match["end"]
        return _named(match, base, alone=inside) if match["name"] == "img" else match[0]

    return _TAG.sub(tag, html)


def _named(image: re.Match[str], base: str, *, alone: bool) -> str:
    attributes = dict(_ATTRIBUTE.findall(image["attributes"]))
    source = attributes.get("src", "")
    # Browsers ignore newlines and tabs in a URL.
    address = _OVERLOOKED.sub("", unescape(source))
    if _OURS.fullmatch(address) or address.startswith(f"{base}/"):
        return image[0]
    name = escape(unescape(attributes.get("alt", "")).strip() or address, quote=False)
    if alone or not source:
        return name
    return f'<a href="{source}" rel="nofollow noopener noreferrer">{name}</a>'


# The form in which the HTML cleaner writes the renderer's checkboxes.
_BOX = re.compile(
    r'<input type="checkbox" value="(?P<number>[0-9]+)" aria-label="(?P<name>[^"]*)"(?P<done> checked="")?'
    r' disabled="">'
)


def has_boxes(html: str) -> bool:
    """Return whether the HTML of a text contains a checkbox."""
    return "<input " in html


def with_boxes(html: str, form: str) -> str:
    """Return the HTML of a text with its checkboxes replaced by buttons that submit a form."""

    def button(box: re.Match[str]) -> str:
        does, state = ("untick", "true") if box["done"] else ("tick", "false")
        return (
            f'<button class="task" form="{form}" name="{does}" value="{box["number"]}" role="checkbox"'
            f' aria-checked="{state}" aria-label="{box["name"]}"></button>'
        )

    return _BOX.sub(button, html) if has_boxes(html) else html
