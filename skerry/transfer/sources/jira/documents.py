"""Documents of Jira's newer interface, which sends texts as trees, as Markdown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from skerry.text.markup.jira_lines import PICTURE, Names
from skerry.text.markup.writing import (
    Items,
    at_line_start,
    cell,
    code_block,
    code_in_line,
    heading,
    indented,
    label,
    link,
    plain,
    quoted,
    table,
)

_MAX_DEPTH = 20
_MAX_SPAN = 50
_MAX_COLUMNS = 200
_MAX_NUMBER = 999_999_999
_PAIRS = {"strong": ("**", "**"), "em": ("*", "*"), "strike": ("~~", "~~"), "underline": ("<u>", "</u>")}
_COLORS = ("textColor", "backgroundColor")
# The last two name sources of data, which nobody sees.
_KNOWN_MARKS = frozenset((*_PAIRS, "code", "link", "dataConsumer", "fragment"))
_SAID = frozenset(("mention", "emoji", "status", "date", "placeholder", "inlineCard"))
_CARDS = frozenset(("blockCard", "embedCard"))
_IN_LINES = frozenset((*_SAID, "text", "hardBreak", "inlineExtension", "mediaInline"))
# Nodes that only hold others.
_AROUND = frozenset(
    (
        *("listItem", "taskItem", "blockTaskItem", "decisionItem", "layoutSection", "layoutColumn"),
        *("mediaSingle", "mediaGroup", "caption"),
    )
)

Node = Mapping[str, Any]


def markdown(document: Node, names: Names) -> str:
    """Return a document as Markdown, and count in ``names.told`` what Markdown does not have, by its kind."""
    return "\n\n".join(_Writer(names).blocks(document, 0))


def _content(node: Node) -> list[Node]:
    content = node.get("content")
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _kind(node: Node) -> str:
    return str(node.get("type"))


def _attribute(node: Node, name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, dict) else None
    return str(value) if isinstance(value, str | int) else ""


def _number(node: Node, name: str, most: int) -> int:
    """Return an attribute that is a number from 1, by default 1."""
    said = _attribute(node, name)[:10]
    return min(max(int(said), 1), most) if said.isdecimal() else 1


def _marks(node: Node) -> dict[str, Node]:
    marks = node.get("marks")
    return {_kind(each): each for each in marks if isinstance(each, dict)} if isinstance(marks, list) else {}


def _address(node: Node) -> str:
    """Return where the link of a node leads, if it has one."""
    return _attribute(_marks(node).get("link", {}), "href")


class _Writer:
    """Writes the nodes of a document."""

    def __init__(self, names: Names) -> None:
        self._names, self._told = names, names.told
        self._cells = 0
        self._writers = {
            "paragraph": lambda node, _: self._paragraph(_content(node)),
            "heading": self._heading,
            "codeBlock": self._code,
            "rule": lambda _, __: "---",
            "table": self._table,
            **dict.fromkeys(("bulletList", "orderedList", "taskList", "decisionList"), self._list),
            **dict.fromkeys(("blockquote", "panel", "expand", "nestedExpand"), self._quotation),
        }

    def blocks(self, node: Node, depth: int) -> list[str]:
        """Return the blocks inside of a node; one that is nested too deeply is a paragraph of words."""
        if depth > _MAX_DEPTH:
            self._told["levels"] += 1
            return [text] if (text := plain(_words(node))) else []
        return [block for block in self._blocks(node, depth + 1) if block]

    def _blocks(self, node: Node, depth: int) -> Iterator[str]:
        for is_line, nodes in groupby(_content(node), lambda each: _kind(each) in _IN_LINES):
            if is_line:
                yield self._paragraph(nodes)
            else:
                yield from (self._block(each, depth) for each in nodes)

    def _block(self, node: Node, depth: int) -> str:
        self._count_marks(node)
        kind = _kind(node)
        if write := self._writers.get(kind):
            return write(node, depth)
        inner = "\n\n".join(self.blocks(node, depth))
        if kind in _AROUND:
            return inner
        self._told[kind] += bool(inner)
        return inner or self._inside(node).strip()

    def _count_marks(self, node: Node) -> None:
        self._told.update(
            "colors" if name in _COLORS else name for name in _marks(node) if name not in _KNOWN_MARKS
        )

    def _paragraph(self, nodes: Iterable[Node]) -> str:
        return "\n".join(at_line_start(line.strip()) for line in self._line(nodes).split("\n")).strip()

    def _heading(self, node: Node, _depth: int) -> str:
        text = self._line(_content(node)).replace("\n", " ")
        if not self._cells:
            return heading(_number(node, "level", 6), text)
        return text if "**" in text or not text.strip() else f"**{text.strip()}**"

    def _code(self, node: Node, _depth: int) -> str:
        code = _words(node)
        if self._cells:
            return "\n".join(code_in_line(line) for line in code.split("\n") if line.strip())
        return code_block(code, _attribute(node, "language"))

    def _quotation(self, node: Node, depth: int) -> str:
        self._told["panels"] += _kind(node) == "panel"
        inner, title = "\n\n".join(self.blocks(node, depth)), plain(_attribute(node, "title"))
        whole = "\n\n".join(part for part in (f"**{title}**" if title else "", inner) if part)
        return quoted(whole) if whole and not self._cells else whole

    def _list(self, node: Node, depth: int) -> str:
        items, numbered, is_empty = Items(), _kind(node) == "orderedList", True
        start = _number(node, "order", _MAX_NUMBER)
        for item in _content(node):
            kind = _kind(item)
            # A list of tasks has the tasks below one of them after it.
            inner = "\n".join(self.blocks({"content": [item]} if kind == "taskList" else item, depth + 1))
            is_empty = is_empty and not inner and kind not in ("taskItem", "blockTaskItem")
            if kind == "taskList":
                items.lines.append(f"  {indented(inner, 2)}")
            elif kind in ("taskItem", "blockTaskItem"):
                done = "x" if _attribute(item, "state") == "DONE" else " "
                items.lines.append(f"- [{done}] {indented(inner, 2)}")
            else:
                items.add(1, inner, numbered=numbered, start=start)
        # Marks of empty items inside of each other would be a line across the page.
        return "" if is_empty else "\n".join(items.lines)

    def _table(self, node: Node, depth: int) -> str:
        lines = [cells for row in _content(node) if (cells := _content(row))]
        if not lines:
            return ""
        head = all(_kind(each) == "tableHeader" for each in lines[0])
        return table(self._rows(lines, depth + 2), head=head)

    def _rows(self, lines: Iterable[list[Node]], depth: int) -> Iterator[list[str]]:
        """Yield the cells of each row; a merged cell has empty ones beside and below it, up to a width."""
        covered = Counter[int]()
        for line in lines:
            row = list[str]()
            for each in line:
                while covered[len(row)]:
                    covered[len(row)] -= 1
                    row.append("")
                most = min(_MAX_SPAN, max(_MAX_COLUMNS - len(row), 1))
                wide, high = _number(each, "colspan", most), _number(each, "rowspan", most)
                self._told["merged"] += wide > 1 or high > 1
                covered.update(dict.fromkeys(range(len(row), len(row) + wide), high - 1))
                row += [self._cell(each, depth), *[""] * (wide - 1)]
            yield row

    def _cell(self, node: Node, depth: int) -> str:
        self._cells += 1
        written = cell("\n".join(self.blocks(node, depth)))
        self._cells -= 1
        return written

    def _line(self, nodes: Iterable[Node]) -> str:
        written = list[str]()
        for node in nodes:
            self._count_marks(node)
            written.append(self._inside(node))
        return "".join(written)

    def _inside(self, node: Node) -> str:
        """Return what is inside of a line."""
        kind = _kind(node)
        if kind == "hardBreak":
            return "\n"
        if kind == "text":
            return _text(node)
        if kind in ("media", "mediaInline"):
            return self._media(node)
        said = self._said(kind, node)
        self._told[kind] += not said or kind not in _SAID | _CARDS
        return said

    def _said(self, kind: str, node: Node) -> str:
        if kind == "mention":
            key = _attribute(node, "id")
            name = self._names.person(key) or _attribute(node, "text").removeprefix("@") or key
            return f'@"{name}"' if (name := name.replace('"', "")) else ""
        return _day(_attribute(node, "timestamp")) if kind == "date" else plain(_words(node))

    def _media(self, node: Node) -> str:
        """Return a picture, or a link to another file; of one that is not here, its name."""
        name, url = _attribute(node, "alt"), _attribute(node, "url")
        target, is_picture = url or self._names.file(name), bool(url or PICTURE.fullmatch(name))
        shown = label(plain(name or url, numbers=True))
        if not target:
            kind = "pictures" if is_picture else "files"
            self._told[kind if name else "unnamed"] += 1
            return f"[{shown}]" if name else ""
        written = f"{'!' * is_picture}{link(shown, target)}"
        return link(written, _address(node)) if is_picture and _address(node) else written


def _day(milliseconds: str) -> str:
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _text(node: Node) -> str:
    text, marks = str(node.get("text") or ""), _marks(node)
    inner = text.strip()
    if not inner:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    written = code_in_line(inner) if "code" in marks else plain(inner, numbers=True)
    for name, (opening, closing) in _PAIRS.items():
        if name in marks and "code" not in marks:
            written = f"{opening}{written}{closing}"
    url = _address(node)
    if url and url != inner:
        written = link(label(written), url)
    elif url:
        written = url
    return f"{before}{written}{after}"


def _words(node: Node) -> str:
    """Return all text inside of a node, however deep it is."""
    found, waiting = list[str](), [node]
    while waiting:
        each = waiting.pop()
        said = each.get("text")
        if not isinstance(said, str):
            names = ("text", "shortName", "url", "title", "alt")
            said = next((text for name in names if (text := _attribute(each, name))), "")
        found.append("\n" if _kind(each) == "hardBreak" else said)
        waiting += reversed(_content(each))
    return "".join(found)
