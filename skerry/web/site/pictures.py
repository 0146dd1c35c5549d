"""Pictures in what people write: those from elsewhere are named on pages, and never fetched.

Whoever keeps such a picture would learn who reads, and when. So no page shows it, and its name leads there.
"""

import re
from html import escape, unescape

# A tag as a cleaner of HTML writes it, which is how all texts are kept.
_TAG = re.compile(r'<(?P<end>/?)(?P<name>\w+)(?P<attributes>(?: [\w-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_OVERLOOKED = re.compile(r"[\t\r\n]")
_OURS = re.compile(r"/(?![/\\]).*|[\w.-][^:]*", re.DOTALL)


def named(html: str, base: str) -> str:
    """Return the HTML of a text with links where pictures from elsewhere than ``base`` stood.

    In a link there cannot be another one: there the name of the picture stands alone.
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
    # Browsers overlook ends of lines and tabs in an address.
    address = _OVERLOOKED.sub("", unescape(source))
    if _OURS.fullmatch(address) or address.startswith(f"{base}/"):
        return image[0]
    name = escape(unescape(attributes.get("alt", "")).strip() or address, quote=False)
    if alone or not source:
        return name
    return f'<a href="{source}" rel="nofollow noopener noreferrer">{name}</a>'
