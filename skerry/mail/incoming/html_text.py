"""Conversion of HTML messages to plain text that reads as Markdown."""

import re
from collections import Counter
from html.parser import HTMLParser

import nh3

MAX_LENGTH = 512 * 1024
"""The maximum length of the HTML, in characters; the rest is ignored."""

_BREAKS = frozenset("address blockquote div h1 h2 h3 h4 h5 h6 hr ol p pre table tr ul".split())  # noqa: SIM905 - names
_APART = frozenset("blockquote h1 h2 h3 h4 h5 h6 ol p pre table ul".split())  # noqa: SIM905 - names
_CLEANER = nh3.Cleaner(
    tags={*_BREAKS, "a", "br", "li", "td", "th"},
    attributes={"a": {"href"}},
    clean_content_tags={"head", "script", "style", "title"},
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)
_BLANKS = re.compile(r"[ \t\r\n\f\u00a0]+")
_MAX_DEPTH = 10
# Tags whose end may be omitted do not count: they would seem nested when they are not.
_TAG = re.compile(
    r"<(/?)(?!(?:p|li|td|th|tr|br|img|hr|o:p|meta|link|col|input)\b)([a-z][a-z0-9:]{0,20})", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
_MAX_TAGS = 20_000
_MAX_TAG_DEPTH = 200
# An ampersand that begins no entity takes the parser time in proportion to all others.
_MAX_ENTITIES = 100_000


def to_text(html: str) -> str:
    """Return the text of HTML, with marks for quotes, lists and links; everything else is dropped."""
    writer = _Writer()
    # The cleaner returns well-formed HTML for any input.
    writer.feed(_CLEANER.clean(_flattened(html[:MAX_LENGTH])))
    writer.close()
    return writer.text()


def _flattened(html: str) -> str:
    """Return HTML that parses fast: without tags if there are too many or they are nested too deeply."""
    depth: Counter[str] = Counter()
    deepest = tags = 0
    for tags, tag in enumerate(_TAG.finditer(html), start=1):  # noqa: B007 - the last number is used below
        name = tag[2].lower()
        depth[name] = max(0, depth[name] + (-1 if tag[1] else 1))
        deepest = max(deepest, depth[name])
    simple = tags <= _MAX_TAGS and deepest <= _MAX_TAG_DEPTH
    if html.count("&") > _MAX_ENTITIES:
        html = html.replace("&", "&amp;")
    return html if simple else _ANY_TAG.sub(" ", html)


class _Writer(HTMLParser):
    """A parser that writes text."""

    def __init__(self) -> None:
        """Create a writer without text."""
        super().__init__()
        self._lines: list[str] = []
        self._line = ""
        self._quotes = 0
        self._lists: list[int] = []
        self._verbatim = 0
        self._link: tuple[str, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a line, a quote, a list item or a link."""
        if tag in _BREAKS or tag in ("br", "li"):
            self._end_line()
        if tag in _APART:
            self._blank_line()
        if tag == "blockquote":
            self._quotes += 1
        elif tag in ("ol", "ul"):
            self._lists.append(0 if tag == "ol" else -1)
        elif tag == "li":
            self._item()
        elif tag == "pre":
            self._verbatim += 1
        elif tag in ("td", "th") and self._line.strip():
            self._line += "  "
        elif tag == "a":
            self._link = (dict(attrs).get("href") or "", len(self._line))

    def handle_endtag(self, tag: str) -> None:
        """Finish the element."""
        if tag == "a":
            self._end_link()
        if tag in _BREAKS or tag == "li":
            self._end_line()
        if tag in _APART:
            self._blank_line()
        if tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        elif tag == "pre":
            self._verbatim = max(0, self._verbatim - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle an empty element."""
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        """Add text to the current line."""
        if self._verbatim:
            first, *rest = data.split("\n")
            self._line += first
            for line in rest:
                self._end_line()
                self._line = line
            return
        said = _BLANKS.sub(" ", data)
        self._line += said if self._line else said.lstrip()

    def text(self) -> str:
        """Return the text written so far."""
        self._end_line()
        return "\n".join(self._lines).strip("\n")

    def _item(self) -> None:
        if not self._lists or self._lists[-1] < 0:
            mark = "- "
        else:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}. "
        self._line = "  " * min(_MAX_DEPTH, max(0, len(self._lists) - 1)) + mark

    def _end_link(self) -> None:
        if self._link is None:
            return
        address, start = self._link
        self._link = None
        words = self._line[start:].strip() if start <= len(self._line) else ""
        # A link whose text is its address is not repeated.
        if words and address.startswith("http") and not _is_same(words, address):
            self._line = f"{self._line.rstrip()} <{address}>"

    def _end_line(self) -> None:
        line, self._line = self._line.rstrip(), ""
        if line:
            self._lines.append(self._quote() + line)
            self._link = None

    def _blank_line(self) -> None:
        mark = self._quote().rstrip()
        if self._lines and self._lines[-1].strip("> "):
            self._lines.append(mark)

    def _quote(self) -> str:
        return "> " * min(self._quotes, _MAX_DEPTH)


def _is_same(words: str, address: str) -> bool:
    return words.strip("/") in (address.strip("/"), address.partition("://")[2].strip("/"))
