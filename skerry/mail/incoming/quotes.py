"""Extracts the author's own text from a message, without quotes and signature.

Only the beginning of each line is examined, and only once, so the time is linear in the length of the text.
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

MAX_LINE_LENGTH = 600
"""How many characters of a line are searched for phrases."""

_MAX_BLANK = re.compile(r"\n{4,}")
_SIGNATURE = ("-- ", "--", "—", "– ")
_HEADER_LINES = 7
_MIN_HEADER_LINES = 2
_ATTRIBUTION_LINES = 3


class _Block(NamedTuple):
    """The lines from ``start`` to ``end``, either quoted or the author's own."""

    quoted: bool
    start: int
    end: int


def own_text(text: str, subject: str = "") -> str:
    """Return the text that the sender wrote, and the message that they forward, if any."""
    lines = [_plain(line) for line in text.splitlines()]
    cut, rest = _cut(lines, forwards=bool(FORWARDED_SUBJECT.match(subject)))
    own = _without_quotes(lines[:cut]) if rest is None or cut < rest else lines[:cut]
    own = _without_signature(own)
    if rest is not None:
        own += ["", *lines[rest:]]
    return _MAX_BLANK.sub("\n\n\n", "\n".join(own).strip("\n")).rstrip()


def _plain(line: str) -> str:
    """Return a line without direction marks around it, and without trailing blanks."""
    line = line.strip("\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff")
    return line if line in _SIGNATURE else line.rstrip()


def _cut(lines: Sequence[str], *, forwards: bool) -> tuple[int, int | None]:
    """Return the line where the sender's own text ends, and the one where a forwarded text begins."""
    end = len(lines)
    for index, line in enumerate(lines):
        start = line.strip()[:MAX_LINE_LENGTH]
        if not start:
            continue
        if FORWARDED.match(start) or (forwards and index <= end and _is_header(lines, index)):
            return min(end, index), index
        if index < end and _ends(lines, index, start):
            end = index
    return end, None


def _ends(lines: Sequence[str], index: int, start: str) -> bool:
    """Return whether the sender's own text ends at a line."""
    if lines[index] in _SIGNATURE or ORIGINAL.match(start):
        return True
    if RULE.fullmatch(start):
        below = [each for each in lines[index + 1 : index + 6] if each.strip()]
        return bool(below) and (
            LIST_FOOTER.match(below[0][:MAX_LINE_LENGTH]) is not None or _is_header(below, 0)
        )
    return _is_header(lines, index) or _says_who_wrote_unmarked(lines, index)


def _is_header(lines: Sequence[str], index: int) -> bool:
    """Return whether the header of a quoted message begins at a line."""
    block = [each[:MAX_LINE_LENGTH] for each in lines[index : index + _HEADER_LINES]]
    if not FROM.match(block[0]) and not HEADER.match(block[0]):
        return False
    named = sum(1 for each in block if HEADER.match(each))
    # A single header line may be a coincidence.
    return any(FROM.match(each) for each in block) and named >= _MIN_HEADER_LINES


def _says_who_wrote_unmarked(lines: Sequence[str], index: int) -> bool:
    """Return whether a line is the attribution of a quote that has no quote marks."""
    length = _attribution(lines, index)
    if not length:
        return False
    below = next((each for each in islice(lines, index + length, index + length + 4) if each.strip()), "")
    return not below.lstrip().startswith((">", "|")) and bool(below)


def _attribution(lines: Sequence[str], index: int) -> int:
    """Return the number of lines of the attribution that begins at a line; 0 if none begins there."""
    if lines[index].lstrip().startswith(">"):
        return 0
    joined = ""
    for length, line in enumerate(lines[index : index + _ATTRIBUTION_LINES], start=1):
        if not line.strip():
            return 0
        joined = f"{joined} {line.strip()}".strip()[:MAX_LINE_LENGTH]
        if line.rstrip().endswith((":", "：")):
            return length if ATTRIBUTION.fullmatch(joined) or DATED.fullmatch(joined) else 0
    return 0


def _without_quotes(lines: list[str]) -> list[str]:
    """Return the lines without quotes, except for quotes that are answered inline."""
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
    """Return alternating blocks of quoted and own lines, without blank lines and a leading attribution."""
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
        # The block is only the attribution of the quote below it.
        del blocks[0]
    return blocks


def _introduction(lines: list[str], block: _Block) -> int:
    """Return the index of the attribution at the end of a block, or the end of the block."""
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
    """Return the lines without the signature of a phone or a program at the end."""
    own = list(lines)
    while own and (not own[-1].strip() or SENT_FROM.fullmatch(own[-1].strip()[:MAX_LINE_LENGTH])):
        own.pop()
    return own
