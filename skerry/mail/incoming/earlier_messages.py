"""Finds where an earlier message begins in the text of a reply.

The most reliable sign is content of our own mail. Headers and the lines that say who wrote a quote are
recognised by their form in any language; words are the last resort. Only the beginning of each line is
examined, a fixed number of times, so the time is linear in the length of the text.
"""

import re
from collections.abc import Sequence

from skerry.mail.incoming.phrases import (
    ATTRIBUTION_START,
    COLON,
    FORWARDED,
    FROM,
    HEADER,
    ORIGINAL,
    RULE,
    WROTE,
)
from skerry.mail.incoming.signs import FIELD, MAX_LINE_LENGTH, Line, Signs, is_reply_line

HEADER_LINES = 9
"""How many lines a header has at most."""

MAX_GAP = 5
"""How many lines may be between a quote and its attribution."""

ATTRIBUTION_END = re.compile(rf"(?:[{COLON}]|{WROTE.pattern})[-_*>»\s]{{0,40}}$", re.IGNORECASE)
"""The end of an attribution, a line that says who wrote the quote below it."""

_NAMED = re.compile(rf"\w.*<[^<>\s]{{1,100}}@[^<>\s]{{1,200}}>\s?[{COLON}]$")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){0,8})")
_TIME = re.compile(r"\d{1,2}\s?[:.h時시點点]\s?\d{2}(?!\d)")
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}")
# In any digits and calendar.
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_TITLE = re.compile(
    r"\*?[-_*=‐–—―─]{2,40}\s*[^\W\d_](?:[^-_*=‐–—―─]|-(?!-)){2,60}[-_*=‐–—―─]{2,40}"
    # Lotus Notes: a name, the time and the subject, above a header.
    r"|.{1,100}---\d[\d./: -]{9,30}---.{0,300}"
)
# In any language; replies have none.
_GMAIL_TITLE = re.compile(r"-{10} [^-].{2,60} -{9}")
_IN_BRACKETS = re.compile(r"[<(\[](?:mailto:)?[^<>()\[\]\s]{1,64}@")
_MIN_FIELDS = 3
_BEGINNING = 8
_ATTRIBUTION_LINES = 4


def end_of_own(lines: Sequence[Line], signs: Signs, *, forwards: bool) -> tuple[int, int | None]:
    """Return where an earlier message without quote marks begins, and where one that is passed on does."""
    begun, skipped = False, 0
    # Our own line is more reliable than the form of another message, which may be the author's topic.
    is_marked = any(is_reply_line(line.start) for line in lines)
    for index, line in enumerate(lines):
        if not line.start or (line.is_quoted and not line.is_history) or index < skipped:
            continue
        is_inside = line.is_history and index and lines[index - 1].is_history
        if not is_inside and _is_forwarded(lines, index, signs, forwards=forwards):
            return index, index
        if line.is_history:
            continue
        start = history_start(lines, index, signs)
        if start is None:
            begun = True
            continue
        is_header_like = FIELD.match(lines[start].start) or _TITLE.fullmatch(lines[start].start)
        skipped = start + len(_block(lines, start)) if is_header_like else index + 1
        if (begun and not is_marked) or _is_ours(lines, start, skipped, signs):
            below = _content_below(lines, skipped)
            # The author's words may follow an earlier message with quote marks.
            if begun or below is None or not below.is_quoted or below.is_history:
                return _with_rule(lines, start), None
        # With nothing above, it may be the author's topic.
    return len(lines), None


def _is_forwarded(lines: Sequence[Line], index: int, signs: Signs, *, forwards: bool) -> bool:
    start = lines[index].start
    if FORWARDED.match(start):
        return True
    is_likely = forwards or _GMAIL_TITLE.fullmatch(start)
    return bool(is_likely) and (is_header(lines, index, signs) or _is_title(lines, index, signs))


def _is_title(lines: Sequence[Line], index: int, signs: Signs) -> bool:
    """Return whether a line is the title of an earlier message, with its header below."""
    if not _TITLE.fullmatch(lines[index].start):
        return False
    below = next((each for each in range(index + 1, min(index + 4, len(lines))) if lines[each].start), index)
    return bool(ORIGINAL.match(lines[index].start)) or is_header(lines, below, signs, is_titled=True)


def _is_ours(lines: Sequence[Line], start: int, end: int, signs: Signs) -> bool:
    """Return whether a header or an attribution, or what begins below it, is ours."""
    if any(signs.are_in(line) for line in lines[start:end]):
        return True
    below = _content_below(lines, end)
    is_title = end == start + 1 and _TITLE.fullmatch(lines[start].start)
    return below is not None and (signs.are_in(below) if is_title else is_reply_line(below.start))


def _content_below(lines: Sequence[Line], index: int) -> Line | None:
    """Return the first line with content from one on, a few lines below it."""
    return next((line for line in lines[index : index + MAX_GAP] if line.start), None)


def history_start(lines: Sequence[Line], index: int, signs: Signs) -> int | None:
    """Return where the earlier message begins that a line indicates, or None if it indicates none."""
    start = lines[index].start
    if is_reply_line(start):
        return _above_reply_line(lines, index, signs)
    if _is_title(lines, index, signs) or is_header(lines, index, signs):
        return index
    below = _content_below(lines, index + 1)
    if (below is not None and below.is_quoted) or not _has_address(lines, index):
        return None
    begun = attribution(lines, index, signs)
    said = "" if begun is None else " ".join(line.start for line in lines[begun : index + 1])
    # Without quote marks below, the author may be quoting somebody else, or telling of a log.
    is_told = WROTE.search(said) and (_has_date(said) or signs.are_addressed(said))
    return begun if "@" in said and (_IN_BRACKETS.search(said) or is_told) else None


def _has_address(lines: Sequence[Line], last: int) -> bool:
    return any("@" in line.start for line in lines[max(0, last - _ATTRIBUTION_LINES + 1) : last + 1])


def _above_reply_line(lines: Sequence[Line], index: int, signs: Signs) -> int:
    """Return where the header or the attribution above the first line of our mail begins."""
    begun = introduction(lines, index, signs, is_ours=True)
    return index if begun is None else begun


def introduction(lines: Sequence[Line], index: int, signs: Signs, *, is_ours: bool) -> int | None:
    """Return where the header or the attribution above an earlier message begins, or None without one."""
    above = content_above(lines, index)
    if above is None:
        return None
    begun = attribution(lines, above, signs, is_ours=is_ours)
    if begun is not None:
        return _with_rule(lines, begun)
    for start in range(max(0, above - HEADER_LINES + 1), above):
        reaches = start + len(_block(lines, start)) > above
        if reaches and is_header(lines, start, signs, is_titled=is_ours):
            return _with_rule(lines, start)
    if is_ours and _TITLE.fullmatch(lines[above].start):
        return above
    return attribution(lines, above, signs, is_above=True)


def _with_rule(lines: Sequence[Line], start: int) -> int:
    """Return the beginning of an earlier message with the title or the rule above it."""
    above = content_above(lines, start)
    if above is not None and (RULE.fullmatch(lines[above].start) or _TITLE.fullmatch(lines[above].start)):
        return above
    return start


def content_above(lines: Sequence[Line], index: int) -> int | None:
    """Return the last line with content a few lines above another one, unless it is quoted."""
    above_index = (each for each in range(index - 1, max(-1, index - 1 - MAX_GAP), -1) if lines[each].start)
    above = next(above_index, None)
    return None if above is None or lines[above].is_quoted else above


def is_header(lines: Sequence[Line], index: int, signs: Signs, *, is_titled: bool = False) -> bool:
    """Return whether the header of an earlier message begins at a line: ``Word: value`` in any language.

    Our address or our subject must be among its lines, or any address, and a date or words that are known.
    """
    if not FIELD.match(lines[index].start):
        return False
    block = _block(lines, index)
    if not is_titled and _begins_below(block):
        return False
    is_ours = any(signs.are_named(each) for each in block)
    fields = sum(1 for each in block if FIELD.match(each))
    known = sum(map(_is_known, block))
    if (is_titled or is_ours) and known >= _MIN_FIELDS - 1:
        return True
    if fields < _MIN_FIELDS or not any(is_ours or "@" in each for each in block):
        return False
    return is_ours or known >= _MIN_FIELDS or any(_DATE.search(each) or _TIME.search(each) for each in block)


def _is_known(start: str) -> bool:
    return bool(HEADER.match(start) or FROM.match(start))


def _begins_below(block: Sequence[str]) -> bool:
    """Return whether the first line is the author's own, with a colon, directly above a header."""
    if _is_known(block[0]) or "@" in block[0]:
        return False
    first = next((index for index, each in enumerate(block) if FROM.match(each)), len(block))
    return sum(map(_is_known, block[first:])) >= _MIN_FIELDS


def _block(lines: Sequence[Line], index: int) -> list[str]:
    """Return the lines from one on down to the next blank one, at most as many as a header has."""
    block = []
    for line in lines[index : index + HEADER_LINES]:
        if not line.start or line.is_history != lines[index].is_history:
            break
        block.append(line.start)
    return block


def attribution(
    lines: Sequence[Line], last: int, signs: Signs, *, is_ours: bool = False, is_above: bool = False
) -> int | None:
    """Return where the attribution of a quote that ends at a line begins, or None if there is none.

    It takes as few lines as possible, because the author's own may stand just above. ``is_ours`` means that
    the quote is surely from a mail of ours, and ``is_above`` that it begins below the line: then our address
    and a date are enough, whatever the end.
    """
    is_ended = ATTRIBUTION_END.search(lines[last].start) is not None
    if not is_ended and not is_above:
        return None
    found, joined, is_whole, is_named = None, "", False, False
    if signs.are_addressed(lines[last].start) and _NAMED.search(lines[last].start):
        found, is_named = last, True
    for start in range(last, max(-1, last - _ATTRIBUTION_LINES), -1):
        line = lines[start]
        if not line.start or line.is_quoted:
            break
        joined = f"{line.start} {joined}".strip()[: 2 * MAX_LINE_LENGTH]
        is_addressed = signs.are_addressed(joined)
        if not is_ended and not (is_addressed and _has_date(joined)):
            continue
        names = "@" in joined or WROTE.search(joined) is not None
        is_from_us = is_ours or is_addressed
        if found == start + 1 and lines[found].start.startswith("<"):
            # A program has wrapped the line between the name and the address.
            found = start
            continue
        if is_whole or not (names or found is None) or not _is_attribution(joined, is_ours=is_from_us):
            continue
        if is_named and not _tells_when(line.start):
            continue
        found, is_named = start, names
        is_whole = names and bool(ATTRIBUTION_START.match(joined) or _DATE.search(joined))
    return found


def _has_date(joined: str) -> bool:
    when = _ADDRESS.sub("", joined)
    return bool(_YEAR.search(when) or _DATE.search(when) or _TIME.search(when))


def _tells_when(start: str) -> bool:
    is_begun = ATTRIBUTION_START.match(start) and any(each.isdigit() for each in start)
    return bool(is_begun or _DATE.search(start) or _TIME.search(start))


def _is_attribution(joined: str, *, is_ours: bool) -> bool:
    """Return whether a text says who wrote, and when; one without an address must begin with the date."""
    when = _ADDRESS.sub("", joined) if "@" in joined else joined
    if is_ours and any(each.isdigit() for each in when):
        return True
    if "@" in joined or is_ours:
        return any(each.search(when) for each in (_DATE, _TIME, WROTE))
    begins = ATTRIBUTION_START.match(joined) or any(each.isdigit() for each in joined[:_BEGINNING])
    return bool(begins and _TIME.search(when) and (_DATE.search(when) or WROTE.search(when)))
