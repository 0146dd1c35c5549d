"""Writing the only YAML in responses: the changed files of a changeset, a list of short rows."""

import re
from collections.abc import Iterable, Sequence

import msgspec

# Anything but a plain word is quoted, as in JSON; a file may be called Y or N, which mean yes and no.
PLAIN = re.compile(r"[AMD]|[\w.-]*/[\w./-]*", re.ASCII)

# JSON does not escape these; YAML takes them for line ends or refuses them.
BEYOND_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def rows(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of texts as a YAML list of lists; without any rows, ``[]``."""
    lines = ["\n".join(_row(row)) for row in rows]
    return "---\n" + "\n".join(lines) + "\n" if lines else "[]"


def _row(row: Sequence[str]) -> Iterable[str]:
    for place, text in enumerate(row):
        yield ("  - " if place else "- - ") + _scalar(text)


def _scalar(text: str) -> str:
    if PLAIN.fullmatch(text) and text[0] != "-":
        return text
    return BEYOND_JSON.sub(_escape, msgspec.json.encode(text).decode())


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
