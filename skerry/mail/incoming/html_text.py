"""Conversion of HTML messages to plain text that reads as Markdown."""

import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser

import nh3

MAX_LENGTH = 512 * 1024
"""The maximum length of the HTML, in characters; the rest is ignored."""

_BREAKS = frozenset("address blockquote div h1 h2 h3 h4 h5 h6 hr ol p pre table tr ul".split())  # noqa: SIM905 - names
_APART = frozenset("blockquote h1 h2 h3 h4 h5 h6 ol p pre table ul".split())  # noqa: SIM905 - names
_EMPTY = frozenset(("br", "hr", "img"))
_CLEANER = nh3.Cleaner(
    tags={*_BREAKS, *_EMPTY, "a", "li", "span", "td", "th"},
    attributes={"*": {"class", "id", "name", "style"}, "a": {"href"}, "img": {"alt"}},
    clean_content_tags={"head", "script", "style", "title"},
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)
_BLANKS = re.compile(r"[ \t\r\n\f\u00a0]+")
_MAX_DEPTH = 10

HISTORY = "\ue000"
"""Begins each line of an earlier message or a signature that has no quote marks in the HTML."""

# The names that programs give to elements, some with a prefix such as "x_": an earlier message or a
# signature; an attribution of the quote in it or below it; an element directly above an earlier message.
_ALL = re.compile(
    r"yahoo_quoted|mail-editor-reference-message-container|ms-outlook-mobile-reference-message|"
    r"OLK_SRC_BODY_SECTION|freshdesk_quote|missive_quote|outreach-quote|hs_reply|intercom-quote|fernand_quote|"
    r"\bname=quote |\bid=(?:origbody|reply139content) |"
    r"gmail_signature|moz-signature|protonmail_signature_block|ms-outlook-mobile-signature|sh-signature|"
    r"tutanota_signature"
)
_ABOVE_QUOTE = re.compile(
    r"gmail_quote|gmail_attr|gmail_extra|protonmail_quote|tutanota_quote|skiff_quote|moz-cite-prefix|"
    r"messageReplySection|zmail_extra|airmail_on|front-blockquote|notion-mail-quote|"
    r"quoted-content|\bid=reply-intro "
)
_ABOVE_ALL = re.compile(
    r"divRplyFwdMsg|appendonsend|OutlookMessageHeader|zwchr|stopSpelling|"
    r"\bid=(?:replySplit|oriMsgHtmlSeperator) |"
    r"border-top:\s*solid\s+#(?:E1E1E1|B5C4DF)\b|border-top-color:\s*rgb\(229,\s?229,\s?229\)",
    re.IGNORECASE,
)
_NAMED = ("class", "id", "name", "style")
_EMOJI = re.compile(
    r"(?=.*[^\x00-\x7f])(?:(?![^\W\d_]).){1,30}|[:;8=][^\sA-Za-z]{1,3}|:[a-z0-9_+-]{2,40}:", re.DOTALL
)
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
    writer = _TextWriter()
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


class _TextWriter(HTMLParser):
    """A parser that writes text."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._line = ""
        self._quotes = 0
        self._lists: list[int] = []
        self._verbatim = 0
        self._link: tuple[str, int] | None = None
        # For each open element, whether it is an earlier message, and whether only up to the next quote.
        self._open: list[tuple[bool, bool]] = []
        self._history = 0
        self._below: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a line, a quote, a list item or a link."""
        if tag in _BREAKS or tag == "li":
            self._end_line()
        if tag in _APART:
            self._blank_line()
        self._open_element(tag, "".join(f"{name}={value} " for name, value in attrs if name in _NAMED))
        self._start(tag, dict(attrs))

    def _start(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag == "br":
            self._break()
        elif tag == "img":
            self._line += _emoji(attributes.get("alt") or "")
        elif tag == "blockquote":
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
            self._link = (attributes.get("href") or "", len(self._line))

    def _open_element(self, tag: str, names: str) -> None:
        """Record whether an element is an earlier message, or is directly above one."""
        if tag == "blockquote" and self._history:
            self._open = [(is_all, False) for is_all, _ in self._open]
            self._history = sum(is_all for is_all, _ in self._open)
        if _ABOVE_ALL.search(names):
            self._below.append(self._quotes)
        if tag not in _EMPTY:
            is_all, is_above = bool(_ALL.search(names)), bool(_ABOVE_QUOTE.search(names))
            self._open.append((is_all, is_above and not is_all and tag != "blockquote"))
            self._history += any(self._open[-1])

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
            self._below = [depth for depth in self._below if depth <= self._quotes]
        elif tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        elif tag == "pre":
            self._verbatim = max(0, self._verbatim - 1)
        if self._open and tag not in _EMPTY:
            self._history -= any(self._open.pop())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle an empty element."""
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        """Add text to the current line."""
        data = data.replace(HISTORY, "")
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

    def _break(self) -> None:
        if self._line.strip():
            self._end_line()
        else:
            self._blank_line()

    def _end_line(self) -> None:
        line, self._line = self._line.rstrip(), ""
        if line:
            self._lines.append(self._mark() + line)
            self._link = None

    def _blank_line(self) -> None:
        if self._lines and self._lines[-1].strip(f"> {HISTORY}"):
            self._lines.append(self._mark().rstrip())

    def _mark(self) -> str:
        history = HISTORY if self._history or self._below else ""
        return history + "> " * min(self._quotes, _MAX_DEPTH)


def _is_same(words: str, address: str) -> bool:
    return words.strip("/") in (address.strip("/"), address.partition("://")[2].strip("/"))


def _emoji(alternative: str) -> str:
    """Return the text that stands for a picture if it is an emoji."""
    return alternative if _EMOJI.fullmatch(alternative) else ""
