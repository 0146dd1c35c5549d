"""What somebody wrote themselves in a message, without what they quote and how they sign.

Lines are looked at once, and of each only its beginning, so that this takes as long as the text is long.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from skerry.mail.incoming.phrases import (
    ATTRIBUTION,
    DATED,
    FORWARDED,
    FORWARDED_SUBJECT,
    FROM,
    HEADER,
    LIST_FOOTER,
    ORIGINAL,
    RULE,
    SENT_FROM,
)

LONGEST_LINE = 600
"""Characters of a line in which words are looked for."""

_MOST_BLANK = re.compile(r"\n{4,}")
_SIGNATURE = ("-- ", "--", "—", "– ")
_HEADER_LINES = 7
_LEAST_HEADER_LINES = 2
_ATTRIBUTION_LINES = 3


class _Block(NamedTuple):
    """Lines from ``start`` to ``end``, quoted or somebody's own."""

    quoted: bool
    start: int
    end: int


def own_text(text: str, subject: str = "") -> str:
    """Return what the sender of a message wrote themselves; what they forward stays."""
    lines = [_plain(line) for line in text.splitlines()]
    cut, rest = _cut(lines, forwards=bool(FORWARDED_SUBJECT.match(subject)))
    own = _without_quotes(lines[:cut]) if rest is None or cut < rest else lines[:cut]
    own = _without_signature(own)
    if rest is not None:
        own += ["", *lines[rest:]]
    return _MOST_BLANK.sub("\n\n\n", "\n".join(own).strip("\n")).rstrip()


def _plain(line: str) -> str:
    """Return a line without marks of writing direction around it, and with no other blanks at its end."""
    line = line.strip("\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff")
    return line if line in _SIGNATURE else line.rstrip()


def _cut(lines: Sequence[str], *, forwards: bool) -> tuple[int, int | None]:
    """Return before which line the sender's own text ends, and from which on a forwarded one begins."""
    end = len(lines)
    for index, line in enumerate(lines):
        start = line.strip()[:LONGEST_LINE]
        if not start:
            continue
        if FORWARDED.match(start) or (forwards and index <= end and _is_header(lines, index)):
            return min(end, index), index
        if index < end and _ends(lines, index, start):
            end = index
    return end, None


def _ends(lines: Sequence[str], index: int, start: str) -> bool:
    """Return whether nothing below a line is the sender's own."""
    if lines[index] in _SIGNATURE or ORIGINAL.match(start):
        return True
    if RULE.fullmatch(start):
        below = [each for each in lines[index + 1 : index + 6] if each.strip()]
        return bool(below) and (
            LIST_FOOTER.match(below[0][:LONGEST_LINE]) is not None or _is_header(below, 0)
        )
    return _is_header(lines, index) or _says_who_wrote_unmarked(lines, index)


def _is_header(lines: Sequence[str], index: int) -> bool:
    """Return whether the header of a quoted message begins at a line."""
    block = [each[:LONGEST_LINE] for each in lines[index : index + _HEADER_LINES]]
    if not FROM.match(block[0]) and not HEADER.match(block[0]):
        return False
    named = sum(1 for each in block if HEADER.match(each))
    # One of them alone may be chance.
    return any(FROM.match(each) for each in block) and named >= _LEAST_HEADER_LINES


def _says_who_wrote_unmarked(lines: Sequence[str], index: int) -> bool:
    """Return whether a line says who wrote what is below, which has no marks of a quote."""
    length = _attribution(lines, index)
    if not length:
        return False
    below = next((each for each in islice(lines, index + length, index + length + 4) if each.strip()), "")
    return not below.lstrip().startswith((">", "|")) and bool(below)


def _attribution(lines: Sequence[str], index: int) -> int:
    """Return over how many lines from one on it is said who wrote what follows; 0 if it is not."""
    if lines[index].lstrip().startswith(">"):
        return 0
    joined = ""
    for length, line in enumerate(lines[index : index + _ATTRIBUTION_LINES], start=1):
        if not line.strip():
            return 0
        joined = f"{joined} {line.strip()}".strip()[:LONGEST_LINE]
        if line.rstrip().endswith((":", "：")):
            return length if ATTRIBUTION.fullmatch(joined) or DATED.fullmatch(joined) else 0
    return 0


def _without_quotes(lines: list[str]) -> list[str]:
    """Return lines without quotes, but with those between which somebody answers."""
    blocks = _blocks(lines)
    answered = [
        index
        for index, block in enumerate(blocks)
        if block.quoted and any(not below.quoted for below in blocks[index + 1 : index + 2])
    ]
    if len(answered) == 1 and (answered[0] == 0 or _introduced(lines, blocks[answered[0] - 1])):
        answered = []
    kept: list[str] = []
    for index, block in enumerate(blocks):
        if not block.quoted:
            kept += _own(lines, block, followed=index + 1 < len(blocks))
        elif index in answered:
            kept += lines[block.start : block.end]
    return kept


def _blocks(lines: list[str]) -> list[_Block]:
    """Return what is quoted and what is not, in turn; blank lines and who wrote a quote belong to neither."""
    blocks: list[_Block] = []
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        quoted = line.lstrip()[:1] == ">"
        if blocks and blocks[-1].quoted == quoted:
            blocks[-1] = blocks[-1]._replace(end=index + 1)
        else:
            blocks.append(_Block(quoted, index, index + 1))
    if blocks and not blocks[0].quoted and _introduction(lines, blocks[0]) == blocks[0].start:
        # Only who wrote the quote stands above it.
        del blocks[0]
    return blocks


def _introduction(lines: list[str], block: _Block) -> int:
    """Return at which line of a block it is said who wrote the quote below it, or its end."""
    for start in range(max(block.start, block.end - _ATTRIBUTION_LINES), block.end):
        if _attribution(lines, start) == block.end - start:
            return start
    return block.end


def _introduced(lines: list[str], block: _Block) -> bool:
    return _introduction(lines, block) < block.end


def _own(lines: list[str], block: _Block, *, followed: bool) -> list[str]:
    end = _introduction(lines, block) if followed else block.end
    return ["", *lines[block.start : end], ""]


def _without_signature(lines: list[str]) -> list[str]:
    """Return lines without what a phone or a program adds at the end."""
    own = list(lines)
    while own and (not own[-1].strip() or SENT_FROM.fullmatch(own[-1].strip()[:LONGEST_LINE])):
        own.pop()
    return own
