"""Rendered texts on pages: task boxes, headings, images from other servers, files that came with a text."""

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from urllib.parse import quote, unquote

from skerry.resources.tickets import Attachment
from skerry.text.file_names import file_name
from skerry.text.raw_html import ATTACHED

# A tag as the HTML cleaner writes it; all stored texts have passed through the cleaner.
_TAG = re.compile(r'<(?P<end>/?)(?P<name>\w+)(?P<attributes>(?: [\w-]+="[^"]*")*)>')
_LOWEST = 6
_HEADING = re.compile(r"<(/?)h([1-6])\b")
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


_FILE = re.compile(rf' (?P<as>src|href)="{ATTACHED}:(?P<name>[^"]{{0,1000}})"')


def placed(html: str, files: Iterable[Attachment]) -> str:
    """Return the HTML of a text with the addresses of ``files`` that came with it, in place of their names.

    A picture leads to itself in full size. Of a file that is not there, what the text calls it remains.
    """
    if f'"{ATTACHED}:' not in html:
        return html
    named = {file.filename: file for file in files}
    inside = False

    def tag(match: re.Match[str]) -> str:
        nonlocal inside
        if match["name"] == "a":
            inside = not match["end"]
        reference = _FILE.search(match["attributes"])
        return (
            _placed(match, reference, named.get(_name(reference)), inside=inside) if reference else match[0]
        )

    return _TAG.sub(tag, html)


def _placed(tag: re.Match[str], reference: re.Match[str], file: Attachment | None, *, inside: bool) -> str:
    is_picture = tag["name"] == "img"
    if file is None:
        alt = dict(_ATTRIBUTE.findall(tag["attributes"])).get("alt", "")
        return escape(unescape(alt), quote=False) if is_picture else tag[0].replace(reference[0], "")
    address = f"/attachments/{file.id}/{quote(file.filename)}"
    # With width and height, the layout does not shift when the picture is loaded.
    size = (
        f' width="{file.width}" height="{file.height}"' if is_picture and file.width and file.height else ""
    )
    there = tag[0].replace(reference[0], f' {reference["as"]}="{address}"{size}')
    return f'<a href="{address}">{there}</a>' if is_picture and not inside else there


def _name(reference: re.Match[str]) -> str:
    """Return the name under which a file is kept that a text names."""
    return file_name(unquote(unescape(reference["name"])))


def beside(files: Sequence[Attachment], html: str | None) -> list[Attachment]:
    """Return the files that the HTML of their text does not show as pictures."""
    tags = _TAG.finditer(html) if html and f'"{ATTACHED}:' in html else ()
    matches = [_FILE.search(tag["attributes"]) for tag in tags if tag["name"] == "img"]
    shown = {_name(reference) for reference in matches if reference}
    return [file for file in files if file.filename not in shown]


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


def with_headings_in_order(html: str) -> str:
    """Return a text whose headings begin below that of the page and skip no level."""
    levels = list[str]()

    def tag(heading: re.Match[str]) -> str:
        end, level = heading.groups()
        if not end:
            levels[:] = [*(each for each in levels if each < level), level]
        return f"<{end}h{min(len(levels) + 1, _LOWEST)}"

    return _HEADING.sub(tag, html)
