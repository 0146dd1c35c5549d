"""What the links of Trac's WikiFormatting mean here."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from skerry.text.markup.writing import escaped, label, link, no_name

SCHEMES = (
    *("ticket", "bug", "issue", "comment", "changeset", "report", "wiki", "milestone", "source", "browser"),
    *("log", "query", "search", "attachment", "raw-attachment"),
)
"""The kinds of links that Trac itself has."""

_URL = re.compile(r"(?:https?|ftp)://\S|mailto:\S", re.IGNORECASE)
_TICKET = re.compile(r"([1-9]\d{0,14})(?:#comment:(\d{1,9}))?")
_COMMENT = re.compile(r"(?P<comment>\d{1,9}):ticket:(?P<ticket>[1-9]\d{0,14})")
_OLD_COMMENT = re.compile(r"ticket:(?P<ticket>[1-9]\d{0,14}):(?P<comment>\d{1,9})")
_REVISION = re.compile(r"r?(\d{1,10}|[0-9a-f]{7,40})(?:/.*)?")
_PICTURE = re.compile(r"https?://\S+", re.IGNORECASE)
# What stays as it is in the paths of the old tracker's pages.
_PATHS = {
    "report": "report/{}",
    "wiki": "wiki/{}",
    "milestone": "milestone/{}",
    "source": "browser/{}",
    "browser": "browser/{}",
    "log": "log/{}",
    "query": "query?{}",
    "search": "search?q={}",
    "changeset": "changeset/{}",
}


@dataclass(frozen=True)
class Names:
    """The addresses of attached files by their names, and the address of the old tracker, if it is known.

    ``told`` counts what is different in Markdown, by kind.
    """

    file: Callable[[str], str] = no_name
    address: str = ""
    told: Counter[str] = field(default_factory=Counter)


class Links:
    """Writes links as Markdown; those of another kind are None."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def link(self, target: str, words: str, said: str) -> str | None:
        """Return a link such as ``ticket:12`` with its words, if any; ``said`` is all that is written."""
        words = _unquoted(words.strip())
        if _URL.match(target):
            return link(label(escaped(words or target)), target)
        scheme, _, plain = target.partition(":")
        place = _unquoted(plain)
        return self._own(scheme, place, words, said) if scheme in SCHEMES and place else None

    def _own(self, scheme: str, place: str, words: str, said: str) -> str | None:
        """Return a link to something of the tracker itself."""
        if scheme in ("ticket", "bug", "issue"):
            return self._ticket(place, words)
        if scheme == "comment":
            return self._comment(place, words)
        if scheme in ("attachment", "raw-attachment"):
            return self._file(place, words, said)
        if scheme == "changeset" and (match := _REVISION.fullmatch(place)):
            return self.revision(match[1], words, said)
        return self._old(scheme, place, words, said)

    def _ticket(self, place: str, words: str) -> str | None:
        match = _TICKET.fullmatch(place)
        return self._named(match[1], match[2] or "", words) if match else None

    def _comment(self, place: str, words: str) -> str | None:
        match = _COMMENT.fullmatch(place) or _OLD_COMMENT.fullmatch(place)
        if match:
            return self._named(match["ticket"], match["comment"], words)
        self._names.told["comments"] += 1
        return f"{escaped(words)} (comment:{escaped(place)})" if words else None

    def _named(self, number: str, comment: str, words: str) -> str:
        """Return the reference to a ticket; the numbers of comments are words."""
        self._names.told["comments"] += bool(comment)
        name = f"#{number}, comment {comment}" if comment else f"#{number}"
        repeated = words in ("", number, f"#{number}", f"ticket:{number}")
        return name if repeated else f"{escaped(words)} ({name})"

    def _file(self, place: str, words: str, said: str) -> str:
        url = self._names.file(place) if ":" not in place else ""
        if url:
            return link(label(escaped(words or place)), url)
        self._names.told["files"] += 1
        return _as_words(words, said, f"attachment:{place}")

    def revision(self, name: str, words: str, said: str) -> str:
        """Return the link to a revision, which is a number or a hash."""
        if not name.isdecimal():
            # The importer knows what the hash of a commit means.
            return (
                f"[{name[:12]}]"
                if not words or name.startswith(words)
                else f"{escaped(words)} ([{name[:12]}])"
            )
        return self._old("changeset", name, words, said)

    def report(self, number: str, said: str) -> str:
        """Return the link to a saved report."""
        return self._old("report", number, "", said)

    def _old(self, scheme: str, place: str, words: str, said: str) -> str:
        path = _PATHS[scheme]
        if not self._names.address:
            self._names.told["words"] += 1
            return _as_words(words, said, f"{scheme}:{place}")
        self._names.told["old"] += 1
        safe = "/=&~^$!|" if "?" in path else "/"
        url = f"{self._names.address}/{path.format(quote(place.lstrip('/'), safe=safe))}"
        return link(label(escaped(words or said.strip("[]"))), url)

    def picture(self, arguments: str) -> str:
        """Return the picture of a macro ``Image``."""
        name = _unquoted(arguments.partition(",")[0].strip())
        url = name if _PICTURE.fullmatch(name) else self._names.file(name)
        if url:
            return f"!{link(label(escaped(name)), url)}"
        self._names.told["pictures"] += 1
        return f"[{label(escaped(name))}]"


def _as_words(words: str, said: str, target: str) -> str:
    """Return a link that leads nowhere as it is written, or its words with the target behind."""
    return f"{escaped(words)} ({escaped(target)})" if words else escaped(said)


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text
