"""The two libraries that turn Textile into HTML and HTML into Markdown, as Redmine's texts need them.

Redmine knows less of Textile than the library: no typographic signs, no notes, no definitions. All that is
off here, and so is what is never seen by the library: links, pictures and code.
"""

import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from functools import cache
from importlib.util import find_spec
from typing import Any

from skerry.text.markup.writing import at_line_start, cell, escaped, heading, quoted, table_with_heads

_MAX_COLUMNS = 50
_LINE_END = re.compile(r" +$", re.MULTILINE)
# The elements after which a line begins.
_BEFORE_LINES = frozenset(("br", "ul", "ol", "table", "blockquote", "p"))


class _Token:
    """The signs around the number of what is kept from the libraries."""

    opening, closing = "\ufdd0", "\ufdd1"
    _pattern = re.compile(f"{opening}(\\d{{1,9}}){closing}")

    def restored(self, text: str, kept: Sequence[str]) -> str:
        """Return a text with what was kept instead of its tokens."""
        return self._pattern.sub(lambda match: kept[int(match[1])], text)


TOKEN = _Token()


def are_installed() -> bool:
    """Return whether both libraries are installed, which are an extra."""
    return all(find_spec(name) for name in ("markdownify", "textile"))


def converted_by_libraries(text: str, kept: Sequence[str], told: Counter[str]) -> str:
    """Return what two libraries make of a text in Textile; raises anything for what they cannot take."""
    unused, writer = _libraries()
    reader = copy(unused)
    # What a text leaves behind; the patterns, which it takes long to compile, stay.
    for name in ("fn", "refCache", "shelf", "urlrefs"):
        setattr(reader, name, {})
    html = reader.parse(text)
    written = writer(heading_style="ATX", bullets="-")
    written.kept, written.told = kept, told
    return _LINE_END.sub("", str(written.convert(html)).strip())


@cache
def _libraries() -> tuple[Any, type[Any]]:
    """Return a reader that has read nothing, and the class of writers, both changed for Redmine."""
    # They take long to load, and only who moves in needs them.
    from markdownify import MarkdownConverter  # noqa: PLC0415
    from textile import Textile  # noqa: PLC0415

    def same(_self: Any, text: str) -> str:
        return text

    steps = ("glyphs", "noTextile", "getRefs", "links", "image", "code", "redcloth_list", "footnoteRef")
    reading = {
        **dict.fromkeys((*steps, "noteRef", "getHTMLComments", "placeNoteLists"), same),
        "fParseNoteDefs": lambda _self, match: match[0],
        "btag": ("bq", "h[1-6]", "p"),
    }
    reader = type("Reader", (Textile,), reading)(restricted=True, html_type="html5")
    return reader, type("Writer", (_Writer, MarkdownConverter), {})


class _Writer:
    """What Markdown is here, for the library's converter; each method gets an element and its Markdown."""

    kept: Sequence[str] = ()
    told: Counter[str]

    def escape(self, text: str, _parents: Any) -> str:
        return escaped(text)

    def process_text(self, element: Any, parent_tags: Any = None) -> str:
        text: str = super().process_text(element, parent_tags)  # type: ignore[misc]  # that of the library
        before = element.previous_sibling
        first, *lines = text.split("\n")
        if before is None or before.name in _BEFORE_LINES:
            first = _line(first)
        return "\n".join((first, *map(_line, lines)))

    def convert_br(self, _element: Any, text: str, **_place: Any) -> str:
        # Without the blank, the library would take the end of a line for that of a block.
        return f" \n{text}"

    def convert_p(self, _element: Any, text: str, **_place: Any) -> str:
        return f"\n\n{text.strip()}\n\n" if text.strip() else ""

    def convert_hN(self, level: int, _element: Any, text: str, _parents: Any) -> str:  # noqa: N802 - its name
        return f"\n\n{heading(level, ' '.join(text.split()))}\n\n"

    def convert_blockquote(self, _element: Any, text: str, **_place: Any) -> str:
        return f"\n\n{quoted(text.strip())}\n\n"

    def convert_ins(self, _element: Any, text: str, **_place: Any) -> str:
        return f"<u>{text}</u>" if text.strip() else text

    def convert_cite(self, _element: Any, text: str, **_place: Any) -> str:
        return f"*{text}*" if text.strip() else text

    def convert_sup(self, _element: Any, text: str, **_place: Any) -> str:
        self.told["small"] += 1
        return f"^{text}^"

    def convert_sub(self, _element: Any, text: str, **_place: Any) -> str:
        self.told["small"] += 1
        return f"\\~{text}\\~"

    def convert_td(self, element: Any, text: str, **_place: Any) -> str:
        # What is kept may have bars, too.
        element["written"] = cell(TOKEN.restored(_LINE_END.sub("", text.strip()), self.kept))
        return ""

    convert_th = convert_td

    def convert_tr(self, _element: Any, _text: str, **_place: Any) -> str:
        return ""

    def convert_table(self, element: Any, _text: str, **_place: Any) -> str:
        rows = [row.find_all(["td", "th"], recursive=False) for row in element.find_all("tr")]
        rows = [row for row in rows if row]
        if not rows:
            return ""
        return (
            f"\n\n{table_with_heads([[part for each in row for part in _cells(each)] for row in rows])}\n\n"
        )


def _line(text: str) -> str:
    """Return a line that begins no other block, but may look like an item with a hyphen."""
    line = text.lstrip(" ")
    return line if line.startswith("- ") else at_line_start(line)


def _cells(element: Any) -> list[tuple[str, bool]]:
    """Return the Markdown of a cell, and empty ones if it is wide, and whether they are heads."""
    is_head, said = element.name == "th", str(element.get("colspan", "1"))
    wide = min(int(said[:3]), _MAX_COLUMNS) if said.isdecimal() else 1
    return [(element["written"], is_head), *[("", is_head)] * (wide - 1)]
