"""Parts of Markdown, written so that they mean what they say."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from skerry.text.markdown import MAX_TEXT_LENGTH
from skerry.text.raw_html import TAGS

_PUNCTUATION = r"!-/:-@\[-`{-~"
_TAG = "|".join(sorted(TAGS, key=len, reverse=True))
# Each alternative ends at the next character of its kind or after some hundred characters, so that a text of
# nothing else takes no longer.
_SPECIAL = re.compile(
    rf"""
    (?P<slash>\\(?=[{_PUNCTUATION}]|$))
  | (?P<tick>`)
  | (?P<star>\*)
  | (?P<line>_+)
  | (?P<strike>~~+)
  | (?P<tag><(?=/?(?:{_TAG})\b|[a-z][\w.+-]{{0,63}}[:@]))
  | (?P<entity>&(?=\#|[a-z]\w{{0,31}};))
  | (?P<target>\](?=\())
  | (?P<code>(?<![\w@])@(?=[^\s@][^@\n]*@(?!\w)))
  | (?P<quote>"(?=:(?:https?://|ftp://|/)))
  | (?P<number>\#(?=[1-9]))
""",
    re.VERBOSE | re.IGNORECASE,
)
_ANY_SPECIAL = re.compile(r'[\\`*_~<&@#"\]]')
_LINE_START = re.compile(
    r"""
    (?P<mark>\#{1,6}(?=\s|$) | > | [-+*](?=\s|$) | @@@
      | \[[ xX]\](?=\s) | \[(?=[^\]\n]{1,999}\]:)
      | (?:=+|-+)$ | [-_*](?=[ \t]*[-_*][ \t]*[-_*][-_* \t]*$) | [|:-](?=[|: \t-]*$))
  | (?P<item>\d{1,9})(?=[.)](?:\s|$))
""",
    re.VERBOSE,
)
_URL = re.compile(r"""(?<![^\W_])(?:https?|ftp)://[^\s<>"`\[\]|{}\\\x00]++""")
URL = _URL.pattern
"""Matches an address that is a link by itself, with the punctuation after it."""

_END = ".,;:!?'*_~|)"
# What is no character: nothing, and halves of characters.
_NOTHING = re.compile("[\0\ud800-\udfff]")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#._-]{0,29}")
_SAFE = "/:?#@!$&'*+,;=%~[]|"


class Done(NamedTuple):
    """A part of a line that is Markdown already."""

    markdown: str


@dataclass(slots=True)
class Mark:
    """A mark such as ``*`` that may begin or end an emphasis; ``pair`` is the Markdown for both."""

    written: str
    kind: str
    opens: bool
    closes: bool
    pair: tuple[str, str] = ("", "")
    markdown: str = field(default="")


Piece = str | Done | Mark

_MAX_LEVELS = 6


def converted(text: str, told: Counter[str], convert: Callable[[str], str]) -> str:
    """Return a text as a function converts it, with the ends of its lines unified.

    A text that is longer than MAX_TEXT_LENGTH, before or after, stays as it is and is counted in ``told``,
    because it is shown as it is written.
    """
    if len(text) <= MAX_TEXT_LENGTH:
        written = convert(_NOTHING.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))
        if len(written) <= MAX_TEXT_LENGTH:
            return written
    told["texts"] += 1
    return text


def joined(pieces: Sequence[Piece], *, numbers: bool) -> str:
    """Return a line of these pieces as Markdown; marks without a counterpart are text.

    With ``numbers``, ``#12`` is no reference and is escaped.
    """
    _pair(pieces)
    written, text = list[str](), list[str]()
    for piece in pieces:
        markdown = piece.markdown if isinstance(piece, Done | Mark) else ""
        if markdown:
            written += (escaped("".join(text), numbers=numbers), markdown)
            text = []
        elif not isinstance(piece, Done):
            text.append(piece.written if isinstance(piece, Mark) else piece)
    return "".join((*written, escaped("".join(text), numbers=numbers)))


def _pair(pieces: Sequence[Piece]) -> None:
    """Find the marks that belong together; each is looked at twice at most."""
    opened = list[Mark]()
    waiting = Counter[str]()
    for piece in pieces:
        if not isinstance(piece, Mark):
            continue
        if piece.closes and waiting[piece.kind]:
            while (last := opened.pop()).kind != piece.kind:
                waiting[last.kind] -= 1
            waiting[piece.kind] -= 1
            last.markdown, piece.markdown = last.pair[0], piece.pair[1]
        elif piece.opens:
            opened.append(piece)
            waiting[piece.kind] += 1


def escaped(text: str, *, numbers: bool = False) -> str:
    """Return text that reads the same in Markdown."""
    if not _ANY_SPECIAL.search(text):
        return text
    return _SPECIAL.sub(_escaped_number if numbers else _escaped, text)


def plain(text: str, *, numbers: bool = False) -> str:
    """Return text with addresses, which are links by themselves, that reads the same in Markdown."""
    if "://" not in text:
        return escaped(text, numbers=numbers)
    pieces, done = list[str](), 0
    for match in _URL.finditer(text):
        url = trimmed(match[0])
        pieces += (escaped(text[done : match.start()], numbers=numbers), url)
        done = match.start() + len(url)
    return "".join((*pieces, escaped(text[done:], numbers=numbers)))


def trimmed(url: str) -> str:
    """Return an address without the punctuation that ends a sentence or an emphasis."""
    more = url.count(")") - url.count("(")
    end = len(url)
    while end and url[end - 1] in _END:
        if url[end - 1] == ")":
            if more <= 0:
                break
            more -= 1
        end -= 1
    return url[:end]


def _escaped_number(match: re.Match[str]) -> str:
    return f"\\{match[0]}" if match["number"] else _escaped(match)


def _escaped(match: re.Match[str]) -> str:
    found, said, text = match.lastgroup, match[0], match.string
    if found == "number":
        return said
    before, after = text[match.start() - 1 : match.start()] or "x", text[match.end() : match.end() + 1]
    if found in ("star", "line") and before.isspace() and after.isspace():
        return said
    if found == "line" and match.start() and before.isalnum() and after.isalnum():
        return said
    return "".join(f"\\{each}" for each in said)


def at_line_start(line: str) -> str:
    """Return a line of a paragraph that does not begin another block."""
    match = _LINE_START.match(line)
    if not match:
        return line
    return f"{match['item']}\\{line[match.end() :]}" if match["item"] else f"\\{line}"


def code_in_line(code: str) -> str:
    """Return code in a line, whatever it contains."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if code[:1] == "`" or code[-1:] == "`" or (code[:1] == code[-1:] == " ") else ""
    return f"{ticks}{space}{code}{space}{ticks}"


def code_lines(code: str) -> list[str]:
    """Return the lines of code that are not blank, each as code in a line."""
    return [code_in_line(line) for line in code.split("\n") if line.strip()]


def code_block(code: str, language: str = "") -> str:
    """Return code in lines of its own, whatever it contains."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    ticks = "`" * max(3, longest + 1)
    name = language.lower() if _LANGUAGE.fullmatch(language.lower()) else ""
    return f"{ticks}{name}\n{code}\n{ticks}"


def address(url: str) -> str:
    """Return an address as the target of a link."""
    return quote(url, safe=_SAFE)


def link(label: str, url: str, title: str = "") -> str:
    """Return a link; the label is Markdown, the title is text."""
    escaped_title = re.sub(r'[\\"&<]', lambda match: f"\\{match[0]}", title)
    return f'[{label}]({address(url)} "{escaped_title}")' if title else f"[{label}]({address(url)})"


def label(text: str) -> str:
    """Return text inside of the square brackets of a link."""
    return re.sub(r"(?<!\\)[\[\]]", lambda match: f"\\{match[0]}", text)


def heading(level: int, text: str) -> str:
    """Return a heading of a line of Markdown."""
    return f"{'#' * level} {re.sub(r'(#+)$', lambda match: f'{chr(92)}{match[0]}', text)}"


def quoted(markdown: str) -> str:
    """Return blocks as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def indented(markdown: str, width: int) -> str:
    """Return blocks as the content of a list item whose first line has its mark before it."""
    return markdown.replace("\n", f"\n{' ' * width}").replace(f"\n{' ' * width}\n", "\n\n")


def table(rows: Iterable[Sequence[str]], *, head: bool) -> str:
    """Return a table of cells of Markdown in a line each; without a head, the first line is empty."""
    lines = [list(row) for row in rows]
    columns = max(len(row) for row in lines)
    first = lines.pop(0) if head else []
    first += [""] * (columns - len(first))
    return "\n".join((_row(first), "|" + "---|" * columns, *map(_row, lines)))


def table_with_heads(rows: Sequence[Sequence[tuple[str, bool]]]) -> str:
    """Return a table of cells and whether each is a head; those outside of a first line of heads are bold."""
    head = all(is_head for _, is_head in rows[0])
    plain = rows[0] if head else None
    return table(
        (
            [f"**{text}**" if text and is_head and row is not plain else text for text, is_head in row]
            for row in rows
        ),
        head=head,
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(markdown: str) -> str:
    """Return Markdown for a cell of a table."""
    return markdown.replace("|", r"\|").replace("\n", "<br>")


def no_name(_name: str) -> str:
    """Return nothing for a name, because none is known."""
    return ""


def sign_below(blocks: Sequence[str], sign: str) -> str:
    """Return what follows the numbers of a list; Markdown would go on with those of a list just before."""
    is_below = bool(blocks) and blocks[-1].lstrip()[:1].isdigit()
    return ")" if is_below and sign == "." else "."


class _Level(NamedTuple):
    numbered: bool
    number: int
    width: int


@dataclass
class Items:
    """Writes the items of lists, which may be nested and mixed."""

    lines: list[str] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=list)

    def add(self, depth: int, content: str, *, numbered: bool, sign: str = ".", start: int = 1) -> None:
        """Add an item of blocks, at most one level deeper than the last; ``start`` numbers a first item."""
        depth = min(depth, len(self.levels) + 1, _MAX_LEVELS)
        before = self.levels[depth - 1] if len(self.levels) >= depth else None
        number = before.number + 1 if before and before.numbered == numbered else start
        mark = f"{number}{sign} " if numbered else "- "
        self.levels[depth - 1 :] = [_Level(numbered, number, len(mark))]
        width = sum(level.width for level in self.levels)
        text = f"{mark}{indented(content, width)}".rstrip()
        self.lines.append(" " * (width - len(mark)) + text)
