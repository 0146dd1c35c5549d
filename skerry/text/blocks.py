"""Block rules that differ from CommonMark."""

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.renderer import RendererHTML, RendererProtocol
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import reference as reference_of_markdown
from markdown_it.rules_block import table as table_of_markdown
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from skerry.text import work

_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*")
_LIST_ITEM = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])[ \t]")
_BELOW_HEAD = re.compile(r"[|:\s]*-[-|:\s]*")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_NO_DEFINITION = re.compile(
    r"\[(?:\\.|[^\[\]\\]){1,999}+\]:[ \t]*+(?![\n<]|[a-z][a-z0-9+.-]*:|[/?#]|\.{1,2}/|$)",
    re.IGNORECASE | re.DOTALL,
)


def paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Parse a paragraph, or a heading if it is underlined; indented lines below one are code."""
    before, state.parentType = state.parentType, "paragraph"
    end, underline = _end_of_paragraph(state, start)
    state.parentType = before
    tag = {"=": "h1", "-": "h2"}.get(underline, "p")
    kind = "heading" if underline else "paragraph"
    state.line = end + 1 if underline else end
    state.push(f"{kind}_open", tag, 1).map = [start, state.line]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, end, state.blkIndent, False).strip(MD_TRIM_CHARS)
    inline.map = [start, end]
    inline.children = []
    state.push(f"{kind}_close", tag, -1)
    return True


def _end_of_paragraph(state: StateBlock, start: int) -> tuple[int, str]:
    """Return the line after the paragraph, and its underline."""
    rules = state.md.block.ruler.getRules("paragraph")
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line):
        if state.is_code_block(line):
            if _is_code_below(state, line - 1):
                break
        # A lazy continuation line of a quotation does not end the paragraph.
        elif state.sCount[line] >= 0:
            text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
            if state.sCount[line] >= state.blkIndent and _UNDERLINE.fullmatch(text):
                return line, text[0]
            if text[:1].isalpha() and not _BELOW_HEAD.fullmatch(_line(state, line + 1)):
                # Only the head of a table begins with a letter.
                work.in_block(state, line, state.lineMax, True)
            elif any(rule(state, line, state.lineMax, True) for rule in rules):
                break
        line += 1
    return line, ""


def _is_code_below(state: StateBlock, line: int) -> bool:
    """Return whether indented lines below a line are code, rather than the rest of a list item."""
    if state.listIndent >= 0 or state.is_code_block(line):
        return False
    return not _LIST_ITEM.match(state.src, state.bMarks[line] + state.tShift[line])


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table, unless a row has more cells than there are columns and would lose some."""
    if start < state.env.get("no_table_before", 0):
        return False
    if _BELOW_HEAD.fullmatch(_line(state, start + 1)) and not silent:
        rows = next((line for line in range(start, end) if state.isEmpty(line)), end) - start
        work.count(state.env, work.CELL * rows * _cells(state, start))
    tokens = len(state.tokens)
    if not table_of_markdown(state, start, end, silent):
        return False
    if silent:
        return True
    columns = _cells(state, start)
    if any(_cells(state, line) > columns for line in range(start + 2, state.line)):
        state.env["no_table_before"] = state.line
        state.line = start
        del state.tokens[tokens:]
        return False
    return True


def reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a link definition, unless a word stands for its address, as in logs and footnotes."""
    begun = state.bMarks[start] + state.tShift[start]
    return not _NO_DEFINITION.match(state.src, begun) and reference_of_markdown(state, start, end, silent)


def _cells(state: StateBlock, line: int) -> int:
    cells = _BETWEEN_CELLS.split(_line(state, line))
    return len(cells) - (cells[0] == "") - (cells[-1] == "" and len(cells) > 1)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]].strip() if line < state.lineMax else ""


def show_addresses(state: StateCore) -> None:
    """Show addresses that would be invisible: of links without a label, and of unused definitions.

    Such text is often no link: ``map[](key)``, ``[ERROR]: failed``.
    """
    if "]" not in state.src:
        return
    shown: set[str | int | float | None] = set()
    for token in state.tokens:
        for before, child in pairwise(token.children or ()):
            if child.type == "link_close" and before.type == "link_open":
                before.meta["label"] = state.md.normalizeLinkText(str(before.attrGet("href")))
        links = (child for child in token.children or () if child.type in {"link_open", "image"})
        shown.update(child.attrGet("href") or child.attrGet("src") for child in links)
    for token in state.tokens:
        if token.type == "definition":
            token.hidden = token.meta["url"] in shown
            token.content = state.md.normalizeLinkText(token.meta["url"])


def link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Return the HTML of a link's start, with its address if the link would be invisible."""
    label = tokens[index].meta.get("label", "")
    return renderer.renderToken(tokens, index, options, env) + escape(label, quote=False)


def definition(_renderer: RendererProtocol, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    """Return the HTML of a link definition, which is empty if the link is used."""
    token = tokens[index]
    if token.hidden:
        return ""
    said, url = token.meta, escape(token.content, quote=False)
    label = escape(f"[{said['label']}]: ", quote=False)
    link = f'<a href="{escape(said["url"])}">{url}</a>' if ":" in said["url"] else url
    title = escape(f' "{said["title"]}"', quote=False) if said["title"] else ""
    return f"<p>{label}{link}{title}</p>\n"
