"""Images in texts: those on other servers are replaced by links, and never loaded.

Otherwise the other server would learn who reads a page, and when. The link has the image's name.
"""

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

    def tag(found: re.Match[str]) -> str:
        nonlocal inside
        if found["name"] == "a":
            inside = not found["end"]
        return _named(found, base, alone=inside) if found["name"] == "img" else found[0]

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
