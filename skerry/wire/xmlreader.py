"""Parsing of XML into a tree, with expat; document types and entities are refused."""

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from skerry.errors import BadRequest
from skerry.wire.tree import MAX_DEPTH, MAX_VALUES, TOO_DEEP, TOO_MANY, Tree, codec, underscored

PIECE = 64 * 1024
MAX_MARKUP = 256 * 1024
"""The maximum length of a tag, comment or instruction: expat reports a tag once it is complete."""

# A declaration must come first, but templates in scripts often begin with a newline.
_BLANKS = re.compile(rb"[ \t\r\n]+(?=<\?xml)")


def read(body: bytes, charset: str | None = None) -> Tree:
    """Return the tree of an XML document; ``charset`` overrides the declared one.

    An element with children is a tree, or a list if it has ``type="array"``; children with the same name
    become a list; ``nil="true"`` is None; everything else is text. Raises BadRequest for anything but
    well-formed XML at most 64 levels deep without a document type, for more than 100,000 elements and
    attributes, and for markup of more than some 256 KiB in one piece.
    """
    reader = _Reader(body, charset)
    return reader.tree()


@dataclass
class _Element:
    """An element whose end has not been reached yet."""

    name: str
    is_array: bool = False
    is_null: bool = False
    texts: list[str] = field(default_factory=list)
    children: list[tuple[str, Any]] = field(default_factory=list)

    def value(self) -> Any:
        if self.is_array:
            return self._list()
        if self.children:
            return _mapping(self.children)
        return None if self.is_null else "".join(self.texts)

    def _list(self) -> Any:
        """Return a list, or the text of an array that is written as text such as ``[1, 2]``."""
        text = "".join(self.texts)
        if self.children or not text.strip():
            return None if self.is_null else [value for _, value in self.children]
        return text


def _mapping(children: list[tuple[str, Any]]) -> Tree:
    grouped: dict[str, list[Any]] = {}
    for name, value in children:
        grouped.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in grouped.items()}


class _Reader:
    """One reading of one document."""

    def __init__(self, body: bytes, charset: str | None) -> None:
        self.body = body
        self.parser = expat.ParserCreate(codec(charset) if charset else None)
        self.parser.buffer_text = True
        if hasattr(self.parser, "SetReparseDeferralEnabled"):
            # Newer versions of expat defer long markup, as they parse it again with each piece; here there
            # are few pieces.
            self.parser.SetReparseDeferralEnabled(False)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.document = _Element("")
        self.open = [self.document]
        self.values_left = MAX_VALUES

    def tree(self) -> Tree:
        try:
            self.feed()
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
            raise BadRequest(f"The XML cannot be read: {problem}, line {error.lineno}") from error
        except (LookupError, ValueError) as error:
            raise BadRequest("The XML declares an unknown encoding; use UTF-8, line 1") from error
        # A document has one root.
        ((name, value),) = self.document.children
        is_empty = value is None or (isinstance(value, str) and not value.strip())
        return {name: {} if is_empty else value}

    def feed(self) -> None:
        blanks = _BLANKS.match(self.body)
        body = memoryview(self.body)[blanks.end() if blanks else 0 :]
        for begin in range(0, len(body), PIECE):
            self.parser.Parse(body[begin : begin + PIECE], False)
            if begin + PIECE - self.parser.CurrentByteIndex > MAX_MARKUP:
                raise BadRequest(f"A tag or a comment is too long, line {self.parser.CurrentLineNumber}")
        self.parser.Parse(b"", True)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.values_left -= 1 + len(attributes)
        if self.values_left < 0:
            raise BadRequest(f"{TOO_MANY}, line {self.parser.CurrentLineNumber}")
        if len(self.open) > MAX_DEPTH:
            raise BadRequest(f"{TOO_DEEP}, line {self.parser.CurrentLineNumber}")
        is_array = attributes.get("type", "").lower() == "array"
        is_null = attributes.get("nil", "").lower() in {"true", "1"}
        self.open.append(_Element(underscored(name), is_array, is_null))

    def end(self, _name: str) -> None:
        element = self.open.pop()
        self.open[-1].children.append((element.name, element.value()))

    def text(self, text: str) -> None:
        self.open[-1].texts.append(text)

    def refuse(self, *_declaration: object) -> None:
        line = self.parser.CurrentLineNumber
        raise BadRequest(f"The XML must not declare a document type or entities, line {line}")
