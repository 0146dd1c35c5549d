"""The inside of a line of Trac's WikiFormatting: emphasis, links, macros, code."""

import re
from collections.abc import Callable, Mapping, Sequence

from skerry.text.markup.trac_links import SCHEMES, Links, Names
from skerry.text.markup.writing import URL, Done, Mark, Piece, at_line_start, code_in_line, joined, trimmed

_TOKEN = re.compile(
    # Where no sign is and no word begins, nothing else is looked for.
    r"""
    (?=[!{`'*/_~,^\[<\\]|(?<![^\W_])[a-z])(?:
    !(?P<camel>[A-Z][a-z]++(?:[A-Z][a-z]++)++)
  | !(?P<number>\#[1-9]\d{0,14})
  | !?(?:
      \{\{\{(?P<mono>(?:[^{}\n]|\{(?!\{\{)|\}(?!\}\}))++)\}\}\}
    | `(?P<tick>[^`\n]++)`
    | (?P<quotes>'''''|'''|'')
    | (?P<mark>\*\*|(?<!:)//|__|~~)
    | (?P<small>,,|\^)
    | \[\[(?P<macro>(?:[^\[\]\n]|\](?!\])|\[(?!\[))++)\]\]
    | \[(?P<link>[^\[\]\n]++)\]
    | \{(?P<report>[1-9]\d{0,8})\}
    | <(?P<angle>[a-z-]{2,20}:[^<>\n]{1,500})>
    | (?<![\w/.#-])r(?P<revision>\d{1,10})(?![\w:-]|\.\w)
    | (?P<url>URL)
    | (?<![\w/.-])(?P<short>(?:SCHEMES):(?:"[^"\n]{1,300}"|'[^'\n]{1,300}'|[\w/?!\#@][^\s|<>\x00]{0,500}))
    )
  | \\\\(?P<newline>(?=\s|$))
    )
""".replace("URL", URL).replace("SCHEMES", "|".join(SCHEMES)),
    re.VERBOSE,
)
_ANY = re.compile(r"[\\{\[!*^`]|__|~~|,,|''|//|\br\d|<[a-z]|\w:[\w\"'/?!#@]")
_PAIRS = {"'''": ("**", "strong"), "**": ("**", "strong"), "''": ("_", "em"), "//": ("_", "em")}
_PAIRS |= {"~~": ("~~", "s"), "__": ("", "u")}
_MACRO = re.compile(r"(?P<name>[\w/+-]+\??|\?)(?:\((?P<arguments>.*)\))?", re.DOTALL)
_CHANGES = re.compile(r"(\d{1,10}|(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40})(?:/\S*)?")
_QUOTED_TARGET = re.compile(r"""[\w.+-]{1,50}:(?:"[^"]*"|'[^']*')""")


class Line:
    """Writes the text of paragraphs, items and cells."""

    def __init__(self, names: Names) -> None:
        self._names, self._links = names, Links(names)

    def written(self, text: str) -> str:
        """Return the Markdown of a text."""
        return joined(_paired(self._pieces(text)) if _ANY.search(text) else [text], numbers=False)

    def paragraph(self, lines: Sequence[str]) -> str:
        """Return the Markdown of the lines of a paragraph."""
        written = self.written("\n".join(line.strip() for line in lines))
        return "\n".join(at_line_start(line.strip()) for line in written.split("\n"))

    def _pieces(self, text: str) -> list[Piece]:
        pieces, done, opened = list[Piece](), 0, list[str]()
        while match := _TOKEN.search(text, done):
            pieces.append(text[done : match.start()])
            done = match.end()
            kind, said = match.lastgroup or "", match[0]
            if said.startswith("!"):
                pieces += self._escaped(kind, match)
            elif kind == "quotes":
                pieces += _quotes(said, opened)
            elif kind in ("url", "short"):
                piece, length = self._address(kind, said)
                done = match.start() + length
                pieces.append(piece)
            else:
                pieces.append(self._piece(kind, match))
        pieces.append(text[done:])
        return pieces

    def _escaped(self, kind: str, match: re.Match[str]) -> list[Piece]:
        """Return what is no markup, because of the sign before it."""
        said = match[0]
        if kind == "number":
            return [Done(f"\\{said[1:]}")]
        if kind == "link" and not self._target(match["link"]):
            return [said]
        return [said[1:]]

    def _piece(self, kind: str, match: re.Match[str]) -> Piece:
        writers: Mapping[str, Callable[[re.Match[str]], Piece]] = {
            "mono": lambda found: Done(code_in_line(found["mono"])) if found["mono"].strip() else found[0],
            "tick": lambda found: Done(code_in_line(found["tick"])) if found["tick"].strip() else found[0],
            "mark": lambda found: Mark(found[0], found[0], opens=True, closes=True),
            "newline": lambda _: Done("\n"),
            "macro": self._macro,
            "link": self._link,
            "report": lambda found: Done(self._links.report(found["report"], found[0])),
            "angle": lambda found: self._linked(found["angle"], "", found[0]),
            "revision": lambda found: Done(self._links.revision(found["revision"], "", found[0])),
        }
        if kind == "small":
            self._names.told["small"] += 1
        return writers[kind](match) if kind in writers else match[0]

    def _address(self, kind: str, said: str) -> tuple[Piece, int]:
        """Return an address in a text, and how much of the text it is."""
        if kind == "url":
            url = trimmed(said)
            return Done(url), len(url)
        end = len(said)
        while end and not (said[end - 1].isalnum() or said[end - 1] in "/=\"'"):
            end -= 1
        target = said[:end]
        return self._linked(target, "", target), end

    def _linked(self, target: str, words: str, said: str) -> Piece:
        markdown = self._links.link(target, words, said)
        return said if markdown is None else Done(markdown)

    def _target(self, inside: str) -> tuple[str, str] | None:
        """Return the target and the words of a link in brackets, or None if it is none."""
        match = _QUOTED_TARGET.match(inside)
        target = match[0] if match else inside.partition(" ")[0]
        words = inside[len(target) :].strip()
        if inside.startswith("=#"):
            return "=", words
        if _CHANGES.fullmatch(inside) or (":" in target and _is_link(target)):
            return target, words
        return None

    def _link(self, match: re.Match[str]) -> Piece:
        inside, found = match["link"], self._target(match["link"])
        if found is None:
            return match[0]
        if found[0] == "=":
            return found[1]
        if change := _CHANGES.fullmatch(inside):
            return Done(self._links.revision(change[1], "", match[0]))
        return self._linked(*found, match[0])

    def _macro(self, match: re.Match[str]) -> Piece:
        inside = match["macro"]
        if inside.lower() == "br":
            return Done("\n")
        target, _, words = inside.partition("|")
        if not (macro := _MACRO.fullmatch(inside)):
            if inside.startswith("=#"):
                return words
            return self._linked(target.strip() if _is_link(target) else f"wiki:{target}", words, match[0])
        if macro["name"].lower() == "image" and macro["arguments"]:
            return Done(self._links.picture(macro["arguments"]))
        self._names.told["macros"] += 1
        return match[0]


def _is_link(target: str) -> bool:
    scheme = target.partition(":")[0].lower()
    return scheme in SCHEMES or scheme in ("http", "https", "ftp", "mailto")


def _quotes(said: str, opened: list[str]) -> list[Piece]:
    """Return the marks of a run of quotes; five of them are two marks, of which one may end what is open."""
    kinds = [said] if said != "'''''" else ["''", "'''"]
    if len(kinds) > 1 and opened:
        kinds = [opened[-1], "''" if opened[-1] == "'''" else "'''"]
    for kind in kinds:
        if kind in opened:
            opened.remove(kind)
        else:
            opened.append(kind)
    return [Mark(kind, kind, opens=True, closes=True) for kind in kinds]


def _paired(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces whose marks that belong together are Markdown; the other marks are text."""
    found = [piece for piece in pieces if piece]
    opened, waiting = list[tuple[int, str]](), dict[str, int]()
    result: list[Piece] = [piece.written if isinstance(piece, Mark) else piece for piece in found]
    for place, piece in enumerate(found):
        if not isinstance(piece, Mark):
            continue
        if not waiting.get(piece.kind):
            opened.append((place, piece.kind))
            waiting[piece.kind] = 1
            continue
        while (last := opened.pop())[1] != piece.kind:
            waiting[last[1]] = 0
        waiting[piece.kind] = 0
        if place > last[0] + 1:
            result[last[0]], result[place] = _marked(found, last[0], place, piece.kind)
    return result


def _marked(pieces: Sequence[Piece], first: int, last: int, kind: str) -> tuple[Done, Done]:
    """Return the Markdown for two marks; where it would not work, they are tags."""
    sign, tag = _PAIRS[kind]
    outside = _end(pieces, first - 1, -1) + _end(pieces, last + 1, 0)
    inside = _end(pieces, first + 1, 0), _end(pieces, last - 1, -1)
    works = sign and not any(each.isalnum() or each in "*_~" for each in outside)
    if works and not any(each.isspace() or each in "*_~" for each in inside):
        return Done(sign), Done(sign)
    return Done(f"<{tag}>"), Done(f"</{tag}>")


def _end(pieces: Sequence[Piece], place: int, end: int) -> str:
    """Return the first or the last character of a piece."""
    if not 0 <= place < len(pieces):
        return ""
    piece = pieces[place]
    if isinstance(piece, Mark):
        return _PAIRS[piece.kind][0][:1] or "<"
    text = piece.markdown if isinstance(piece, Done) else piece
    return text[end] if text else ""
