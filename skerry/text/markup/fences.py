"""Blocks of code with fences in Markdown, in which nothing may be rewritten."""

import re
from collections.abc import Iterator
from io import StringIO

# Also inside of lists and quotations.
_FENCE = re.compile(r"^[ >]*(`{3,}|~{3,})")


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text with their ends, and whether each is part of a block of code with fences."""
    fence = ""
    # Other ends of lines than these three are none in Markdown.
    for line in StringIO(text, newline=""):
        mark = _FENCE.match(line)
        yield line, bool(mark or fence)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip(" \t\r\n`~>"):
            fence = ""
