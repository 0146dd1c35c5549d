"""Parsing of the changed files of a changeset, in all forms that hooks and tools send."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import yaml

from skerry import sizes
from skerry.text.characters import replace_invalid

Change = tuple[str, str]
"""An operation code, A for added, M for modified or D for deleted, and the path of a file."""

MAX_BYTES = 1024 * 1024
"""The maximum size of the text, or of all paths together, in UTF-8."""

_NOTHING = {"", "nil", "null", "~"}
_START = re.compile(r"\A\s*---(?=\s|\Z)")
_LINES = re.compile(r"\s*(?:-[ \t]+)?\w")
_LINE = re.compile(r"(?:-[ \t]+)?(?P<code>\S+)(?:(?:[ \t]+|\s+)(?P<path>.*))?", re.DOTALL)
_WHOLE_LINE = re.compile(r"[A-Z_][A-Z0-9]{0,3}\s+\S.*", re.DOTALL)
_CODE = re.compile(r"\S+")
_RENAMED = re.compile(r"(?P<code>[RC])[0-9]+\t(?P<old>[^\t]+)\t(?P<new>.+)", re.DOTALL)
_LINE_END = re.compile(r"\r\n?|\n")
_TAG_DIRECTIVE = re.compile("(?:^|[\r\n\x85\u2028\u2029\ufeff])%TAG")
_BINARY = {"!binary", "tag:yaml.org,2002:binary"}
_MAX_QUOTED_LENGTH = 80

Placed = tuple[str, Any]
"""The position of a row, in words such as ``line 3``, and the row: a text or a list."""


def read_changes(sent: str | list[Any] | None, *, cut_short: bool = False) -> list[Change]:
    """Return the changes in a text or a list, in order.

    A text is YAML or JSON with a list of rows, or lines such as ``A /path`` and ``- A /path``; a list
    contains rows or such lines. Only the code and the path of a row are used. Codes that begin with R count
    as D, all others except A and D as M. With ``cut_short`` a row with only a code, as at the end of a
    truncated list, is ignored. Raises ValueError with the position for a code without a path, for anything
    else, and for more than MAX_BYTES.
    """
    if isinstance(sent, str):
        _check_size(sent)
    changes: list[Change] = []
    for place, row in _placed(sent):
        if cut_short and isinstance(row, list) and len(row) == 1 and _is_code(row[0]):
            continue
        changes += _changes(place, row)
    _check_size("".join(path for _, path in changes))
    return changes


def _is_code(text: Any) -> bool:
    return isinstance(text, str) and _CODE.fullmatch(text.strip()) is not None


def _check_size(text: str) -> None:
    if len(text) * 4 > MAX_BYTES and len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise ValueError(f"Changes are too long (at most {sizes.exact(MAX_BYTES)})")


def _placed(sent: str | list[Any] | None) -> Iterator[Placed]:
    if not isinstance(sent, str):
        return _in_list(sent or [])
    # Spaces in its place keep the positions of what follows.
    text = _START.sub(lambda start: start[0].replace("---", "   "), sent, count=1)
    if text.strip().lower() in _NOTHING:
        return iter(())
    return _in_lines(text) if _LINES.match(text) else _in_document(text)


def _in_list(rows: list[Any]) -> Iterator[Placed]:
    return ((f"item {number}", row) for number, row in enumerate(rows, 1))


def _in_lines(text: str) -> Iterator[Placed]:
    return ((f"line {number}", line) for number, line in enumerate(_LINE_END.split(text), 1))


def _in_document(text: str) -> Iterator[Placed]:
    """Parse JSON as JSON: YAML has no surrogate pairs, and requires spaces after colons."""
    if text.lstrip().startswith("["):
        try:
            return _in_list(json.loads(text))
        except (ValueError, RecursionError):
            pass
    return _in_yaml(text)


def _in_yaml(text: str) -> Iterator[Placed]:
    """Process the parser's events: no objects are built, and only texts in lists are allowed."""
    depth, place, row = 0, "", list[str]()
    for event in _events(text):
        here = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.SequenceEndEvent):
            depth -= 1
            if depth == 1:
                yield place, row
            continue
        _check_node(event, depth, here)
        if isinstance(event, yaml.SequenceStartEvent):
            depth, place, row = depth + 1, here, []
        elif depth == 1:
            yield here, _scalar(text, event, here)
        else:
            row.append(_scalar(text, event, here))


def _events(text: str) -> Iterator[Any]:
    # The parser's time is quadratic in the number of directives.
    if _TAG_DIRECTIVE.search(text):
        raise ValueError("Changes must not contain %TAG directives")
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.NodeEvent | yaml.SequenceEndEvent):
                yield event
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError(f"Changes must be a list in YAML, or lines: {_problem(error)}") from error


def _problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or "a character that YAML does not allow"
    return f"{what}, line {mark.line + 1}" if mark else str(what)


def _check_node(event: Any, depth: int, place: str) -> None:
    if event.anchor is not None:
        raise ValueError(f"Changes must not contain anchors or aliases; there is one in {place}")
    is_list = isinstance(event, yaml.SequenceStartEvent)
    if isinstance(event, yaml.MappingStartEvent) or (depth > 1 if is_list else depth == 0):
        raise ValueError(f"Changes must be a list of rows, each with a code and a path; {place} is not one")


def _scalar(text: str, event: Any, place: str) -> str:
    """Return a YAML scalar as text, never as a number or a date; old Ruby encodes some in base64."""
    value: str = event.value
    if event.tag not in _BINARY:
        return _joined(value, text[event.start_mark.index : event.end_mark.index])
    try:
        return b64decode(value).decode()
    except ValueError:
        raise ValueError(f"Changes must be UTF-8 where they are binary; {place} is not") from None


def _joined(value: str, written: str) -> str:
    """Return the intended text: old Ruby escapes each byte of a character."""
    if not (written.isascii() and "\\x" in written):
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _changes(place: str, row: Any) -> list[Change]:
    """Return the changes in a row: usually one, two for a file that Git reports as renamed."""
    if isinstance(row, list) and len(row) > 1:
        return [_checked(place, _text(place, row[0]).strip(), _text(place, row[1]))]
    if isinstance(row, list):
        line = _text(place, row[0]).strip() if row else ""
        # A remark such as "and 120 more files" names no change.
        row = line if _WHOLE_LINE.fullmatch(line) or _CODE.fullmatch(line) else ""
    line = _text(place, row).strip()
    if renamed := _RENAMED.fullmatch(line):
        if renamed["code"] == "C":
            return [_checked(place, "C", renamed["new"])]
        return [_checked(place, "R", renamed["old"]), _checked(place, "A", renamed["new"])]
    match = _LINE.fullmatch(line)
    return [_checked(place, match["code"], match["path"] or "")] if match else []


def _text(place: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"Changes must be a list of rows, each with a code and a path; {place} is not one")


def _checked(place: str, code: str, path: str) -> Change:
    if not code or not path.strip():
        said = replace_invalid(f"{code} {path}".strip())[:_MAX_QUOTED_LENGTH]
        raise ValueError(f"Changes must be codes, such as A, M or D, each with a path; {place} is {said!r}")
    if replace_invalid(path) != path:
        raise ValueError(f"Changes contain a character that cannot be stored, in {place}")
    return _letter(code), path


def _letter(code: str) -> str:
    # Old push hooks write R for removed files, Git R100 for the old name of a file. Other codes of Git and
    # Subversion, such as T and _U, mean that the file still exists.
    if code.startswith("R"):
        return "D"
    return code if code in ("A", "D") else "M"
