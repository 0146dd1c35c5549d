"""References in the texts of another tracker, rewritten so that they mean the same here.

``#12`` of a ticket that has another number here gets it, as do keys such as ``PROJ-12`` and addresses of
tickets. What did not come along becomes a link to the old tracker, so that it never means another ticket
here. Code and the targets of links stay as they are.
"""

import re
from collections.abc import Callable, Mapping

from skerry.text import mentions
from skerry.text.markup import fences
from skerry.text.project_words import IN_TEXT
from skerry.text.references import ELSEWHERE
from skerry.text.words import small
from skerry.transfer.sources.numbering import Places
from skerry.transfer.sources.records import Person, References
from skerry.transfer.sources.report import Report

_KEY = r"[A-Z][A-Z0-9_]{0,30}-[1-9]\d{0,14}"
_NAMES = rf"""
    (?P<code>``[^\n]{{1,500}}?``|`[^`\n]{{1,500}}`)
  | (?P<target>\]\([^()\s]{{0,2000}}\)?)
  | (?P<address>https?://[^\s<>()\[\]"'`]{{1,2000}})
  | (?P<person>(?<![\w./@+-])@\w[\w.-]{{0,99}})
  | (?P<word>(?<![\w./#-])[\w.-]{{1,100}}(?:/[\w.-]{{1,100}}){{0,5}})?
    (?<!\\)(?P<sign>[\#!])(?P<number>[1-9]\d{{0,14}})(?!\w)
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
    """Rewrites the texts of one project; ``project`` is its place in the archive."""

    def __init__(
        self,
        references: References,
        places: Places,
        project: int,
        people: Mapping[str, Person],
        report: Report,
    ) -> None:
        """Create a rewriter; people are found by their keys in any case."""
        self._references, self._places, self._project = references, places, project
        self._report = report
        self._others = {word: each for each, word in places.words.items() if each != project}
        self._people, self._in_any_case = people, {small(key): key for key in people}
        # A number beyond all others is a colour, or part of another text.
        self._last = max([places.numbers[project - 1].highest, *map(int, references.merges)], default=0)
        self._words = {word.lower() for word in references.words}
        self._pattern, self._hint = _WITH_COMMITS if references.commit else _WITHOUT_COMMITS
        prefix = references.ticket.partition("{}")[0]
        known = rf"{re.escape(prefix)}({_KEY}|[1-9]\d{{0,14}})(?:#[\w-]*)?([.,;:!?*_~]*)"
        self._ticket_address = re.compile(known) if prefix else None

    def rewritten(self, text: str) -> str:
        """Return a text that means the same here."""
        if not self._hint.search(text):
            return text
        return "".join(
            line if is_code or not self._hint.search(line) else self._pattern.sub(self._replaced, line)
            for line, is_code in fences.lines_of(text)
        )

    def html_of(self, text: str) -> str | None:
        """Return HTML that says which projects the words in a rewritten text mean, or None without any."""
        found = IN_TEXT.finditer(text) if self._others and "#" in text else ()
        links = {match[0]: self._others[match[1]] for match in found if match[1] in self._others}
        if not links:
            return None
        return "".join(
            f'<a href="/projects/{place}/tickets/{name.partition("#")[2]}" '
            f'title="{ELSEWHERE}{name.partition("#")[0]}: ticket #{name.partition("#")[2]}">{name}</a>'
            for name, place in links.items()
        )

    def _ticket(self, key: str, match: re.Match[str]) -> str:
        """Return the reference to a ticket that a text names by its key; empty if it does not come along."""
        place = self._places.of(self._project, key)
        if place is None:
            return ""
        word = "" if place.project == self._project else self._places.words[place.project]
        before = match.string[match.start() - 1 : match.start()]
        # After other signs, only brackets make it a reference.
        plain = not before or before.isspace() or before == "["
        return f"{word}#{place.number}" if plain else f"[{word}#{place.number}]"

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
        ticket = self._ticket(found[1], match) if found else ""
        if found is None or not ticket:
            return match[0]
        self._report.change(
            "{n} {address of a ticket is a number|addresses of tickets are numbers} now", match[0]
        )
        return f"{ticket}{found[2]}"

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
        place = self._places.of(self._project, key)
        if place is None:
            is_ticket = int(key) <= self._last
            return self._linked(match[0], self._references.ticket, key) if is_ticket else match[0]
        word = "" if place.project == self._project else self._places.words[place.project]
        return f"{word}#{place.number}"

    def _key(self, match: re.Match[str]) -> str:
        word, _, plain = match[0].rpartition("-")
        ours = plain if word.lower() in self._words else match[0]
        return self._ticket(match[0], match) or self._ticket(ours, match) or match[0]

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
