"""The objects in JSON files of any size, one after the other.

A file may hold one list, several lists one after the other (as ``gh api --paginate`` writes pages), lists
in a list, an object for each line, or an object with a list, such as ``{"issues": […]}``. Only one object
is in memory at a time.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from skerry.errors import Invalid
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile, SourceFiles

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz")
"""How the names of JSON files end."""

MAX_LENGTH = 64 * 1024 * 1024
"""The maximum length of one object in characters."""

# Half of a character, without the other half beside it.
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
_BLANKS = re.compile(r"[ \t\r\n]*")


def is_json(file: SourceFile) -> bool:
    """Return whether a file has, or should have, JSON: by its name, or else by how it begins."""
    if file.name.lower().endswith(ENDINGS):
        return True
    head = next(file.pieces(), b"")[:64].lstrip(b"\xef\xbb\xbf\xfe\xff\0 \t\r\n")
    return head.startswith((b"{", b"["))


def items(
    files: SourceFiles, file: SourceFile, lists: Collection[str] = (), *, named: bool = False
) -> Iterator[Fields]:
    """Yield each object of a file; ``lists`` are the names of lists in an object whose items are meant.

    With ``named``, each such item is in an object with the name of its list, and what stands beside the
    list comes last, with an empty list of that name.

    Raises Invalid, naming the file, the line and the column, for damaged JSON.
    """
    text = _Text(file.name, files.pieces(file))
    found = (item for item in _values(text, lists, named=named) if item is not None)
    for number, item in enumerate(found, 1):
        if not isinstance(item, dict):
            raise Invalid(f"{file.name}: item {number} must be an object")
        yield Fields(f"{file.name}, item {number}", item)


def _values(text: "_Text", lists: Collection[str], *, named: bool) -> Iterator[Any]:
    """Yield the items of each value in a text."""
    while first := text.peek():
        if first == "[":
            yield from _in_list(text)
        elif first == "{" and lists:
            yield from _in_object(text, lists, named=named)
        else:
            yield text.value()


def _in_list(text: "_Text", *, inner: bool = False) -> Iterator[Any]:
    text.take("[")
    while text.peek() != "]":
        # Pages may be lists in a list.
        if text.peek() == "[" and not inner:
            yield from _in_list(text, inner=True)
        else:
            yield text.value()
        if text.peek() != "]":
            text.take(",")
            if text.peek() == "]":
                raise text.damaged("a value is missing")
    text.take("]")


def _in_object(text: "_Text", lists: Collection[str], *, named: bool) -> Iterator[Any]:
    """Yield the items of the lists in an object, or else the object itself."""
    text.take("{")
    alone, members = True, dict[str, Any]()
    while text.peek() != "}":
        name = text.value()
        if not isinstance(name, str):
            raise text.damaged("a name must be a string")
        text.take(":")
        if name in lists and text.peek() == "[":
            alone = False
            for item in _in_list(text):
                yield {name: item} if named else item
            members[name] = []
        else:
            members[name] = text.value()
        if text.peek() != "}":
            text.take(",")
    text.take("}")
    if alone or named:
        yield members


def _whole(value: Any) -> Any:
    """Return a value with U+FFFD for each half of a character, which no file can keep."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return json.loads(text.decode("utf-16-le", "replace"))


class _Text:
    """The text of a file, of which only the part that is being read is in memory."""

    def __init__(self, name: str, pieces: Iterator[bytes]) -> None:
        self._name, self._pieces = name, pieces
        self._charset = "utf-8"
        self._decoder = codecs.getincrementaldecoder(self._charset)()
        self._json = json.JSONDecoder(strict=False)
        self._buffer, self._at, self._whole, self._is_first = "", 0, False, True
        self._line, self._column, self._depth = 1, 1, 0

    def peek(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        while True:
            if found := _BLANKS.match(self._buffer, self._at):
                self._at = found.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, sign: str) -> None:
        """Read one sign."""
        if self.peek() != sign:
            raise self.damaged(f"{sign} is missing")
        self._at += 1

    def value(self) -> Any:
        """Read one value."""
        if not self.peek():
            raise self.damaged("it ends in the middle")
        while True:
            try:
                value, end = self._json.raw_decode(self._buffer, self._at)
                # Looking for any escape first is far faster.
                escape = self._buffer.find("\\u", self._at, end)
                value = _whole(value) if escape >= 0 and _HALF.search(self._buffer, escape, end) else value
            except json.JSONDecodeError as error:
                if self._more():
                    continue
                self._at = error.pos
                raise self.damaged(error.msg) from error
            except (RecursionError, ValueError) as error:
                raise self.damaged("it is nested too deeply, or a number is too long") from error
            # The next piece may go on with the number.
            if end == len(self._buffer) and not isinstance(value, dict | list | str) and self._more():
                continue
            self._at = end
            return value

    def damaged(self, reason: str) -> Invalid:
        """Return the error for what is damaged here."""
        before = self._buffer[: self._at]
        line, column = self._line + before.count("\n"), len(before) - before.rfind("\n")
        column += self._column - 1 if "\n" not in before else 0
        return Invalid(f"{self._name} is damaged: {reason}, line {line}, column {column}")

    def _more(self) -> bool:
        """Read on, at least as much as is there already; return whether there was anything."""
        if self._whole:
            return False
        before = self._buffer[: self._at]
        self._line += before.count("\n")
        newline = before.rfind("\n")
        self._column = len(before) - newline if newline >= 0 else self._column + len(before)
        rest = self._buffer[self._at :]
        if len(rest) > MAX_LENGTH:
            self._buffer, self._at = rest, 0
            raise self.damaged("one item is too long")
        read, wanted = [rest], max(len(rest), 1)
        while wanted > 0 and not self._whole:
            piece = next(self._pieces, None)
            self._whole = piece is None
            read.append(self._decoded(piece or b""))
            wanted -= len(read[-1])
        self._buffer, self._at = "".join(read), 0
        return len(self._buffer) > len(rest)

    def _decoded(self, piece: bytes) -> str:
        if self._is_first:
            # PowerShell saves what a program prints in UTF-16.
            self._charset = json.detect_encoding(piece[:4])
            self._decoder = codecs.getincrementaldecoder(self._charset)()
        self._is_first = False
        try:
            return self._decoder.decode(piece, final=self._whole)
        except UnicodeDecodeError as error:
            charset = self._charset.removesuffix("-sig").upper()
            place = f"after line {self._line}"
            raise Invalid(f"{self._name} is damaged: it is not in {charset} {place}") from error
