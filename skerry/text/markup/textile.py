"""Redmine's Textile as Markdown, by two libraries that see only what they can take.

Code, links, pictures and references never reach them: a token stands for each, and is replaced at the end.
The libraries get a few thousand characters at a time, because they take a time that grows with the square of
a text; what is nested too deeply or too long for them is written as it is, without its marks.
"""

import re
from collections.abc import Iterator

from skerry.text.markup.redmine_links import REFERENCE, Links, Names
from skerry.text.markup.textile_libraries import TOKEN, converted_by_libraries
from skerry.text.markup.writing import (
    URL,
    at_line_start,
    code_block,
    code_in_line,
    converted,
    escaped,
    label,
    link,
    quoted,
    trimmed,
)

_AT_ONCE = 2 * 1024
_MAX_BLOCK = 8 * 1024
_MAX_LINE = 4 * 1024
_MAX_DEPTH = 12
_MAX_OPEN_ROWS = 60
_MAX_CALLS = 1_000
# Marks that the libraries look for from each place to the end of its line.
_MAX_MARKS = 400

_PRE = re.compile(r"<(?P<end>/?)pre\b[^<>\n]{0,200}>", re.IGNORECASE)
_CODE = re.compile(
    r"""\s{0,99}<code(?:\s+class=["']?(?P<name>[\w+#.-]{1,30})[^<>\n]{0,99})?\s*>(?P<code>.*)</code>\s{0,99}""",
    re.DOTALL | re.IGNORECASE,
)
_KEPT = re.compile(
    rf"""
    (?P<macro>(?<!!)\{{\{{\w{{1,60}}(?:\([^{{}}\n]{{0,500}}\))?)
  | (?P<end>\}}\}})
  | (?<![\w@])@(?P<code>(?=[^\s@])[^@\n]{{1,1000}}(?<!\s))@(?![\w@])
  | <(?P<tag>code|kbd)(?:\s[^<>\n]{{0,99}})?>(?P<tagged>[^\n]{{1,1000}}?)</(?P=tag)>
  | <notextile>(?P<raw>[^\n]{{0,1000}}?)</notextile>
  | (?<![^\s>|(\[*])!(?:[<=>]|\([^()\n]{{1,100}}\)|\{{[^{{}}\n]{{1,100}}\}})*
    (?P<picture>[^\s(){{}}!"'<>|]{{1,1000}})\s?(?:\((?P<alternative>[^()\n]{{1,300}})\))?!(?::(?P<target>https?://[^\s|]{{1,1000}}))?(?![\w!])
  | "(?:\([^()\n"]{{1,100}}\))?(?P<label>[^"\n]{{1,500}}?)":
    (?P<url>(?:https?://|ftp://|mailto:|/(?!/))[^\s|"<>\[\]]{{1,2000}})
  | (?P<address>{URL})
  | {REFERENCE}
""",
    re.VERBOSE | re.IGNORECASE,
)
_BLANK_LINES = re.compile(r"\n[ \t]{0,99}\n\s{0,999}")
_QUOTED = re.compile(r"[ \t]?>[ \t]?")
_FOOTNOTE = re.compile(r"^fn(\d{1,3})\.[ \t]+", re.MULTILINE)
# Where a block is aligned, and which style it has, is nothing that Markdown knows.
_BLOCK = re.compile(
    r"""
    ^(?P<name>bq|p|h[1-6])(?:[<>=~^()-]|\([^()\n]{1,99}\)|\{(?P<style>[^{}\n]{0,99})\}|\[[^\[\]\n]{0,99}\]){0,9}
    \.\.?(?::(?P<cite>\S{1,999}))?[ \t]+(?P<text>.*)$
""",
    re.MULTILINE | re.VERBOSE,
)
_ITEM = re.compile(r"^[ \t]{1,40}(?=[*#]{1,12}[ \t])", re.MULTILINE)
_ALIGNED = re.compile(
    r"(?<=\|)(?P<kept>_?(?:\\\d{1,2})?)(?:<>|[<>=^~]){1,4}(?P<more>_?(?:\\\d{1,2})?\.[ \t])"
)
_RULE = re.compile(r"^[ \t]?(?:[*_-] ?){3,200}$", re.MULTILINE)
_CODE_BLOCK = re.compile(r"bc\.{1,2}[ \t](?P<code>.*)", re.DOTALL)
_STYLE = re.compile(r"[%*_+|-](?:\([^()\n]{0,99}\))?\{[^{}\n]{1,99}:[^{}\n]{1,99}\}")
_NO_WORDS = re.compile(
    r"^(?:bq|p|h[1-6])\. | (?<=[*_+^~%?|.#@-])(?:\([^()\n]+\)|\{[^{}\n]+\}|\[[^\[\]\n]+\])+",
    re.MULTILINE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_][^\W_]*")
_MARKED = re.compile(
    r"(?<!\w)[*_+^~%-](?=\S) | \?\?\S | ^\|.*\|[ \t]*$ | ^[*\#]+\s | ^(?:bq|p|h[1-6])\.",
    re.MULTILINE | re.VERBOSE,
)
_LIST = re.compile(r"[*#]+(?=\s)")
_OPEN_ROW = re.compile(r"^\|[^\n]*(?<![|\s])[ \t]{0,99}$", re.MULTILINE)
_MARKS = re.compile(r"[*_+\-~^%?!@|\"(\[<{]")


def markdown(text: str, names: Names | None = None) -> str:
    """Return a text in Textile as Markdown; macros such as ``{{toc}}`` stay text.

    ``told`` of the names counts what is different, also the texts with parts that are written as they are.
    """
    names = names or Names()
    return converted(text, names.told, lambda plain: _Writer(names).written(plain))


class _Writer:
    def __init__(self, names: Names) -> None:
        self._names, self._links = names, Links(names)
        self._kept = list[str]()
        self._calls, self._left = 0, False

    def written(self, text: str) -> str:
        """Return the Markdown of a whole text."""
        # The signs of tokens are no characters, so no text needs them.
        text = re.sub(f"[{TOKEN.opening}{TOKEN.closing}]", "\ufffd", text)
        blocks = list[str]()
        for part, is_code in _parts(text):
            blocks += [_code(part)] if is_code else self._blocks(_KEPT.sub(self._token, part), 0)
        self._names.told["texts"] += self._left
        return TOKEN.restored("\n\n".join(block for block in blocks if block), self._kept)

    def _blocks(self, text: str, depth: int) -> Iterator[str]:
        """Yield the blocks of a text with tokens; the libraries get as many as they can take at once."""
        together = list[str]()
        text = _RULE.sub("\n\n---\n\n", _FOOTNOTE.sub(r"[\1] ", _BLOCK.sub(self._block, text)))
        text = _ITEM.sub("", _ALIGNED.sub(_unaligned, text))
        for block, is_quotation in _quotations(text):
            simple = not is_quotation and not block.startswith(("bc.", "---"))
            if simple and self._calls < _MAX_CALLS and _MARKED.search(block) and _is_bounded(block):
                if together and sum(map(len, together)) + len(block) > _AT_ONCE:
                    yield self._by_libraries(together)
                    together = []
                together.append(block)
                continue
            yield self._by_libraries(together)
            together = []
            yield self._other(block, depth, is_quotation=is_quotation)
        yield self._by_libraries(together)

    def _block(self, match: re.Match[str]) -> str:
        """Return the first line of a block without its style; headings are blocks of their own."""
        self._names.told["styles"] += bool(match["style"] or match["cite"])
        line = f"{match['name']}. {match['text']}"
        return f"\n\n{line}\n\n" if match["name"][0] == "h" else line

    def _other(self, block: str, depth: int, *, is_quotation: bool) -> str:
        """Return a block that the libraries do not get: a quotation, code, plain text, or too long."""
        if is_quotation and depth < _MAX_DEPTH:
            inner = "\n".join(_QUOTED.sub("", line, count=1) for line in block.split("\n"))
            return quoted("\n\n".join(each for each in self._blocks(inner, depth + 1) if each))
        if block == "---":
            return block
        if code := _CODE_BLOCK.fullmatch(block):
            return code_block(TOKEN.restored(code["code"], self._kept))
        self._left = self._left or is_quotation or bool(_MARKED.search(block))
        return _as_written(block)

    def _by_libraries(self, blocks: list[str]) -> str:
        if not blocks:
            return ""
        self._calls += 1
        try:
            self._names.told["styles"] += sum(len(_STYLE.findall(block)) for block in blocks)
            written = converted_by_libraries("\n\n".join(blocks), self._kept, self._names.told)
        except Exception:  # noqa: BLE001 - whatever a text does to a library, its words stay
            written = ""
        if self._has_words_of(blocks, written):
            return written
        if len(blocks) > 1:
            return "\n\n".join(self._by_libraries([block]) for block in blocks)
        self._left = True
        return _as_written(blocks[0])

    def _has_words_of(self, blocks: list[str], written: str) -> bool:
        """Return whether all words of blocks have been written, apart from those that name a style."""
        text = _NO_WORDS.sub("", "\n\n".join(blocks))
        words, found = (_WORD.findall(TOKEN.restored(each, self._kept)) for each in (text, written))
        return set(words) <= set(found)

    def _token(self, match: re.Match[str]) -> str:
        """Keep what the libraries must not touch, and return the token for it."""
        found, tail = self._part(match), ""
        if match["address"]:
            tail = match[0][len(found) :]
        self._kept.append(found)
        return f"{TOKEN.opening}{len(self._kept) - 1}{TOKEN.closing}{tail}"

    def _part(self, match: re.Match[str]) -> str:
        """Return the Markdown of a match of ``_KEPT``."""
        if match["macro"] or match["end"]:
            self._names.told["macros"] += bool(match["macro"])
            return escaped(match[0], numbers=True)
        if code := match["code"] or match["tagged"]:
            return code_in_line(code)
        if match["raw"] is not None:
            return escaped(match["raw"], numbers=True)
        if match["picture"]:
            return self._picture(match)
        if match["label"]:
            return self._link(match)
        return trimmed(match["address"]) if match["address"] else self._links.written(match)

    def _picture(self, match: re.Match[str]) -> str:
        written = self._links.picture(match["picture"], match["alternative"] or "")
        if written is None:
            return escaped(match[0])
        return link(written, match["target"]) if match["target"] else written

    def _link(self, match: re.Match[str]) -> str:
        words, said = match["label"].strip(), match["url"]
        url = trimmed(said)
        if url.startswith("/"):
            return f"{self._links.relative(url, words) or escaped(match[0])}{said[len(url) :]}"
        return f"{link(label(escaped(words)), url)}{escaped(said[len(url) :])}"


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text between blocks of code, and their code; blocks inside of blocks are code."""
    depth = start = 0
    for match in _PRE.finditer(text):
        if not match["end"]:
            if not depth:
                yield text[start : match.start()], False
                start = match.end()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield text[start : match.start()], True
                start = match.end()
    yield text[start:], bool(depth)


def _unaligned(match: re.Match[str]) -> str:
    """Return what a cell begins with, without how it is aligned."""
    kept = f"{match['kept']}{match['more'].rstrip()}"
    return "" if kept == "." else f"{kept} "


def _code(code: str) -> str:
    match = _CODE.fullmatch(code)
    inner = (match["code"] if match else code).strip("\n")
    return code_block(inner, (match["name"] or "") if match else "") if inner.strip() else ""


def _quotations(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the blocks of a text, and whether each is a quotation of lines that begin with ``>``."""
    for block in _BLANK_LINES.split(text):
        lines, is_quotation = list[str](), False
        for line in block.split("\n"):
            if lines and bool(_QUOTED.match(line)) != is_quotation:
                yield "\n".join(lines).strip("\n"), is_quotation
                lines = []
            is_quotation = bool(_QUOTED.match(line))
            lines.append(line)
        if any(line.strip() for line in lines):
            yield "\n".join(lines).strip("\n"), is_quotation


def _is_bounded(block: str) -> bool:
    """Return whether the libraries take a block in a short time and without deep recursion."""
    if len(block) > _MAX_BLOCK or len(_OPEN_ROW.findall(block)) > _MAX_OPEN_ROWS:
        return False
    for line in block.split("\n"):
        listed = _LIST.match(line)
        deep = len(listed[0]) if listed else 0
        if len(line) > _MAX_LINE or deep > _MAX_DEPTH or len(_MARKS.findall(line)) > _MAX_MARKS:
            return False
    return True


def _as_written(block: str) -> str:
    """Return a block that reads in Markdown as it is written; items and rows of too long ones keep theirs."""
    lines = (line.strip() for line in block.split("\n"))
    return "\n".join(line if line.startswith("- ") else at_line_start(escaped(line)) for line in lines).strip(
        "\n"
    )
