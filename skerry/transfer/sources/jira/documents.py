"""Documents of Jira's newer interface, which sends texts as trees, as Markdown."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from skerry.text.markup.writing import (
    Items,
    at_line_start,
    cell,
    code_block,
    code_in_line,
    heading,
    label,
    link,
    plain,
    quoted,
    table,
)

MARK = "\0"
"""The beginning of a text that is Markdown already."""

_MAX_DEPTH = 20
_PAIRS = {"strong": ("**", "**"), "em": ("*", "*"), "strike": ("~~", "~~"), "underline": ("<u>", "</u>")}

Node = Mapping[str, Any]


def marked(document: Node) -> str:
    """Return a document as Markdown after MARK."""
    return MARK + "\n\n".join(_blocks(document, 0))


def _content(node: Node) -> list[Node]:
    content = node.get("content")
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _attribute(node: Node, name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, dict) else None
    return str(value) if isinstance(value, str | int) else ""


def _blocks(node: Node, depth: int) -> list[str]:
    """Return the blocks inside of a node; what is nested too deeply becomes one paragraph of its words."""
    if depth > _MAX_DEPTH:
        return [text] if (text := plain(_words(node))) else []
    return [block for each in _content(node) if (block := _block(each, depth + 1))]


def _block(node: Node, depth: int) -> str:
    write = _WRITERS.get(str(node.get("type")))
    return write(node, depth) if write else "\n\n".join(_blocks(node, depth))


def _paragraph(node: Node, _depth: int) -> str:
    return "\n".join(at_line_start(line.strip()) for line in _line(node).split("\n")).strip()


def _heading(node: Node, _depth: int) -> str:
    level = _attribute(node, "level")
    return heading(min(max(int(level), 1), 6) if level.isdecimal() else 1, _line(node).replace("\n", " "))


def _quotation(node: Node, depth: int) -> str:
    inner, title = "\n\n".join(_blocks(node, depth)), plain(_attribute(node, "title"))
    whole = "\n\n".join(part for part in (f"**{title}**" if title else "", inner) if part)
    return quoted(whole) if whole else ""


def _list(node: Node, depth: int) -> str:
    items, numbered = Items(), node.get("type") == "orderedList"
    for item in _content(node):
        if item.get("type") in ("taskItem", "decisionItem"):
            done = "x" if _attribute(item, "state") == "DONE" else " "
            items.lines.append(f"- [{done}] {_line(item)}")
        else:
            items.add(1, "\n".join(_blocks(item, depth + 1)), numbered=numbered)
    return "\n".join(items.lines)


def _table(node: Node, depth: int) -> str:
    rows = [cells for row in _content(node) if (cells := _content(row))]
    if not rows:
        return ""
    head = all(each.get("type") == "tableHeader" for each in rows[0])
    return table(([cell("\n".join(_blocks(each, depth + 2))) for each in row] for row in rows), head=head)


def _line(node: Node) -> str:
    return "".join(_inside(each) for each in _content(node))


def _inside(node: Node) -> str:
    """Return what is inside of a line."""
    kind = node.get("type")
    if kind == "hardBreak":
        return "\n"
    if kind == "mention":
        name = _attribute(node, "text").removeprefix("@").replace('"', "")
        return f'@"{name}"' if name else ""
    if kind in ("inlineCard", "blockCard"):
        return _attribute(node, "url")
    if kind == "text":
        return _text(node)
    if kind == "date":
        return _day(_attribute(node, "timestamp"))
    said = _attribute(node, "text") or _attribute(node, "shortName") or _attribute(node, "alt")
    return plain(said or _words(node))


def _day(milliseconds: str) -> str:
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _text(node: Node) -> str:
    text = str(node.get("text") or "")
    marks = {mark.get("type"): mark for mark in node.get("marks") or () if isinstance(mark, dict)}
    inner = text.strip()
    if not inner:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    written = code_in_line(inner) if "code" in marks else plain(inner, numbers=True)
    for name, (opening, closing) in _PAIRS.items():
        if name in marks and "code" not in marks:
            written = f"{opening}{written}{closing}"
    url = _attribute(marks["link"], "href") if "link" in marks else ""
    if url and url != inner:
        written = link(label(written), url)
    elif url:
        written = url
    return f"{before}{written}{after}"


def _words(node: Node) -> str:
    """Return all text inside of a node, however deep it is."""
    found, waiting = list[str](), [node]
    while waiting:
        each = waiting.pop()
        if isinstance(text := each.get("text"), str):
            found.append(text)
        elif each.get("type") == "hardBreak":
            found.append("\n")
        waiting += reversed(_content(each))
    return "".join(found)


_WRITERS: Mapping[str, Callable[[Node, int], str]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "codeBlock": lambda node, _: code_block(_words(node), _attribute(node, "language")),
    "rule": lambda _, __: "---",
    **dict.fromkeys(("bulletList", "orderedList", "taskList", "decisionList"), _list),
    "table": _table,
    **dict.fromkeys(("blockquote", "panel", "expand", "nestedExpand"), _quotation),
    **dict.fromkeys(
        ("text", "mention", "emoji", "inlineCard", "blockCard", "media", "status", "date"),
        lambda node, _: _inside(node).strip(),
    ),
}
