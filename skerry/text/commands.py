"""The command language of bulk edits; ``actions`` finds its commands in comments and commit messages.

Only the syntax is parsed here; whether a state or person exists depends on the project.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from skerry.text.queries.dates import read_day
from skerry.text.queries.query_tokens import QueryToken, Raw, tokenize
from skerry.text.queries.query_tree import QueryError
from skerry.text.queries.query_values import (
    PRIVATE,
    as_number,
    as_written,
    is_none,
    not_a_ticket,
    one_of,
    unknown,
)
from skerry.text.references import WORD

Name = tuple[str, int]
"""The word of another project in lower case, or an empty text, and the number of a ticket."""


TRUE = "true"
"""The value of the command that makes tickets private."""


@dataclass(frozen=True)
class CommandKey:
    """A command: its names, the values that it accepts, and its effect."""

    name: str
    values: str
    does: str
    examples: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    only_in_bulk: bool = False


@dataclass(frozen=True)
class Command:
    """One change: ``value`` as text, an importance also as a number, None for nothing, such as no milestone.

    If it is ``negated``, it removes a tag or a link. ``position`` is that of the value in the text of a bulk
    edit, and 0 elsewhere.
    """

    key: str
    value: str | int | None
    negated: bool = False
    position: int = field(default=0, compare=False)


_TICKET = "the number of a ticket"

_DECLARED = (
    CommandKey("state", "a state's name", "sets the state", ("state:resolved",)),
    CommandKey(
        "responsible",
        "a name, login or id, or `none`",
        "assigns the ticket, or unassigns it",
        ("responsible:ada", "assigned:none"),
        aliases=("assigned",),
    ),
    CommandKey(
        "milestone",
        "a title, `id#7`, `next` or `none`",
        "moves it to that milestone, to the open one that is due next, or to none",
        ("milestone:next", "milestone:'Next release'"),
    ),
    CommandKey("tagged", "a tag", "adds a tag; `not-tagged` removes it", ("tagged:done", "not-tagged:patch")),
    CommandKey(
        "due",
        "a day, `today`, `tomorrow` or `none`",
        "sets the due date, or clears it",
        ("due:2027-01-31", "due:none"),
    ),
    CommandKey(
        "importance",
        "a level's name, a whole number or `none`",
        "sets the priority",
        ("importance:high", "importance:3"),
        aliases=("priority",),
    ),
    CommandKey(
        PRIVATE,
        "`true` or `false`",
        "shows it only to members, its author and its assignee, or to everybody",
        ("private:true", "private:false"),
    ),
    CommandKey(
        "blocks",
        _TICKET,
        "links the ticket as one that blocks the other; `not-blocks` removes the link",
        ("blocks:#12", "not-blocks:roof#12"),
    ),
    CommandKey("blocked-by", _TICKET, "links it as one that the other blocks", ("blocked-by:#12",)),
    CommandKey(
        "duplicates",
        _TICKET,
        "links it as a duplicate of the other, and closes it with the first closed state",
        ("duplicates:#12",),
    ),
    CommandKey("relates-to", _TICKET, "links the tickets", ("relates-to:#12",), aliases=("relates",)),
    CommandKey("parent", f"{_TICKET}, or `none`", "makes the other its parent", ("parent:#3", "parent:none")),
    CommandKey("child", _TICKET, "makes it the parent of the other", ("child:#4",)),
    CommandKey(
        "project",
        "a project's name or id",
        "moves it to another project, where it gets a new number",
        ("project:roof",),
        only_in_bulk=True,
    ),
)

COMMANDS: dict[str, CommandKey] = {command.name: command for command in _DECLARED}
"""All commands by their own names."""

LINKING = frozenset({"blocks", "blocked-by", "duplicates", "relates-to", "parent", "child"})
"""The commands that change links of tickets."""

FLAGS = {TRUE: TRUE, "false": "false"}
"""The values of the command ``private``."""
_MAY_BE_NONE = ("responsible", "milestone", "due", "parent")
_NEGATED = LINKING | {"tagged"}
_REPEATED = _NEGATED - {"parent"}

NAMES = {name: command.name for command in _DECLARED for name in (command.name, *command.aliases)}
_ONE_TICKET = re.compile(rf"(?:({WORD})?#)?0*([1-9][0-9]{{0,17}})")
_IMPORTANCE = re.compile(r"[0-9]{1,10}")


def parse_commands(text: str, *, strict: bool = True) -> tuple[Command, ...]:
    """Parse the commands of a bulk edit; raises QueryError unless the whole text consists of commands.

    The commands of tags and links may occur several times, every other one once. Unless ``strict``, a value
    that cannot be read is kept as text, so that the person who applies the command can be told.
    """
    pieces = tokenize(text, _own_name)
    if not pieces:
        raise QueryError(1, "There is no command")
    commands = tuple(command for piece in pieces for command in _commands(piece, strict=strict))
    _refuse_repeats(commands)
    return commands


def _own_name(name: str, position: int) -> str:
    if name not in NAMES:
        raise unknown(name, position, NAMES, f"commands are {', '.join(COMMANDS)}")
    return NAMES[name]


def _commands(piece: QueryToken, *, strict: bool) -> Iterator[Command]:
    where = piece.position
    if piece.kind != "term":
        raise QueryError(where, f"The text at {where} is not a command; commands look like state:resolved")
    if piece.negated and piece.key not in _NEGATED:
        raise QueryError(where, f"The command at {where} cannot be negated; only those of tags and links can")
    if len(piece.values) > 1 and piece.key not in _REPEATED:
        raise QueryError(where, f"The command '{piece.key}' at {where} takes one value")
    for raw in piece.values:
        yield Command(piece.key, _value(piece.key, raw, strict=strict), piece.negated, raw.position)


def _value(key: str, raw: Raw, *, strict: bool) -> str | int | None:
    if key in _MAY_BE_NONE and is_none(raw):
        return None
    if key in LINKING and ticket_named(raw.text) is None:
        raise not_a_ticket(raw)
    try:
        return _READ[key](raw) if key in _READ else raw.text
    except QueryError:
        if strict:
            raise
        return raw.text


def ticket_named(text: str) -> Name | None:
    """Return the ticket that a text such as ``12``, ``#12`` or ``roof#12`` names, or None."""
    match = _ONE_TICKET.fullmatch(text.strip())
    return ((match[1] or "").lower(), int(match[2])) if match else None


def tickets_linked(commands: Iterable[Command]) -> set[Name]:
    """Return the tickets that commands name as the other ends of links."""
    names = (ticket_named(str(each.value)) for each in commands if each.key in LINKING)
    return {name for name in names if name}


def _day(raw: Raw) -> str:
    try:
        read_day(raw.text)
    except ValueError as reason:
        raise QueryError(
            raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as a day: {reason}"
        ) from None
    return raw.text


def _importance(raw: Raw) -> int | str:
    if raw.text.lower() == "none":
        return 0
    # Names of levels begin with a letter.
    if raw.text[:1].isalpha():
        return raw.text
    if not _IMPORTANCE.fullmatch(raw.text):
        raise QueryError(
            raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as an importance"
        )
    return as_number(raw.text, raw.position)


def _flag(raw: Raw) -> str:
    return one_of(raw, FLAGS, PRIVATE)


_READ: dict[str, Callable[[Raw], str | int]] = {"importance": _importance, "due": _day, PRIVATE: _flag}


def _refuse_repeats(commands: tuple[Command, ...]) -> None:
    seen: set[tuple[str, bool]] = set()
    for command in commands:
        if (command.key, command.negated) in seen:
            sentence = f"The command '{command.key}' at {command.position} is given twice"
            raise QueryError(command.position, sentence)
        if command.key not in _REPEATED:
            seen.add((command.key, command.negated))
