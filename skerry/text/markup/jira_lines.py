"""The inside of a line of Jira's wiki markup: emphasis, links, pictures, code."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skerry.text.markup.writing import (
    URL,
    Done,
    Mark,
    Piece,
    at_line_start,
    code_in_line,
    joined,
    label,
    link,
    no_name,
    trimmed,
)

_TOKEN = re.compile(
    r"""
    \\\\(?P<newline>(?=\s|$))
  | \\(?P<escape>[-{}\[\]*_+^~!|?#(])
  | \x00(?P<block>\d{1,9})\x00
  | \{\{(?P<mono>(?:[^{}\n\x00]|\{(?!\{)|\}(?!\}))++)\}\}
  | \{color(?P<color>:[^{}\n]{0,100})?\}
  | \[(?P<link>[^\[\]\n\x00]++)\]
  | (?<!\w)!(?P<image>[^\s!|\x00](?:[^!|\n\x00]{0,500}[^\s!|\x00])?)
    (?:\|(?P<size>[^!|\n\x00]{0,200}))?!(?![\w!])
  | (?P<url>URL)
  | \{(?P<inner>[*_+-])\}
  | (?P<mark>\?\?|[*_+-])
""".replace("URL", URL),
    re.VERBOSE,
)
_ANY = re.compile(r"[\\{\[!*_+\-?\x00]|://")
_PAIRS = {"*": ("**", "**"), "_": ("_", "_"), "-": ("~~", "~~"), "+": ("<u>", "</u>"), "??": ("_", "_")}
# Inside of words, these work where the marks of Markdown do not.
_INNER_PAIRS = {"*": "strong", "_": "em", "-": "s", "+": "u"}
_TARGET = re.compile(r"(?:https?|ftp|mailto|file):|www\.|//", re.IGNORECASE)
PICTURE = re.compile(r"(?:https?://.*|.*\.(?:png|jpe?g|gif|bmp|svg|webp|tiff?|ico|heic))", re.IGNORECASE)
"""Matches the name or the address of a picture."""


@dataclass(frozen=True)
class Names:
    """What names in texts mean: people by their logins, and the addresses of attached files.

    ``told`` counts what Markdown does not have, by kind.
    """

    person: Callable[[str], str] = no_name
    file: Callable[[str], str] = no_name
    told: Counter[str] = field(default_factory=Counter)


class Line:
    """Writes lines of a text whose blocks were replaced by their numbers between zero characters."""

    def __init__(self, names: Names, block: Callable[[int], str]) -> None:
        """Create a writer; ``block`` returns how a block is written inside of a line."""
        self._names, self._block = names, block

    def written(self, text: str) -> str:
        """Return the Markdown of a line."""
        return joined(self._pieces(text), numbers=True) if _ANY.search(text) else joined([text], numbers=True)

    def paragraph(self, lines: Sequence[str]) -> str:
        """Return the Markdown of the lines of a paragraph."""
        return "\n".join(
            at_line_start(piece.strip()) for line in lines for piece in self.written(line).split("\n")
        )

    def _pieces(self, text: str) -> list[Piece]:
        pieces, done = list[Piece](), 0
        while match := _TOKEN.search(text, done):
            if match.start() > done:
                pieces.append(text[done : match.start()])
            done = match.end()
            kind = match.lastgroup or ""
            if kind == "url":
                url = trimmed(match[0])
                done = match.start() + len(url)
                pieces.append(Done(url))
            elif kind == "mark":
                pieces.append(_mark(match))
            else:
                pieces.append(self._piece(kind, match))
        pieces.append(text[done:])
        return pieces

    def _piece(self, kind: str, match: re.Match[str]) -> Piece:
        """Return the piece of a match; text as written if it is nothing else."""
        writers: dict[str, Callable[[re.Match[str]], Piece]] = {
            "newline": lambda _: Done("\n"),
            "escape": lambda found: found["escape"],
            "block": lambda found: Done(self._block(int(found["block"]))),
            "mono": lambda found: Done(code_in_line(found["mono"])) if found["mono"].strip() else found[0],
            "inner": _inner,
            "image": self._picture,
            "size": self._picture,
            "link": self._link,
        }
        return writers.get(kind, self._colored)(match)

    def _colored(self, match: re.Match[str]) -> Piece:
        self._names.told["colors"] += match[0].lower() != "{color}"
        return ""

    def _picture(self, match: re.Match[str]) -> Piece:
        name = match["image"]
        if not PICTURE.fullmatch(name):
            return match[0]
        url = name if "://" in name else self._names.file(name)
        text = label(joined([name], numbers=True))
        if url:
            return Done(f"!{link(text, url)}")
        self._names.told["pictures"] += 1
        return Done(f"[{text}]" if match[0] else text)

    def _link(self, match: re.Match[str]) -> Piece:
        words, bar, rest = match["link"].partition("|")
        target, _, title = (part.strip() for part in (rest if bar else words).partition("|"))
        if target.startswith("~") and not bar:
            return self._person(target[1:])
        if target.startswith("^"):
            return self._file(words if bar else target[1:], target[1:])
        if not _TARGET.match(target) or any(each.isspace() for each in target):
            return match[0]
        if not bar:
            return Done(target) if target.startswith("http") else Done(link(_label(target), target))
        return Done(link(_label(words.strip()) or _label(target), target, title))

    def _person(self, login: str) -> Piece:
        login = login.removeprefix("accountid:")
        name = (self._names.person(login) or login).replace('"', "")
        return Done(f"@{name}" if name.replace("_", "").isalnum() else f'@"{name}"')

    def _file(self, words: str, name: str) -> Piece:
        url = self._names.file(name)
        text = _label(words)
        if url:
            return Done(link(text, url))
        self._names.told["files"] += 1
        return Done(f"[{text}]")


def _label(words: str) -> str:
    return label(joined([words], numbers=True))


def _inner(match: re.Match[str]) -> Mark:
    """Return a mark inside of a word, where the marks of Markdown do not work."""
    tag = _INNER_PAIRS[match["inner"]]
    return Mark(match[0], match[0], opens=True, closes=True, pair=(f"<{tag}>", f"</{tag}>"))


def _mark(match: re.Match[str]) -> Mark:
    said, text = match[0], match.string
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    plain = not before.isalnum() and before not in (said, "\\")
    opens = plain and bool(after) and not after.isspace() and after != said
    closes = bool(before) and not before.isspace() and not after.isalnum() and after != said
    return Mark(said, said, opens=opens, closes=closes and before != said, pair=_PAIRS[said])
