"""Trac's WikiFormatting as Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skerry.text.markup import html
from skerry.text.markup.trac_lines import Line
from skerry.text.markup.trac_links import Names
from skerry.text.markup.writing import (
    Items,
    cell,
    code_block,
    code_lines,
    converted,
    heading,
    quoted,
    sign_below,
    table_with_heads,
)

_START = re.compile(r"\s*\{\{\{(?:\s*#!(?P<name>[\w+-][\w+/-]{0,99})(?:[^\n}]|\}(?!\}\}))*+|\s*)")
_PROCESSOR = re.compile(r"\s*#!(?P<name>[\w+-][\w+/-]{0,99})[^\n]*")
_END = "}}}"
_BLOCK = re.compile(r"\x00(\d{1,9})\x00")
_HEADING = re.compile(r"(={1,6})\s+(?=\S)(.*)")
_ANCHOR = re.compile(r"(?:^|\s)#[^\W\d][\w:.-]*+$")
_RULE = re.compile(r"-{4,}")
_ITEM = re.compile(r"(?:[-*\u2022]|(?P<start>[0-9]{1,9}|[a-zA-Z]|[ivxIVX]{1,5})\.)\s+(?=\S)(?P<text>.*)")
_TERM = re.compile(r"(?P<term>(?:`[^`]*+`|[^`:]|:(?!:))++)::(?:\s+(?P<text>.*))?")
_SEPARATOR = re.compile(r"\|-+.*")
_BARS = re.compile(r"(?P<bars>=?(?:\|\|)++=?)|`[^`\n]*+`|\{\{\{(?:[^{}\n]|\{(?!\{\{)|\}(?!\}\}))++\}\}\}")
_CELLS = frozenset(("td", "th"))
_FRAMED = frozenset(("box", "infobox", "note", "tip", "important", "warning", "caution"))
_OPEN = frozenset(("div", "figure", "span", "tr", "table", "rtl", "center", "wiki", "x-trac-wiki", *_CELLS))
_LANGUAGES = {"default": "", "text": "", "plain": "", "c++": "cpp", "comment": "", "htmlcomment": ""}
_COMMIT = "committicketreference"
_MAX_DEPTH = 6


def markdown(text: str, names: Names | None = None) -> str:
    """Return a text in WikiFormatting as Markdown; macros stay text, and so does a text that is too long."""
    names = names or Names()
    writer = _Writer(names)
    return converted(
        text, names.told, lambda plain: writer.written(plain.replace("\t", "    ").split("\n"), 0)
    )


class _Block(NamedTuple):
    """A part of a text that is written already, in lines of its own and inside of a line."""

    markdown: str
    in_line: str
    is_cell: bool = False


class _Writer:
    def __init__(self, names: Names) -> None:
        self.names, self.line = names, Line(names)
        self.blocks = list[_Block]()

    def written(self, lines: Sequence[str], depth: int) -> str:
        """Return the Markdown of lines, whose blocks are taken out first."""
        return _Lines(self, depth).written(self._without_blocks(lines, depth))

    def _without_blocks(self, lines: Sequence[str], depth: int) -> list[str]:
        """Return lines with the numbers of blocks; a block without an end goes on to the last line."""
        kept, inside, opening, level = list[str](), list[str](), "", 0
        for line in lines:
            starts = "{{{" in line and bool(_START.fullmatch(line))
            level += starts
            if not level:
                kept.append(line)
            elif starts and level == 1:
                opening, inside = line, []
            elif line.strip() == _END and level == 1:
                kept.append(self._add(opening, inside, depth))
                level = 0
            else:
                level -= line.strip() == _END
                inside.append(line)
        if level:
            kept.append(self._add(opening, inside, depth))
        return kept

    def _add(self, opening: str, inside: list[str], depth: int) -> str:
        """Keep a block and return the line with its number."""
        indent = opening[: len(opening) - len(opening.lstrip())]
        match = _START.fullmatch(opening)
        name = (match["name"] if match else "") or ""
        if not name and inside and (match := _PROCESSOR.fullmatch(inside[0])):
            name, inside = match["name"], inside[1:]
        content = [line.removeprefix(indent) for line in inside]
        self.blocks.append(self._block(name.lower().rpartition("/")[2], content, depth))
        return f"{indent}\0{len(self.blocks) - 1}\0"

    def _block(self, name: str, content: list[str], depth: int) -> _Block:
        text = "\n".join(content).strip("\n").rstrip()
        if not text.strip():
            return _Block("", "", name in _CELLS)
        if name == "html":
            written = html.markdown(text, numbers=False)
        elif (name in _FRAMED or name in _OPEN or name == _COMMIT) and depth < _MAX_DEPTH:
            written = self.written(content, depth + 1)
            written = written if name in _OPEN or not written else quoted(written)
        else:
            return self._code(name, text)
        return _Block(written, written.replace("\n", " "), name in _CELLS)

    def _code(self, name: str, text: str) -> _Block:
        self.names.told["hidden"] += name in ("comment", "htmlcomment")
        block = code_block(text, _LANGUAGES.get(name, name.removeprefix("x-")))
        return _Block(block, "<br>".join(code_lines(text)))

    def block(self, line: str) -> _Block | None:
        """Return the block whose number is a line, or None."""
        match = _BLOCK.fullmatch(line)
        return self.blocks[int(match[1])] if match else None


@dataclass
class _Item:
    indent: int
    text: str
    start: int | None = None


class _Lines:
    """Writes the lines of a text; lines of one kind are collected until another kind comes."""

    def __init__(self, writer: _Writer, depth: int) -> None:
        self._writer, self._line, self._depth = writer, writer.line, depth
        self._made = list[str]()
        self._kind = ""
        self._kept = list[str]()
        self._items = list[_Item]()
        self._sign = "."

    def written(self, lines: Sequence[str]) -> str:
        for line in lines:
            self._take(line)
        self._end()
        return "\n\n".join(each for each in self._made if each)

    def _take(self, line: str) -> None:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        block = self._writer.block(text) if text.startswith("\0") else None
        if not text:
            self._end()
        elif block and not (self._kind == "items" and indent > self._items[0].indent):
            self._take_block(block, text)
        elif self._kind == "rows" and self._kept[-1].endswith("\\"):
            # The last bar of the line and the first bar of the next one are the same.
            row = self._kept[-1][:-1].rstrip()
            self._kept[-1] = f"{row.removesuffix('||') if text.startswith('||') else row}{text}"
        elif text.startswith(("||", "=||")) or (self._kind == "rows" and _SEPARATOR.fullmatch(text)):
            self._keep("rows", text)
        elif line.startswith(">"):
            self._keep("citation", line)
        elif match := _HEADING.fullmatch(text):
            self._end()
            title = _ANCHOR.sub("", match[2]).rstrip("=").strip()
            level = len(match[1])
            self._made.append(heading(level, self._line.written(title).replace("\n", " ")))
        elif _RULE.fullmatch(text):
            self._end()
            self._made.append("---")
        elif not self._take_item(text, indent):
            self._keep("quotation" if indent else "paragraph", text)

    def _take_block(self, block: _Block, text: str) -> None:
        if block.is_cell and self._kind == "rows":
            self._kept[-1] = f"{self._kept[-1].rstrip('|')}||{text}||"
        else:
            self._end()
            self._made.append(block.markdown)

    def _take_item(self, text: str, indent: int) -> bool:
        """Take a line of a list, and return whether it is one."""
        if item := _ITEM.fullmatch(text):
            number = None
            if start := item["start"]:
                number = int(start) if start.isdecimal() else 1
            self._add_item(_Item(indent, item["text"], number))
        elif indent and "::" in text and (term := _TERM.fullmatch(text)):
            self._add_item(_Item(indent, f"'''{term['term'].strip()}''': {term['text'] or ''}".rstrip()))
        elif self._kind == "items" and indent > self._items[0].indent:
            self._items[-1].text += f"\n{text}"
        else:
            return False
        return True

    def _add_item(self, item: _Item) -> None:
        if self._kind != "items":
            self._end()
            self._kind = "items"
        self._items.append(item)

    def _keep(self, kind: str, line: str) -> None:
        if self._kind != kind:
            self._end()
            self._kind = kind
        self._kept.append(line)

    def _end(self) -> None:
        """Write what has been collected."""
        kept, self._kept = self._kept, []
        if self._kind == "paragraph":
            self._made.append(self._line.paragraph(kept))
        elif self._kind == "quotation":
            self._made.append(quoted(self._line.paragraph(kept)))
        elif self._kind == "citation":
            self._made.append(quoted(self._cited(kept)))
        elif self._kind == "rows":
            self._made.append(self._table(kept))
        elif self._kind == "items":
            self._made.append(self._list())
            self._items = []
        self._kind = ""

    def _cited(self, lines: list[str]) -> str:
        if self._depth >= _MAX_DEPTH:
            return self._line.paragraph([line.lstrip("> ") for line in lines])
        return _Lines(self._writer, self._depth + 1).written([line[1:].removeprefix(" ") for line in lines])

    def _list(self) -> str:
        items, indents = Items(), list[int]()
        self._sign = sign_below(self._made, self._sign)
        for item in self._items:
            while indents and item.indent < indents[-1]:
                indents.pop()
            if not indents or item.indent > indents[-1]:
                indents.append(item.indent)
            content = "\n".join(self._parts(item.text))
            items.add(
                len(indents), content, numbered=item.start is not None, sign=self._sign, start=item.start or 1
            )
        return "\n".join(items.lines)

    def _parts(self, text: str) -> Iterator[str]:
        for place, piece in enumerate(_BLOCK.split(text)):
            if place % 2:
                yield self._writer.blocks[int(piece)].markdown
            elif piece.strip():
                yield self._line.paragraph(piece.strip("\n").split("\n"))

    def _table(self, kept: list[str]) -> str:
        rows = [_cells(line) for line in kept if not _SEPARATOR.fullmatch(line)]
        rows = [row for row in rows if row]
        if not rows:
            return self._line.paragraph(kept)
        return table_with_heads(
            [[(self._cell(text.strip()), is_head) for text, is_head in row] for row in rows]
        )

    def _cell(self, text: str) -> str:
        block = self._writer.block(text)
        return cell(block.in_line if block else self._line.written(text))


def _cells(row: str) -> list[tuple[str, bool]]:
    """Return the texts of the cells in a row, and whether each is a head; empty ones fill a wide one."""
    bars = [match for match in _BARS.finditer(row) if match["bars"]]
    found = list[tuple[str, bool]]()
    for at, bar in enumerate(bars):
        end = bars[at + 1] if at + 1 < len(bars) else None
        text = row[bar.end() : end.start() if end else len(row)]
        if end is None and not text.strip():
            break
        is_head = bar[0].endswith("=") and (end is None or end[0].startswith("="))
        found.append((text, is_head))
        found += [("", is_head)] * min(bar[0].count("||") - 1, 50)
    return found
