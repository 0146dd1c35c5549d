"""Jira's wiki markup as Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skerry.text.markup import html
from skerry.text.markup.jira_lines import Line, Names
from skerry.text.markup.writing import (
    Items,
    cell,
    code_block,
    code_in_line,
    code_lines,
    converted,
    heading,
    quoted,
    sign_below,
    table_with_heads,
)

_MACRO = re.compile(r"\{(code|noformat|html|quote|panel)(:[^{}\n]{0,300})?\}", re.IGNORECASE)
_VERBATIM = ("code", "noformat", "html")
_NO_LANGUAGES = ("none", "plain", "text")
_BLOCK = re.compile(r"\x00(\d{1,9})\x00")
_HEADING = re.compile(r"h([1-6])\.[ \t]*(?=\S)(.*)")
_QUOTE = re.compile(r"bq\.[ \t]*(.*)")
_RULE = re.compile(r"-{4,5}[ \t]*")
_ITEM = re.compile(r"([*#]{1,20}|-{1,3})[ \t]+(?=\S)(.*)")
_CELL = re.compile(
    r"""
    (?P<bars>\|\|?)
  | \\\|
  | \{\{(?:[^{}\n]|\{(?!\{)|\}(?!\}))++\}\}
  | \[[^\[\]\n]++\]
  | ![^\s!|][^!|\n]{0,500}\|[^!|\n]{0,200}!
""",
    re.VERBOSE,
)


def markdown(text: str, names: Names | None = None) -> str:
    """Return a text in Jira's markup as Markdown; one that is too long stays as it is."""
    names = names or Names()
    return converted(text, names.told, _Writer(names).written)


class _Block(NamedTuple):
    """A part of a text that is written already, in lines of its own and inside of a line."""

    markdown: str
    in_line: str


class _Writer:
    def __init__(self, names: Names) -> None:
        self._blocks = list[_Block]()
        self._names = names
        self.line = Line(names, lambda number: self._blocks[number].in_line)

    def written(self, text: str) -> str:
        """Return the Markdown of a text: first what is verbatim, then what has other blocks inside."""
        without_code = self._without(text, _VERBATIM)
        return self._nested(without_code, ("panel", "quote"))

    def _nested(self, text: str, kinds: tuple[str, ...]) -> str:
        return _Lines(self, self._without(text, kinds)).written()

    def _without(self, text: str, kinds: tuple[str, ...]) -> str:
        """Return a text with the macros of these kinds replaced by the numbers of their blocks."""
        tags = [match for match in _MACRO.finditer(text) if match[1].lower() in kinds]
        # From the end, the next closing tag of each kind is known.
        ends, closing = dict[int, int](), dict[str, int]()
        for place in range(len(tags) - 1, -1, -1):
            kind = tags[place][1].lower()
            if kind in closing:
                ends[place] = closing[kind]
            if not tags[place][2]:
                closing[kind] = place
        pieces, done, place = list[str](), 0, 0
        while place < len(tags):
            end = ends.get(place)
            if end is None:
                place += 1
                continue
            opening, inside = tags[place], text[tags[place].end() : tags[end].start()]
            pieces += (text[done : opening.start()], self._add(opening, inside, kinds))
            done, place = tags[end].end(), end + 1
        return "".join((*pieces, text[done:]))

    def _add(self, opening: re.Match[str], inside: str, kinds: tuple[str, ...]) -> str:
        kind, options = opening[1].lower(), _options(opening[2] or "")
        if kind in _VERBATIM:
            block = html_block(inside) if kind == "html" else _code(inside, options)
        else:
            block = self._quotation(inside, options, tuple(each for each in kinds if each != kind))
        if not block.markdown:
            return ""
        self._blocks.append(block)
        return f"\0{len(self._blocks) - 1}\0"

    def _quotation(self, inside: str, options: dict[str, str], kinds: tuple[str, ...]) -> _Block:
        title = self.line.written(options.get("title", ""))
        written = self._nested(inside, kinds) if kinds else _Lines(self, inside).written()
        whole = "\n\n".join(each for each in (f"**{title}**" if title else "", written) if each)
        return _Block(quoted(whole) if whole else "", " ".join(whole.split("\n")))

    def parts(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the lines between the blocks of a text, and its blocks, which are Markdown already."""
        for place, piece in enumerate(_BLOCK.split(text)):
            if place % 2:
                yield self._blocks[int(piece)].markdown, True
            elif piece.strip():
                yield piece, False


def html_block(inside: str) -> _Block:
    """Return the block of a text in HTML."""
    written = html.markdown(inside)
    return _Block(written, written.replace("\n", " "))


def _code(inside: str, options: dict[str, str]) -> _Block:
    code = inside.strip("\n").rstrip()
    if not code.strip():
        return _Block("", "")
    language = options.get("lang", options.get("language", options.get("", "")))
    block = code_block(code, "" if language.lower() in _NO_LANGUAGES else language)
    title = options.get("title", "").strip('"')
    in_line = "<br>".join(code_lines(code))
    return _Block(f"{code_in_line(title)}\n\n{block}" if title else block, in_line)


def _options(text: str) -> dict[str, str]:
    """Return the options of a macro by their names; the first one may have none."""
    pairs = (piece.partition("=") for piece in text.removeprefix(":").split("|") if piece)
    return {
        name.strip().lower() if sign else "": (value if sign else name).strip() for name, sign, value in pairs
    }


@dataclass
class _Item:
    marks: str
    text: str


class _Lines:
    """Writes the blocks of a text, line by line."""

    def __init__(self, writer: _Writer, text: str) -> None:
        self._writer, self._line = writer, writer.line
        self._text = text
        self._made = list[str]()
        self._paragraph = list[str]()
        self._items = list[_Item]()
        self._rows = list[str]()
        self._sign = "."

    def written(self) -> str:
        for line in self._text.split("\n"):
            self._take(line.strip())
        self._end()
        return "\n\n".join(self._made)

    def _take(self, line: str) -> None:
        if not line:
            self._end()
        elif line.startswith("|"):
            self._end(rows=False)
            self._rows.append(line)
        elif self._rows and not self._rows[-1].endswith("|") and not _starts(line):
            self._rows[-1] += f"\n{line}"
        elif match := _ITEM.fullmatch(line):
            self._end(items=False)
            self._items.append(_Item(match[1], match[2]))
        elif match := _HEADING.fullmatch(line):
            self._end()
            self._made.append(heading(int(match[1]), self._line.written(match[2]).replace("\n", " ")))
        elif match := _QUOTE.fullmatch(line):
            self._end()
            self._made.append(quoted(self._rich(match[1], "\n\n")))
        elif _RULE.fullmatch(line):
            self._end()
            self._made.append("---")
        elif self._items:
            self._items[-1].text += f"\n{line}"
        else:
            if self._rows:
                self._end()
            self._paragraph.append(line)

    def _end(self, *, items: bool = True, rows: bool = True) -> None:
        """Write what has been collected, except for what goes on."""
        if self._paragraph:
            self._made.append(self._rich("\n".join(self._paragraph), "\n\n"))
            self._paragraph = []
        if self._items and items:
            self._made.append(self._list())
            self._items = []
        if self._rows and rows:
            self._made.append(self._table())
            self._rows = []

    def _rich(self, text: str, between: str) -> str:
        """Return the Markdown of lines with blocks among them."""
        return between.join(
            part if is_block else self._line.paragraph(part.strip("\n").split("\n"))
            for part, is_block in self._writer.parts(text)
        )

    def _list(self) -> str:
        items = Items()
        self._sign = sign_below(self._made, self._sign)
        for item in self._items:
            depth = 1 if item.marks[0] == "-" else len(item.marks)
            numbered = item.marks[-1] == "#"
            items.add(depth, self._rich(item.text, "\n"), numbered=numbered, sign=self._sign)
        return "\n".join(items.lines)

    def _table(self) -> str:
        return table_with_heads(
            [[(self._cell(text), is_head) for text, is_head in _cells(row)] for row in self._rows]
        )

    def _cell(self, text: str) -> str:
        return cell("\n".join(self._line.written(line.strip()) for line in text.strip().split("\n")))


def _starts(line: str) -> bool:
    return bool(_HEADING.fullmatch(line) or _RULE.fullmatch(line))


def _cells(row: str) -> list[tuple[str, bool]]:
    """Return the texts of the cells in a row, and whether each is a head."""
    bars = [match for match in _CELL.finditer(row) if match["bars"]]
    ends = [match.start() for match in bars[1:]] + [len(row)]
    cells = [(row[bar.end() : end], bar[0] == "||") for bar, end in zip(bars, ends, strict=True)]
    return cells[:-1] if len(cells) > 1 and not cells[-1][0].strip() else cells
