"""Task lists: items that begin with ``[ ]`` or ``[x]`` are shown with boxes, which can be ticked."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_MAX_NAME_LENGTH = 200
_WITH_WORDS = frozenset({"text", "code_inline", "softbreak", "hardbreak", "image"})
_LINE_ENDS = re.compile(r"(\r\n|\n|\r)")
_BOX = r"\[[ xX]\](?=[ \t])"
_BOXES = re.compile(_BOX)
# Everything that may precede the text of an item, in quotations and other items.
_BEGINNING = re.compile(rf"(?:[ \t>]|[-+*](?=[ \t])|[0-9]{{1,9}}[.)](?=[ \t])|{_BOX})*")


def number(state: StateCore) -> None:
    """Number the tasks from 1, and set the name of each to its text."""
    for place, (index, token) in enumerate(_tasks(state.tokens), 1):
        token.meta["number"] = place
        token.meta["name"] = _name(state.tokens[index + 1 : index + 3])


def _tasks(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    return (
        (index, token)
        for index, token in enumerate(tokens)
        if token.type == "list_item_open" and "checked" in token.meta
    )


def _name(tokens: Sequence[Token]) -> str:
    children = next((token.children for token in tokens if token.type == "inline"), None) or []
    words = "".join(child.content or " " for child in children if child.type in _WITH_WORDS)
    return " ".join(words.split())[:_MAX_NAME_LENGTH] or "–"


def list_item_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Return the HTML of the start of an item, with a box if it is a task."""
    html, task = renderer.renderToken(tokens, index, options, env), tokens[index].meta
    if "checked" not in task:
        return html
    checked = " checked" if task["checked"] else ""
    name = escape(task["name"])
    return f'{html}<input type="checkbox" value="{task["number"]}" aria-label="{name}"{checked}> '


def ticked(text: str, tokens: Sequence[Token], number: int, *, done: bool) -> str | None:
    """Return a text, given with its tokens, with a task marked as done or not; None without such a task."""
    lines = [token.map[0] for _, token in _tasks(tokens) if token.map]
    if not 0 < number <= len(lines):
        return None
    line = lines[number - 1]
    # Nested items may begin on the same line.
    earlier = lines[: number - 1].count(line)
    pieces = _LINE_ENDS.split(text)
    beginning = _BEGINNING.match(pieces[2 * line])
    boxes = list(_BOXES.finditer(pieces[2 * line], 0, beginning.end() + 1)) if beginning else []
    if earlier >= len(boxes):
        return None
    place = boxes[earlier].start() + 1
    pieces[2 * line] = f"{pieces[2 * line][:place]}{'x' if done else ' '}{pieces[2 * line][place + 1 :]}"
    return "".join(pieces)
