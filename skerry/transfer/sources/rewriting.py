"""References in the texts of another tracker, rewritten so that they mean the same here.

``#12`` of a ticket that has another number here gets it, as do keys such as ``PROJ-12`` and addresses of
tickets. What did not come along becomes a link to the old tracker, so that it never means another ticket
here. Code and the targets of links stay as they are.
"""

import re
from collections.abc import Callable, Mapping

from skerry.text import mentions
from skerry.text.words import small
from skerry.transfer.sources.records import Person, References
from skerry.transfer.sources.report import Report

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_KEY = r"[A-Z][A-Z0-9_]{0,30}-[1-9]\d{0,14}"
_NAMES = rf"""
    (?P<code>``[^\n]{{1,500}}?``|`[^`\n]{{1,500}}`)
  | (?P<target>\]\([^()\s]{{0,2000}}\)?)
  | (?P<address>https?://[^\s<>()\[\]"'`]{{1,2000}})
  | (?P<person>(?<![\w./@+-])@\w[\w.-]{{0,99}})
  | (?P<word>(?<![\w./#-])[\w.-]{{1,100}}(?:/[\w.-]{{1,100}}){{0,5}})?
    (?P<sign>[\#!])(?P<number>[1-9]\d{{0,14}})(?!\w)
  | (?P<key>(?<![\w/-]){_KEY}(?![\w-]|\.\w))
"""
_COMMIT = r"(?P<commit>(?<![\w/.@\#-])[0-9a-f]{7,40}(?![\w@-]|\.\w))"
_FLAGS = re.VERBOSE | re.ASCII
_WITHOUT_COMMITS = re.compile(_NAMES, _FLAGS), re.compile(r"[#!@]|://|[A-Z0-9_]-[1-9]")
_WITH_COMMITS = (
    re.compile(f"{_NAMES} | {_COMMIT}", _FLAGS),
    re.compile(rf"{_WITHOUT_COMMITS[1].pattern}|[0-9a-f]{{7}}"),
)
_PLAIN = re.compile(r"\w+")


class Rewriter:
    """Rewrites the texts of one project; ``numbers`` has the numbers of its tickets by their keys."""

    def __init__(
        self,
        references: References,
        numbers: Mapping[str, int],
        people: Mapping[str, Person],
        report: Report,
    ) -> None:
        """Create a rewriter; people are found by their keys in any case."""
        self._references, self._numbers, self._report = references, numbers, report
        self._people, self._in_any_case = people, {small(key): key for key in people}
        # A number beyond all others is a colour, or part of another text.
        self._last = max([*numbers.values(), *map(int, references.merges)], default=0)
        self._words = {word.lower() for word in references.words}
        self._pattern, self._hint = _WITH_COMMITS if references.commit else _WITHOUT_COMMITS
        prefix = references.ticket.partition("{}")[0]
        known = rf"{re.escape(prefix)}({_KEY}|[1-9]\d{{0,14}})(?:#[\w-]*)?([.,;:!?*_~]*)"
        self._ticket_address = re.compile(known) if prefix else None

    def rewritten(self, text: str) -> str:
        """Return a text that means the same here."""
        if not self._hint.search(text):
            return text
        fence, lines = "", list[str]()
        for line in text.splitlines(keepends=True):
            mark = _FENCE.match(line)
            is_code = bool(mark or fence)
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and not line.strip(" \t\r\n`~"):
                fence = ""
            plain = is_code or not self._hint.search(line)
            lines.append(line if plain else self._pattern.sub(self._replaced, line))
        return "".join(lines)

    def _replaced(self, match: re.Match[str]) -> str:
        """Return what stands here instead of a match."""
        kinds: Mapping[str, Callable[[re.Match[str]], str]] = {
            "address": self._address,
            "person": self._person,
            "number": self._number,
            "key": self._key,
            "commit": self._commit,
        }
        rewrite = kinds.get(match.lastgroup or "")
        return rewrite(match) if rewrite else match[0]

    def _address(self, match: re.Match[str]) -> str:
        found = self._ticket_address.fullmatch(match[0]) if self._ticket_address else None
        number = self._numbers.get(found[1]) if found else None
        if found is None or number is None:
            return match[0]
        self._report.change("{n} {address of a ticket is|addresses of tickets are} now numbers", match[0])
        return f"#{number}{found[2]}"

    def _person(self, match: re.Match[str]) -> str:
        key = match[0][1:].rstrip(".-")
        person = self._people.get(self._in_any_case.get(small(key), key))
        name = person.name if person else key
        if name == key or '"' in name or len(name) > mentions.MAX_LENGTH:
            return match[0]
        plain = name if _PLAIN.fullmatch(name) else f'"{name}"'
        return f"@{plain}{match[0][1 + len(key) :]}"

    def _number(self, match: re.Match[str]) -> str:
        word, key = match["word"] or "", match["number"]
        if match["sign"] == "!":
            return self._linked(match[0], self._references.merge, key) if not word else match[0]
        if word and word.lower() not in self._words:
            return match[0]
        if key in self._references.merges:
            return self._linked(match[0], self._references.merge or self._references.ticket, key)
        number = self._numbers.get(key)
        if number is None:
            is_ticket = int(key) <= self._last
            return self._linked(match[0], self._references.ticket, key) if is_ticket else match[0]
        return f"#{number}"

    def _key(self, match: re.Match[str]) -> str:
        word, _, plain = match[0].rpartition("-")
        number = self._numbers.get(match[0])
        if number is None and word.lower() in self._words:
            number = self._numbers.get(plain)
        return match[0] if number is None else f"#{number}"

    def _commit(self, match: re.Match[str]) -> str:
        said = match[0]
        # A word or a number is no commit.
        if not self._references.commit or said.isdigit() or said.isalpha():
            return said
        return self._linked(said[:10], self._references.commit, said)

    def _linked(self, label: str, address: str, key: str) -> str:
        """Return a link to the old tracker, if its address is known."""
        if not address:
            return label
        self._report.change("{n} {reference leads|references lead} to the old tracker", label)
        return f"[{label}]({address.replace('{}', key)})"
