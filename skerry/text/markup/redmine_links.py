"""What the references in Redmine's texts mean here, in Textile and in Markdown."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from skerry.text.markup.writing import escaped, label, link, no_name

_WORD = r"[a-z0-9_-]{1,100}"
REFERENCE = rf"""
    (?P<wiki>!?\[\[(?P<page>[^\n|\[\]]{{1,200}})(?:\|(?P<words>[^\n|\[\]]{{1,200}}))?\]\])
  | (?<![^\s(,\[>|*_~+"'-])(?P<reference>(?P<escape>!)?(?P<project>{_WORD}:)?
    (?:
        (?P<kind>attachment|document|version|forum|news|message|project|commit|source|export|user)
        (?:\#(?P<id>\d{{1,9}})|:(?P<name>"[^"\n]{{1,300}}"|[^\s"<>]{{1,300}}))
      | \#{{1,2}}(?P<number>[1-9]\d{{0,14}})(?:(?:\#note)?-(?P<note>\d{{1,9}}))?
      | \#note-(?P<own>\d{{1,9}})
      | (?:(?P<repository>{_WORD})\|)?r(?P<revision>\d{{1,9}})
    )(?![\w/]))
  | (?<![\w@/.-])(?P<mention>@(?P<login>[A-Za-z0-9_][\w.@-]{{0,99}}))
"""
"""Matches a reference, for a pattern with VERBOSE; groups have the names that Links reads."""

_END = ".,;:!?)]'*_"
_HASH = re.compile(r"(?:(?P<repository>[a-z0-9_-]{1,100})\|)?(?P<hash>[0-9a-zA-Z_.-]{1,100})")
_SHORT = 7
# What Redmine's own numbers lead to.
_PATHS = {"document": "documents/{}", "version": "versions/{}", "forum": "boards/{}", "news": "news/{}"}


@dataclass(frozen=True)
class Names:
    """What is known about the place of a text.

    ``file`` gives the address of an attached file by its name, or nothing. ``people`` are the keys of people
    by their logins in lower case, ``versions`` the titles of versions by their numbers. ``address`` is that
    of Redmine, if it is known, and ``project`` how it calls the project. ``told`` counts what is different in
    Markdown, by kind.
    """

    file: Callable[[str], str] = no_name
    people: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    project: str = ""
    told: Counter[str] = field(default_factory=Counter)


class Links:
    """Writes references as Markdown; those to tickets and people get their form here later."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def written(self, match: re.Match[str]) -> str:
        """Return the Markdown for a match of REFERENCE."""
        if match["wiki"]:
            return self._wiki(match)
        if match["mention"]:
            return self._person(match["login"], match[0])
        if match["escape"]:
            return escaped(match[0][1:], numbers=True)
        if match["number"] or match["own"]:
            return self._ticket(match)
        if match["revision"]:
            return self._revision(match, match["repository"] or "", match["revision"], match[0])
        return self._by_number(match) if match["id"] else self._by_name(match)

    def relative(self, path: str, words: str) -> str | None:
        """Return a link to a path of Redmine, or None if its address is not known."""
        if not self._names.address:
            return None
        self._names.told["old"] += 1
        host = re.sub(r"(?<=[^/:])/.*", "", self._names.address)
        return link(label(escaped(words)), f"{host}{path}")

    def picture(self, name: str, words: str) -> str | None:
        """Return the picture of a file or an address, or None if it is neither."""
        is_address = name.startswith(("http://", "https://"))
        url = name if is_address else self._names.file(name)
        if not url:
            self._names.told["pictures"] += "." in name
            return None
        return f"!{link(label(escaped(words or ('' if is_address else name))), url)}"

    def _ticket(self, match: re.Match[str]) -> str:
        note = match["note"] or match["own"]
        self._names.told["notes"] += bool(note)
        number = f"#{match['number']}" if match["number"] else ""
        return ", ".join(part for part in (number, f"note {note}" if note else "") if part)

    def _person(self, said: str, whole: str) -> str:
        """Return a mention by the key of a person, or what is written if nobody has this login."""
        login = said.rstrip(".-@") if said.lower() not in self._names.people else said
        key = self._names.people.get(login.lower())
        return f"@{key}{escaped(said[len(login) :])}" if key else escaped(whole)

    def _by_number(self, match: re.Match[str]) -> str:
        kind, number = match["kind"], match["id"]
        if kind == "user" and number in self._names.people.values():
            return f"@{number}"
        if kind == "project":
            return self._old(f"projects/{number}", match[0])
        words = self._names.versions.get(number, match[0]) if kind == "version" else match[0]
        return self._old(_PATHS[kind].format(number) if kind in _PATHS else "", words)

    def _by_name(self, match: re.Match[str]) -> str:
        kind, said = match["kind"], match["name"]
        name = said.strip('"') if said[0] == '"' else said.rstrip(_END)
        tail = "" if said[0] == '"' else said[len(name) :]
        whole = match[0][: len(match[0]) - len(tail)]
        if not name:
            return escaped(match[0])
        if kind == "attachment":
            written = self._file(name, whole)
        elif kind == "user":
            written = self._person(name, whole)
        elif kind == "commit" and (commit := _HASH.fullmatch(name)):
            written = self._revision(match, commit["repository"] or "", commit["hash"], whole)
        elif kind in ("source", "export"):
            path = quote(name.lstrip("/\\").partition("@")[0].partition("#L")[0])
            way = "entry" if kind == "source" else "raw"
            written = self._old(f"{self._home(match)}/repository/{way}/{path}", whole)
        else:
            written = self._old(f"projects/{quote(name)}" if kind == "project" else "", whole)
        return f"{written}{escaped(tail)}"

    def _file(self, name: str, whole: str) -> str:
        url = self._names.file(name)
        if not url:
            self._names.told["files"] += 1
            return escaped(whole)
        return link(label(escaped(name)), url)

    def _revision(self, match: re.Match[str], repository: str, name: str, whole: str) -> str:
        is_hash = not name.isdecimal() and len(name) >= _SHORT
        if not self._names.address and is_hash and name.isalnum():
            # Commits that are pushed here later have this name, too.
            return f"[{name}]"
        place = f"{repository}/" if repository else ""
        return self._old(f"{self._home(match)}/repository/{place}revisions/{name}", whole)

    def _wiki(self, match: re.Match[str]) -> str:
        whole, page = match[0], match["page"].strip()
        if whole[0] == "!":
            return label(escaped(whole[1:]))
        project, _, own = page.rpartition(":")
        title, _, place = own.partition("#")
        path = f"projects/{quote(project or self._names.project)}/wiki"
        title = title.strip().replace(" ", "_")
        if title:
            path += f"/{quote(title[0].upper() + title[1:])}"
        return self._old(f"{path}{f'#{quote(place)}' if place else ''}", match["words"] or page, whole)

    def _home(self, match: re.Match[str]) -> str:
        return f"projects/{quote((match['project'] or self._names.project).rstrip(':'))}"

    def _old(self, path: str, words: str, whole: str = "") -> str:
        """Return a link to Redmine, or what is written if its address or the path is not known."""
        if not self._names.address or not path:
            self._names.told["words"] += 1
            return label(escaped(whole or words))
        self._names.told["old"] += 1
        return link(label(escaped(words)), f"{self._names.address}/{path}")
