"""HTML as Markdown, as far as it is of the kind that trackers write: known tags, well nested or not."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape

from skerry.text.markup.writing import (
    Items,
    at_line_start,
    cell,
    code_block,
    code_in_line,
    code_lines,
    heading,
    label,
    link,
    plain,
    quoted,
    table,
)

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})(?P<rest>(?:[\s/][^<>]{0,2000})?)>")
_ATTRIBUTE = re.compile(r"""\b(href|src|alt|class)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SPACE = re.compile(r"[ \t\r\n]+")
_LANGUAGE = re.compile(r"(?:language-)?([a-zA-Z][\w+#.-]{0,29})")
_TARGET = re.compile(r"(?:https?|ftp)://|mailto:", re.IGNORECASE)

_MAX_DEPTH = 16
_EMPHASIS = {
    **dict.fromkeys(("b", "strong"), ("**", "**")),
    **dict.fromkeys(("i", "em", "cite"), ("*", "*")),
    **dict.fromkeys(("s", "del", "strike"), ("~~", "~~")),
    **dict.fromkeys(("u", "ins"), ("<u>", "</u>")),
}
_INSIDE = frozenset((*_EMPHASIS, "a", "code", "tt", "kbd", "samp"))
_THROUGH = frozenset(
    (
        *("span", "font", "small", "big", "center", "abbr", "acronym", "sup", "sub", "caption", "label"),
        *("tbody", "thead", "tfoot", "colgroup", "col", "body", "html", "dl", "section", "article", "wbr"),
    )
)
_LISTS = frozenset(("ul", "ol"))
_CELLS = frozenset(("td", "th"))
_FRAMES = frozenset(("blockquote", "li", "pre", "table", "tr", "td", "th", *_LISTS, *_INSIDE))
_BLOCKS = frozenset(("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "hr"))
_KNOWN = _FRAMES | _THROUGH | _BLOCKS | {"br", "img"}
_RAW = frozenset(("pre", "code", "tt", "kbd", "samp"))


def markdown(html: str, *, numbers: bool = True) -> str:
    """Return HTML as Markdown; unknown tags stay as they are written.

    With ``numbers``, ``#12`` is no reference and is escaped.
    """
    return _Writer(numbers=numbers).written(html)


@dataclass
class _Frame:
    """An element that has been opened; ``line`` is the text since the last block, ``heading`` its level."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    heads: bool = True
    level: int = 0


class _Writer:
    def __init__(self, *, numbers: bool) -> None:
        self._frames = [_Frame("")]
        self._numbers = numbers

    @property
    def _top(self) -> _Frame:
        return self._frames[-1]

    def written(self, html: str) -> str:
        """Return the Markdown of all blocks."""
        done = 0
        for match in _TAG.finditer(html):
            if match["name"].lower() not in _KNOWN:
                continue
            self._text(html[done : match.start()])
            done = match.end()
            self._tag(match["name"].lower(), match["rest"], closes=bool(match["close"]))
        self._text(html[done:])
        while len(self._frames) > 1:
            self._close()
        self._flush()
        return "\n\n".join(self._top.blocks)

    def _text(self, text: str) -> None:
        if not text:
            return
        if any(frame.name == "pre" for frame in self._frames):
            self._top.line.append(unescape(text))
        elif self._top.name in _RAW:
            self._top.line.append(_SPACE.sub(" ", unescape(text)))
        else:
            self._top.line.append(plain(_SPACE.sub(" ", unescape(text)), numbers=self._numbers))

    def _tag(self, name: str, rest: str, *, closes: bool) -> None:
        if self._within("pre") and not (closes and name == "pre"):
            if name == "br":
                self._top.line.append("\n")
            elif name == "code" and not closes:
                self._top.attributes = {**_attributes(rest), **self._top.attributes}
            return
        if name in ("br", "img"):
            self._top.line.append("\n" if name == "br" else _image(_attributes(rest)))
        elif name in _FRAMES and closes:
            self._end(name)
        elif name in _FRAMES:
            self._begin(name, rest)
        elif name in _BLOCKS:
            self._leave_line()
            self._flush()
            if name == "hr":
                self._top.blocks.append("---")
            elif name in ("dt", *(f"h{level}" for level in range(1, 7))) and not closes:
                in_cell = any(map(self._within, _CELLS))
                self._top.level = int(name[1]) if name[1].isdigit() and not in_cell else -1

    def _within(self, name: str) -> bool:
        return any(frame.name == name for frame in self._frames)

    def _begin(self, name: str, rest: str) -> None:
        if name not in _INSIDE:
            self._leave_line()
            self._flush()
        if name == "li" and self._top.name == "li":
            self._close()
        if name in ("tr", *_CELLS):
            while self._top.name in (_CELLS if name != "tr" else ("tr", *_CELLS)):
                self._close()
        if len(self._frames) < _MAX_DEPTH:
            self._frames.append(_Frame(name, _attributes(rest)))

    def _end(self, name: str) -> None:
        if not self._within(name):
            return
        # What is inside of a line does not end what is around it.
        if name in _INSIDE and not any(frame.name == name for frame in self._line_frames()):
            return
        while self._top.name != name:
            self._close()
        self._close()

    def _line_frames(self) -> list[_Frame]:
        frames = list[_Frame]()
        for frame in reversed(self._frames):
            if frame.name not in _INSIDE:
                break
            frames.append(frame)
        return frames

    def _leave_line(self) -> None:
        while self._top.name in _INSIDE:
            self._close()

    def _flush(self) -> None:
        """Make a block of the line so far."""
        frame = self._top
        text = "".join(frame.line).strip()
        level, frame.level, frame.line = frame.level, 0, []
        if not text:
            return
        if level > 0:
            frame.blocks.append(heading(level, text.replace("\n", " ")))
            return
        lines = "\n".join(at_line_start(line.strip()) for line in text.split("\n"))
        frame.blocks.append(f"**{lines}**" if level and "**" not in lines else lines)

    def _close(self) -> None:
        frame = self._top
        if frame.name in _INSIDE:
            self._frames.pop()
            self._top.line.append(_inside(frame))
            return
        if frame.name != "pre":
            self._flush()
        self._frames.pop()
        _CLOSING[frame.name](self._top, frame)


def _inside(frame: _Frame) -> str:
    """Return the Markdown of an element inside of a line, with the blanks at its ends outside of it."""
    text = "".join(frame.line)
    inner = text.strip()
    if not inner:
        return " " if text else ""
    before = text[: len(text) - len(text.lstrip())]
    after = text[len(text.rstrip()) :]
    if frame.name in _RAW:
        return f"{before}{code_in_line(inner)}{after}"
    if frame.name in _EMPHASIS:
        opening, closing = _EMPHASIS[frame.name]
        return f"{before}{opening}{inner}{closing}{after}"
    url = unescape(frame.attributes.get("href", "")).strip()
    if not _TARGET.match(url) or any(each.isspace() for each in url):
        return text
    return f"{before}{url if inner == url else link(label(inner), url)}{after}"


def _image(attributes: Mapping[str, str]) -> str:
    url, words = unescape(attributes.get("src", "")), unescape(attributes.get("alt", ""))
    if not _TARGET.match(url) or any(each.isspace() for each in url):
        return plain(words or url)
    return f"!{link(label(plain(words)), url)}"


def _attributes(rest: str) -> dict[str, str]:
    return {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(rest)}


def _close_quotation(parent: _Frame, frame: _Frame) -> None:
    if parent.name in _CELLS:
        parent.blocks += frame.blocks
    elif frame.blocks:
        parent.blocks.append(quoted("\n\n".join(frame.blocks)))


def _close_pre(parent: _Frame, frame: _Frame) -> None:
    code = "".join(frame.line).strip("\r\n").rstrip().replace("\r\n", "\n")
    language = _LANGUAGE.match(frame.attributes.get("class", ""))
    if parent.name in _CELLS:
        parent.blocks += code_lines(code)
    elif code.strip():
        parent.blocks.append(code_block(code, language[1] if language else ""))


def _close_item(parent: _Frame, frame: _Frame) -> None:
    tight = "\n".join(frame.blocks) if len(frame.blocks) < _FEW else "\n\n".join(frame.blocks)
    parent.blocks.append(tight)


def _close_list(parent: _Frame, frame: _Frame) -> None:
    items = Items()
    for block in frame.blocks:
        items.add(1, block, numbered=frame.name == "ol", sign=_sign(parent))
    # Marks of empty items inside of each other would be a line across the page.
    if any(frame.blocks):
        parent.blocks.append("\n".join(items.lines))


def _sign(parent: _Frame) -> str:
    """Return what follows the numbers of a list: Markdown would go on with those of a list just before."""
    before = parent.blocks[-1] if parent.blocks else ""
    return ")" if re.match(r"\d{1,9}\.\s", before) else "."


def _close_table(parent: _Frame, frame: _Frame) -> None:
    parent.blocks += frame.blocks
    if frame.rows:
        parent.blocks.append(table(frame.rows, head=frame.heads))


def _close_row(parent: _Frame, frame: _Frame) -> None:
    if frame.rows and parent.name == "table":
        parent.heads = frame.heads if not parent.rows else parent.heads
        parent.rows.append(frame.rows[0])
    elif frame.rows:
        parent.blocks.append(" ".join(frame.rows[0]))


def _close_cell(parent: _Frame, frame: _Frame) -> None:
    text = cell("\n".join(frame.blocks))
    if parent.name != "tr":
        parent.blocks += frame.blocks
        return
    parent.heads = parent.heads and frame.name == "th"
    parent.rows = parent.rows or [[]]
    parent.rows[0].append(text)


_FEW = 3
_CLOSING: Mapping[str, Callable[[_Frame, _Frame], None]] = {
    "blockquote": _close_quotation,
    "pre": _close_pre,
    "li": _close_item,
    "ul": _close_list,
    "ol": _close_list,
    "table": _close_table,
    "tr": _close_row,
    "td": _close_cell,
    "th": _close_cell,
}
