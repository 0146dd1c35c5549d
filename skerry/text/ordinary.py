"""Short ways through the Markdown parser for what most texts are made of.

They are rules in front of the parser's own, which read what they leave. What comes out is the same.
"""

import re
from collections.abc import Sequence

from markdown_it.common.utils import MD_TRIM_CHARS, escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from skerry.text.references import Link, link_tokens, shortened, text_token

# Where a rule for what stands in a line might begin; a low line inside a word begins nothing.
_IN_WORD = "(?<![A-Za-z0-9]_(?=[A-Za-z0-9]))"
_SIGNS = re.compile(rf"[`*_&<@\[\\~]{_IN_WORD}")
# The same with line ends, colons of addresses, pictures and ends of brackets: where all rules are tried.
TERMINATORS = re.compile(rf"[`*_&<@\[\\~\n:!\]]{_IN_WORD}")

# Each of these patterns begins with a set of characters, as all others are passed over fast then.
_CODE = r"(?<=`)(?<!``)([^`\n]+)`(?!`)"
_STRESSED = r"([A-Za-z0-9][^`*_&<@\[\\~\n:]*+)(?<=[A-Za-z0-9])"
_EMPHASIS = rf"(?<=\*)(?<![^ \n(]\*)(\*?+){_STRESSED}\*\2(?![^ \n.,;:!?)])"
# Addresses in which the parser has nothing to encode, up to a blank.
_HOST = r"(?:[a-z0-9-]{1,50}\.){1,4}[a-z]{2,20}"
_PATH = r"/(?:(?:[A-Za-z0-9._/?=&#!~+-]|%[0-9A-Fa-f]{2}){0,1000}[A-Za-z0-9/])?"
_ADDRESS = rf"(?<=h)(?<![^ \n]h)(ttps?://{_HOST}(?:{_PATH})?)(?=[.,;:!?]*+(?![^ \n]))"
_SPANS = re.compile(rf"[`*h](?:{_CODE}|{_EMPHASIS}|{_ADDRESS})")
_INDENTATION = re.compile(r"\n[ \t]+")

# What some other block than a paragraph may begin with, and what a line below a heading is made of.
_BEGINNINGS = frozenset("#*+-_=<>|:`~@[0123456789")
_UNDERLINE = "-=|: \t"
_BEGINNING = rf"[^ \t\n{re.escape(''.join(sorted(_BEGINNINGS)))}]"
_PROSE = re.compile(rf"(?:{_BEGINNING}[^\n]*+(?:\n++|\Z))++")
_BLANK_LINES = re.compile(r"\n\n+")
_ITEM = re.compile(rf"(?:([0-9]{{1,9}})([.)])|([-+*])) {{1,4}}({_BEGINNING}.*)")


def _ready(html: str) -> Token:
    return Token("ready", "", 0, content=html)


# Outside of other lists and quotations nothing changes these marks, so that all texts share them.
_PARAGRAPH, _END_OF_PARAGRAPH = _ready("<p>"), _ready("</p>\n")
_ORDERED, _END_OF_ORDERED = _ready("<ol>\n"), _ready("</ol>\n")
_BULLETS, _END_OF_BULLETS = _ready("<ul>\n"), _ready("</ul>\n")
_ITEM_OPEN, _END_OF_ITEM = _ready("<li>"), _ready("</li>\n")
# Nobody sees the paragraphs of a short list, but the tokens of a text are counted.
_HIDDEN = _ready("")
_STRESS = {"": (_ready("<em>"), _ready("</em>")), "*": (_ready("<strong>"), _ready("</strong>"))}


def line_ends(state: StateCore) -> None:
    """Leave line feeds alone; other characters were mended before."""
    if "\r" in state.src:
        state.src = state.src.replace("\r\n", "\n").replace("\r", "\n")


def blocks(state: StateCore) -> None:
    """Read a text of nothing but paragraphs at once, other texts line by line."""
    if _PROSE.fullmatch(state.src):
        for content in _BLANK_LINES.split(state.src.rstrip("\n")):
            state.tokens += (_PARAGRAPH, _inline(content, 1), _END_OF_PARAGRAPH)
    else:
        state.md.block.parse(state.src, state.md, state.env, state.tokens)


def paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Read a paragraph whose lines begin as most lines do."""
    if _first(state, start) in _BEGINNINGS or state.is_code_block(start):
        return False
    state.parentType = "paragraph"
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line):
        if _first(state, line) in _BEGINNINGS:
            if not state.src[state.bMarks[line] : state.eMarks[line]].strip(_UNDERLINE):
                return False
            if _interrupted(state, line):
                break
        line += 1
    if state.level:
        content = state.getLines(start, line, state.blkIndent, False)
        state.push("paragraph_open", "p", 1)
        state.tokens.append(_inline(content, state.level))
        state.push("paragraph_close", "p", -1)
    else:
        content = state.src[state.bMarks[start] : state.eMarks[line - 1]]
        state.tokens += (_PARAGRAPH, _inline(content, 1), _END_OF_PARAGRAPH)
    state.line = line
    return True


def _first(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line]]


def _interrupted(state: StateBlock, line: int) -> bool:
    # The parser's own rule goes on with a line that stands so deep, and with the loose ones of a quotation.
    if state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0:  # noqa: PLR2004 - more is code
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, line, state.lineMax, True) for rule in rules)


def _inline(content: str, level: int) -> Token:
    return Token("inline", "", 0, content=content.strip(MD_TRIM_CHARS), level=level, block=True)


def short_list(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Read a list of items of one line each, which a paragraph or nothing follows."""
    if state.level or state.is_code_block(start):
        return False
    items: list[re.Match[str]] = []
    line = start
    while line < state.lineMax and not state.isEmpty(line):
        item = _ITEM.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])
        if not item or state.sCount[line] != state.sCount[start]:
            return False
        items.append(item)
        # At once, so that lists of one item each are not looked at again and again.
        if item.group(2, 3) != items[0].group(2, 3):
            return False
        line += 1
    after = state.skipEmptyLines(line)
    if after < state.lineMax and (state.sCount[after] or _first(state, after) in _BEGINNINGS):
        return False
    number = items[0][1]
    state.tokens.append(_list_open(number))
    for item in items:
        state.tokens += (_ITEM_OPEN, _HIDDEN, _inline(item[4], 3), _HIDDEN, _END_OF_ITEM)
    state.tokens.append(_END_OF_ORDERED if number else _END_OF_BULLETS)
    state.line = line
    return True


def _list_open(number: str) -> Token:
    if not number:
        return _BULLETS
    return _ORDERED if int(number) == 1 else _ready(f'<ol start="{int(number)}">\n')


def inlines(state: StateCore) -> None:
    """Read what stands in each block, by all rules where there may be more than plain spans."""
    for token in state.tokens:
        if token.type == "inline":
            children = _plain(token.content)
            if children is None:
                children = state.md.inline.parse(token.content, state.md, state.env, [])
            token.children = children


def _plain(text: str) -> list[Token] | None:
    """Give text with plain spans, None if there may be more in it."""
    if "\n" in text:
        if "  \n" in text:
            return None
        text = _INDENTATION.sub("\n", text.replace(" \n", "\n"))
    if not _special(text):
        return [text_token(text)]
    pieces = _SPANS.split(text)
    # A blank in place of each span, so that what stands around it does not become one word.
    return None if _special(" ".join(pieces[::5])) else _with_spans(pieces)


def _special(text: str) -> bool:
    return bool(_SIGNS.search(text)) or "://" in text or '":' in text


def _with_spans(pieces: list[str]) -> list[Token]:
    tokens = [text_token(pieces[0])]
    for code, mark, stressed, rest, after in zip(*(pieces[n::5] for n in range(1, 6)), strict=True):
        if code:
            bare = code[0] == code[-1] == " " and code.strip(" ")
            tokens.append(Token("code_inline", "code", 0, content=code[1:-1] if bare else code))
        elif stressed:
            opening, closing = _STRESS[mark]
            tokens += (opening, text_token(stressed), closing)
        else:
            tokens += link_tokens(Link(0, f"h{rest}", shortened(f"h{rest}")))
        tokens.append(text_token(after))
    return tokens


class Renderer(RendererHTML):
    """The parser's renderer, which asks for the most frequent tokens first."""

    def render(self, tokens: Sequence[Token], options: OptionsDict, env: EnvType) -> str:
        """Give the HTML of blocks, or of what stands in one."""
        html = []
        for index, token in enumerate(tokens):
            kind = token.type
            if kind == "text":
                html.append(escapeHtml(token.content))
            elif kind == "ready":
                html.append(token.content)
            elif kind == "inline":
                html.append(self.render(token.children or (), options, env))
            elif kind in self.rules:
                html.append(self.rules[kind](tokens, index, options, env))
            else:
                html.append(self.renderToken(tokens, index, options, env))
        return "".join(html)
