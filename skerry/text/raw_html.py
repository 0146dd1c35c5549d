"""HTML in texts: known tags take effect, and everything else is shown as written."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise

from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_BLOCKS = frozenset(
    """
    address blockquote div h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody td th thead tr ul
    """.split()  # noqa: SIM905 - a list is easier to read without the quotes
)
_WITHIN_LINES = frozenset("a abbr b br code del em i img s span strong tt u".split())  # noqa: SIM905
TAGS = _BLOCKS | _WITHIN_LINES
"""The permitted tags."""

_VOID = frozenset({"br", "hr", "img"})
_OF_TABLES = frozenset({"tbody", "td", "th", "thead", "tr"})
# Tags that may be left open at the end of their parent.
_ENDED_BY_PARENT = frozenset({"li", "p", *_OF_TABLES})

# An attribute without a value is not intended as HTML: ``<code ruby>`` is text.
_VALUE = r"""(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'=<>`]{1,2000})"""
_ATTRIBUTES = rf"(?:\s{{1,100}}[a-zA-Z_:][\w:.-]{{0,100}}\s{{0,100}}=\s{{0,100}}{_VALUE})*"
_NAME = "|".join(sorted(TAGS, key=len, reverse=True))
_TAG = re.compile(
    rf"<(?:/(?P<closed>{_NAME})\s{{0,100}}|(?P<opened>{_NAME}){_ATTRIBUTES}\s{{0,100}}/?)>",
    re.ASCII | re.IGNORECASE,
)
ATTACHED = "attachment"
"""The scheme of a file that was sent with the text, by its name: ``attachment:stairs.png``."""

SCHEMES = frozenset({"http", "https", "mailto", "ftp", ATTACHED})
"""The URL schemes that texts may link to."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.ASCII | re.IGNORECASE)
_HOST = re.compile(
    r"[a-z]+://(?:[^/?#@]*@)?(?:[\w.-]+|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?(?:[/?#]|$)", re.IGNORECASE
)
_ADDRESS = re.compile(r"""\s(?:href|src)\s*=\s*["']?\s*([^\s"'>]*)""", re.IGNORECASE)
_LINK = re.compile(r"<(/?)a[\s>]", re.IGNORECASE)
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_STRAY_AMPERSAND = re.compile(r"&(?!(?:[a-z][a-z0-9]{1,31}|#[0-9]{1,7}|#x[0-9a-f]{1,6});)", re.IGNORECASE)


def is_linkable(url: str) -> bool:
    """Return whether an address may be linked; otherwise it is text."""
    scheme = _SCHEME.match(url)
    if not scheme:
        return True
    name = scheme[1].lower()
    # The cleaner removes images with data URLs and shows their names, so the rest is not parsed.
    if name in ("mailto", ATTACHED) or url[:11].lower() == "data:image/":
        return True
    return name in SCHEMES and bool(_HOST.match(url))


@dataclass(slots=True, eq=False)
class _Tag:
    """A tag as written, which is shown as text unless it has a counterpart."""

    written: str
    name: str
    closes: bool
    works: bool = False


@dataclass(slots=True)
class _Frame:
    """The tags that were opened in one element of Markdown and may be closed there."""

    opened: list[_Tag] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)


class _Pairing:
    """Pairs tags, in the order of the text."""

    def __init__(self) -> None:
        self._frames = [_Frame()]

    def move(self, nesting: int) -> None:
        """Enter or leave an element of Markdown."""
        if nesting > 0:
            self._frames.append(_Frame())
        elif nesting < 0 and len(self._frames) > 1:
            self._frames.pop()

    def meet(self, tag: _Tag) -> None:
        """Process the next tag."""
        frame = self._frames[-1]
        if tag.closes:
            _close(frame, tag)
        elif tag.name in _VOID:
            tag.works = True
        elif tag.name not in _OF_TABLES or frame.names["table"]:
            frame.opened.append(tag)
            frame.names[tag.name] += 1


def _close(frame: _Frame, tag: _Tag) -> None:
    if not frame.names[tag.name]:
        return
    while True:
        last = frame.opened.pop()
        frame.names[last.name] -= 1
        if last.name == tag.name:
            last.works = tag.works = True
            return
        last.works = last.name in _ENDED_BY_PARENT


def tag_in_line(state: StateInline, silent: bool) -> bool:
    """Parse a known tag inside a paragraph."""
    if state.src[state.pos] != "<":
        return False
    match = _TAG.match(state.src, state.pos, state.posMax)
    if not match or not _leads_somewhere(match[0]):
        return False
    if not silent:
        state.push("html_inline", "", 0).content = match[0]
        link = _LINK.match(match[0])
        if link:
            state.linkLevel += -1 if link[1] else 1
    state.pos = match.end()
    return True


def tags_in_lines_of_their_own(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse lines of HTML that begin with a known tag which has its counterpart."""
    position = state.bMarks[start] + state.tShift[start]
    if state.src[position : position + 1] != "<":
        return False
    if "tags" not in state.env:
        state.env["tags"] = _working(state.src)
    return position in state.env["tags"] and html_block(state, start, end, silent)


def _working(text: str) -> frozenset[int]:
    """Return the positions of the tags that may begin a block and have a counterpart."""
    pairing = _Pairing()
    tags = [(match.start(), _tag(match)) for match in _tags_in(text)]
    for _, tag in tags:
        pairing.meet(tag)
    return frozenset(start for start, tag in tags if tag.works and tag.name in _BLOCKS)


def _tags_in(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _TAG.finditer(text) if _leads_somewhere(match[0]))


def _leads_somewhere(tag: str) -> bool:
    """Return whether all addresses in a tag may be linked; ``<a href="app:start">`` is shown as text."""
    return all(is_linkable(unescape(address)) for address in _ADDRESS.findall(tag))


def _tag(match: re.Match[str]) -> _Tag:
    return _Tag(match[0], (match["opened"] or match["closed"]).lower(), bool(match["closed"]))


def pair_tags(state: StateCore) -> None:
    """Turn all tags without a counterpart in the same element of Markdown into text."""
    if "<" not in state.src:
        return
    pairing = _Pairing()
    blocks: list[tuple[Token, list[str | _Tag]]] = []
    for token in state.tokens:
        pairing.move(token.nesting)
        if token.type == "html_block":
            pieces = list(_pieces(token.content))
            blocks.append((token, pieces))
            for piece in pieces:
                if isinstance(piece, _Tag):
                    pairing.meet(piece)
        elif token.children and any(child.type == "html_inline" for child in token.children):
            _pair_in_line(token.children)
    for token, pieces in blocks:
        token.content = "".join(_shown(piece) for piece in pieces)


def _pieces(html: str) -> Iterator[str | _Tag]:
    done = 0
    for match in _tags_in(html):
        yield html[done : match.start()]
        yield _tag(match)
        done = match.end()
    yield html[done:]


def _shown(piece: str | _Tag) -> str:
    if isinstance(piece, _Tag) and piece.works:
        return piece.written
    text = piece.written if isinstance(piece, _Tag) else piece
    # Character references mean these, as in all HTML.
    ampersands = _STRAY_AMPERSAND.sub("&amp;", text)
    return ampersands.replace("<", "&lt;").replace(">", "&gt;")


def _pair_in_line(children: list[Token]) -> None:
    pairing = _Pairing()
    tags = []
    for child in children:
        pairing.move(child.nesting)
        match = _TAG.fullmatch(child.content) if child.type == "html_inline" else None
        if match:
            tags.append((child, _tag(match)))
            pairing.meet(tags[-1][1])
    for child, tag in tags:
        if not tag.works:
            child.type = "text"
    for before, child in pairwise(children):
        # A <br> at the end of a line means one break, not two.
        if child.type == "softbreak" and before.type == "html_inline" and _BREAK.match(before.content):
            child.type, child.content = "text", "\n"
