"""Mentions: resolution of ``@name`` in texts to people.

Ada Lovelace can be mentioned as ``@ada`` while there is no other Ada, as ``@Ada_Lovelace`` and as ``@"Ada
Lovelace"``, in any case. People with the same name are distinguished by their ids: ``@Ada_Lovelace-7``.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from skerry.text.words import folded, small

MAX = 100
"""The maximum number of people that one text can mention."""

MAX_LENGTH = 255

_MAX_READINGS = 4

_BEFORE = r"(?<![\w./@+-])"
PATTERN = rf"""
    {_BEFORE}@(?:"(?P<quoted>[^"\n]{{1,{MAX_LENGTH}}}+)" | (?P<person>\w++(?:[.'’-]\w++)*+)(?!@))
"""
"""Matches a possible mention, never inside a word such as an e-mail address."""

_MENTION = re.compile(PATTERN, re.VERBOSE)
_SEPARATOR = re.compile(r"[.'’-]")
_LINK = re.compile(r'<a href="/users/([1-9][0-9]{0,17})"[^>]*>@')
_LINK_OR_QUOTE = re.compile(r'<a href="/users/([1-9][0-9]{0,17})"[^>]*>@|<(/?)blockquote\b')
_LINKED = re.compile(r'<a href="/users/[0-9]+"[^>]*>(@[^<]*)</a>')
_PLAIN = re.compile(r"\w+(?:[.'’-]\w+)*")


class PossibleName(NamedTuple):
    """A possible name, as a key, and its length including the ``@``."""

    key: str
    length: int


def readings(match: re.Match[str]) -> Iterator[PossibleName]:
    """Return the possible names in a match of PATTERN, the longest first: ``@ada's`` may mean Ada."""
    if match["quoted"]:
        yield PossibleName(_key(match["quoted"]), len(match[0]))
        return
    word = match["person"]
    if len(word) > MAX_LENGTH:
        return
    ends = [len(word), *(separator.start() for separator in reversed(list(_SEPARATOR.finditer(word))))]
    yield from (PossibleName(small(word[:end]), end + 1) for end in ends[:_MAX_READINGS])


def candidates(text: str) -> frozenset[str]:
    """Return the keys of all possible names in a text, from its first MAX matches."""
    if "@" not in text:
        return frozenset()
    distinct = {match[0]: match for match in _MENTION.finditer(text)}
    return frozenset(name.key for match in islice(distinct.values(), MAX) for name in readings(match))


def keys(people: Mapping[int, str]) -> dict[str, int]:
    """Return the ids of people by the keys that identify exactly one of them."""
    whole = {user_id: _key(name) for user_id, name in people.items()}
    short = {user_id: key.partition("_")[0] for user_id, key in whole.items()}
    namesakes, shared = Counter(whole.values()), Counter(short.values())
    ids = {key: user_id for user_id, key in short.items() if shared[key] == 1}
    ids |= {f"{key}-{user_id}": user_id for user_id, key in whole.items() if namesakes[key] > 1}
    # A full name takes precedence over an equal first name.
    for user_id, key in whole.items():
        if namesakes[key] == 1:
            ids[key] = user_id
        else:
            ids.pop(key, None)
    return ids


def written(people: Mapping[int, str]) -> dict[int, str]:
    """Return an unambiguous mention for each person, by id."""
    namesakes = Counter(map(_key, people.values()))
    # A name with a quotation mark cannot be written in quotes.
    return {
        user_id: _written(user_id, name, namesakes[_key(name)])
        for user_id, name in people.items()
        if '"' not in name
    }


def _written(user_id: int, name: str, namesakes: int) -> str:
    joined = "_".join(name.split()) + (f"-{user_id}" if namesakes > 1 else "")
    return f"@{joined}" if _PLAIN.fullmatch(joined) else f'@"{joined.replace("_", " ")}"'


def linked(html: str) -> frozenset[int]:
    """Return the ids of the people to whom names in rendered text link."""
    return frozenset(int(user_id) for user_id in _LINK.findall(html)) if "/users/" in html else frozenset()


def mentioned(html: str) -> frozenset[int]:
    """Return the ids of the people whom rendered text mentions: those linked outside quotations."""
    return frozenset(_mentioned(html)) if "/users/" in html else frozenset()


def _mentioned(html: str) -> Iterator[int]:
    quotations = 0
    for user_id, end in _LINK_OR_QUOTE.findall(html):
        if not user_id:
            quotations += -1 if end else 1
        elif not quotations:
            yield int(user_id)


def unlinked(html: str) -> str:
    """Return rendered text without the links of mentions, for readers who cannot see other people."""
    return _LINKED.sub(r"\1", html) if "/users/" in html else html


def _key(name: str) -> str:
    return folded(name).replace(" ", "_")
