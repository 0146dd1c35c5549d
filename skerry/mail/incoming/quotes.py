"""Division of the text of a reply into the author's own words and the earlier messages that it quotes.

Quotes between which the author answers stay. If nothing would be left and no sign is certain, the whole text
counts as the author's. The time is linear in the length of the text.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from skerry.mail.incoming.earlier_messages import (
    ATTRIBUTION_END,
    HEADER_LINES,
    MAX_GAP,
    attribution,
    content_above,
    end_of_own,
    history_start,
    introduction,
    is_header,
)
from skerry.mail.incoming.html_text import HISTORY
from skerry.mail.incoming.phrases import (
    COLON,
    FORWARDED,
    FORWARDED_SUBJECT,
    LIST_FOOTER,
    RULE,
    SENT_FROM,
    SIGNATURES,
)
from skerry.mail.incoming.signs import Line, Signs, line_of, may_be_quoted, may_be_reply_line
from skerry.tracker.mail.incoming_mails import MailText

_INDENT = re.compile(r"\A {1,3}(?=\S)")
_MAX_BLANK = re.compile(r"\n{4,}")
_MAX_SIGNATURE_LINES = 8
_MAX_SIGNATURE_LENGTH = 80
_MAX_OWN_QUOTE = 10
_ALONE = re.compile(r"<[^<>\s]{3,300}>:?")
_WRAPPED = 60


class _Run(NamedTuple):
    """Lines from ``start`` to ``end`` that are all quoted, or all the author's."""

    is_quoted: bool
    start: int
    end: int
    is_introduced: bool


def divide(text: str, subject: str = "", own_address: str = "") -> MailText:
    """Return the parts of a reply; ``own_address`` is the sender of mail from this server."""
    lines = [line_of(each) for each in text.split("\n")]
    signs = Signs(own_address, subject)
    end, forwarded = end_of_own(lines, signs, forwards=bool(FORWARDED_SUBJECT.match(subject)))
    own = _own(lines, end, signs)
    if forwarded is None and not own and not _is_surely_quoted(lines, signs):
        own = [*range(len(lines))]
    kept = [*own, *range(len(lines) if forwarded is None else forwarded, len(lines))]
    left = sorted(set(range(len(lines))) - set(kept))
    quoted = _joined(lines, left, apart=False)
    # Initials before a mark look like a prompt, as in "sh> ls": such lines stay, but do nothing.
    acting = (index for index in own if not may_be_quoted(lines[index].start))
    return MailText(_joined(lines, kept), quoted, _commands(lines, acting, signs))


def _is_surely_quoted(lines: Sequence[Line], signs: Signs) -> bool:
    """Return whether a text without words of its author has quote marks, or comes from our mail."""
    return any((line.is_quoted and not line.is_history) or signs.are_in(line) for line in lines)


def whole(text: str, own_address: str = "") -> MailText:
    """Return the parts of a mail that is no reply: nothing is left out."""
    lines = [line_of(each) for each in text.split("\n")]
    commands = _commands(lines, range(len(lines)), Signs(own_address, ""))
    return MailText(text.replace(HISTORY, "").strip("\n"), "", commands)


def _commands(lines: Sequence[Line], own: Iterable[int], signs: Signs) -> str:
    """Return the own lines above the first sign of another message, without quotes."""
    above = (
        index
        for index, line in enumerate(lines)
        if FORWARDED.match(line.start)
        or signs.are_in(line)
        or may_be_reply_line(line.start)
        or (line.start and not line.is_quoted and history_start(lines, index, signs) is not None)
    )
    end = next(above, len(lines))
    return _joined(lines, (index for index in own if index < end and not lines[index].is_quoted))


def _own(lines: Sequence[Line], end: int, signs: Signs) -> list[int]:
    """Return the lines of the author's own words, and of quotes that they answer one by one.

    A short quote seems to be the author's own if nothing says who wrote it.
    """
    runs = _runs(lines, end, signs)
    last_own = max((index for index, run in enumerate(runs) if not run.is_quoted), default=-1)
    answered = [index for index, run in enumerate(runs[: last_own + 1]) if run.is_quoted]
    is_last_introduced = bool(runs) and runs[-1].is_quoted and runs[-1].is_introduced
    if len(answered) == 1 and (
        runs[answered[0]].is_introduced or (answered[0] == 0 and not is_last_introduced)
    ):
        answered = []
    if not any(run.is_introduced for run in runs):
        answered += [index for index, run in enumerate(runs) if _is_on_purpose(lines, run, index <= last_own)]
    kept: list[int] = []
    for index, run in enumerate(runs):
        if run.is_quoted:
            kept += _question(lines, run) if index in answered else []
        else:
            kept += _unsigned(lines, run, signs, is_last=index == last_own, is_first=not kept)
    return kept


def _question(lines: Sequence[Line], run: _Run) -> list[int]:
    """Return the lines of a quote that is answered, without blank ones at its end."""
    indexes = [index for index in range(run.start, run.end) if not lines[index].is_history]
    while indexes and not lines[indexes[-1]].start:
        indexes.pop()
    return indexes


def _is_on_purpose(lines: Sequence[Line], run: _Run, is_answered: bool) -> bool:
    """Return whether a quote without an attribution was written by the author on purpose.

    It is short, and answered or introduced.
    """
    if run.end - run.start > _MAX_OWN_QUOTE:
        return False
    above = content_above(lines, run.start)
    return is_answered or (above is not None and lines[above].start.endswith(tuple(COLON)))


def _runs(lines: Sequence[Line], end: int, signs: Signs) -> list[_Run]:
    """Return the runs of quoted and own lines, without the attributions between them."""
    runs: list[_Run] = []
    for index in range(end):
        line = lines[index]
        if not line.start and not line.is_quoted:
            continue
        is_quoted = line.is_quoted or _is_wrapped(lines, index)
        if runs and runs[-1].is_quoted == is_quoted:
            runs[-1] = runs[-1]._replace(end=index + 1)
            continue
        is_introduced = False
        if line.is_quoted:
            is_introduced = _is_introduced(lines, index, signs)
            is_near = runs and index - runs[-1].end <= MAX_GAP
            begun = introduction(lines, index, signs, is_ours=is_introduced) if is_near else None
            if begun is not None:
                is_introduced = True
                above = content_above(lines, begun) if begun > runs[-1].start else None
                last = runs.pop()
                if begun > last.start:
                    runs.append(last._replace(end=begun if above is None else above + 1))
                elif runs:
                    runs[-1] = runs[-1]._replace(end=index + 1)
                    continue
        runs.append(_Run(is_quoted, index, index + 1, is_introduced))
    return runs


def _is_wrapped(lines: Sequence[Line], index: int) -> bool:
    """Return whether a line is the end of a quoted one that a program has wrapped."""
    above = lines[index - 1] if index else lines[0]
    start = lines[index].start
    is_continued = start[:1].islower() or _ALONE.fullmatch(start) is not None
    return above.is_quoted and len(above.text) >= _WRAPPED and is_continued


def _is_introduced(lines: Sequence[Line], index: int, signs: Signs) -> bool:
    """Return whether the first lines of a quote show that it is an earlier message."""
    first = [*takewhile(lambda line: line.is_quoted or not line.start, lines[index : index + HEADER_LINES])]
    return any(
        line.is_history or signs.are_in(line) or (ATTRIBUTION_END.search(line.start) and "@" in line.start)
        for line in first
    ) or any(is_header(first, each, signs) for each in range(len(first)))


def _unsigned(lines: Sequence[Line], run: _Run, signs: Signs, *, is_last: bool, is_first: bool) -> list[int]:
    """Return the lines of a run of own lines without a signature."""
    # An attribution without a quote below belongs to none of the author's words.
    begun = attribution(lines, run.end - 1, signs) if is_last else None
    own = [*range(run.start, run.end if begun is None else begun)]
    for index in own[0 if not is_first else 1 :]:
        if _is_signature(lines, index, run):
            own = own[: index - run.start]
            break
    while is_last and own and (not lines[own[-1]].start or SENT_FROM.fullmatch(lines[own[-1]].start)):
        own.pop()
    return own


def _is_signature(lines: Sequence[Line], index: int, run: _Run) -> bool:
    """Return whether some lines are a signature or the footer of a mailing list.

    Only ``-- `` is surely the line above a signature. The others must stand alone, because they also separate
    the parts of a text.
    """
    text = lines[index].text
    if text == "-- ":
        return True
    if text not in SIGNATURES and not RULE.fullmatch(text):
        return False
    below = [line.start for line in lines[index + 1 : index + 8] if line.start]
    if any(LIST_FOOTER.match(each) for each in below[:4]):
        return True
    if text not in SIGNATURES or not below or lines[index + 1].start != below[0]:
        return False
    signature = lines[index + 1 : run.end] if run.end - index <= _MAX_SIGNATURE_LINES else []
    is_short = bool(signature) and all(len(line.text) <= _MAX_SIGNATURE_LENGTH for line in signature)
    return is_short and sum(line.text in SIGNATURES for line in lines[run.start : run.end]) == 1


def _joined(lines: Sequence[Line], indexes: Iterable[int], *, apart: bool = True) -> str:
    """Return some lines as a text, with a blank line where others are left out, and around quotes."""
    joined: list[str] = []
    last = None
    for index in indexes:
        changes = apart and last is not None and lines[last].is_quoted != lines[index].is_quoted
        if last is not None and (index != last + 1 or changes):
            joined += [""] if joined[-1] and lines[index].text else []
        joined.append(lines[index].text)
        last = index
    text = _MAX_BLANK.sub("\n\n\n", "\n".join(joined).strip("\n")).rstrip()
    # More blanks begin a block of code.
    return _INDENT.sub("", text)
