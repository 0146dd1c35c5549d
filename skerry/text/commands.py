"""The command language of bulk edits, comments and commit messages.

Only the syntax is parsed here; whether a state or person exists depends on the project.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from skerry.text.queries.query_keys import as_number, as_written, is_none, unknown
from skerry.text.queries.query_tokens import NEGATING, Raw, Token, tokenize
from skerry.text.queries.query_tree import QueryError

MAX_MESSAGE_LENGTH = 1 << 20
"""How many characters of a message are parsed."""

MAX_CHANGES = 1000
"""How many changes one message may make to tickets; further actions are ignored."""

MAX_WRITTEN = 10_000_000
"""How many characters one message may write, as each ticket gets the whole message."""

MAX_BRACKET_LENGTH = 1000
"""The maximum length of commands between brackets."""

MAX_IN_BRACKETS = 65_536
"""The maximum length of all brackets with numbers in a message; further brackets are ignored."""


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
    """One change: ``value`` as text, an importance as a number, None for nobody or no milestone.

    If it is ``negated``, it removes a tag. ``position`` is that of the value in the text of a bulk edit, and
    0 elsewhere.
    """

    key: str
    value: str | int | None
    negated: bool = False
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Action:
    """The action of a commit message on each of the numbers: a comment, and commands.

    ``closes`` sets the project's first closed state; there are no commands then.
    """

    numbers: tuple[int, ...]
    commands: tuple[Command, ...] = ()
    closes: bool = False


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
    CommandKey("importance", "a whole number or `none`", "sets the importance", ("importance:3",)),
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

_MAY_BE_NONE = ("responsible", "milestone")

_NAMES = {name: command.name for command in _DECLARED for name in (command.name, *command.aliases)}
_BRACKET = re.compile(rf"\[([^\[\]]{{0,{MAX_BRACKET_LENGTH}}})\]")
_PART = re.compile(r"""[^\s,:]+:(?:"[^"]*"|'[^']*'|\([^()]*\))|[^\s,]+""")
_MARKED = re.compile(r"#0*([1-9][0-9]{0,17})(?!\w).*", re.DOTALL)
_UNMARKED = re.compile(r"0*([1-9][0-9]{0,17}):?")
_VERB = re.compile(r"\b(?:fixes|closes|resolves)\s+#0*([1-9][0-9]{0,17})(?!\w)", re.IGNORECASE)
_IMPORTANCE = re.compile(r"[0-9]{1,9}")
_DIGIT = re.compile(r"[0-9]")


def parse_commands(text: str) -> tuple[Command, ...]:
    """Parse the commands of a bulk edit; raises QueryError unless the whole text consists of commands.

    Every command except ``tagged`` and ``not-tagged`` may occur once.
    """
    pieces = tokenize(text, _own_name)
    if not pieces:
        raise QueryError(1, "There is no command")
    commands = tuple(command for piece in pieces for command in _commands(piece))
    _refuse_repeats(commands)
    return commands


def _own_name(name: str, position: int) -> str:
    if name not in _NAMES:
        raise unknown(name, position, _NAMES, f"commands are {', '.join(COMMANDS)}")
    return _NAMES[name]


def _commands(piece: Token) -> Iterator[Command]:
    where = piece.position
    if piece.kind != "term":
        raise QueryError(where, f"The text at {where} is not a command; commands look like state:resolved")
    if piece.negated and piece.key != "tagged":
        raise QueryError(where, f"The command at {where} cannot be negated; only not-tagged can")
    if len(piece.values) > 1 and piece.key != "tagged":
        raise QueryError(where, f"The command '{piece.key}' at {where} takes one value")
    for raw in piece.values:
        yield Command(piece.key, _value(piece.key, raw), piece.negated, raw.position)


def _value(key: str, raw: Raw) -> str | int | None:
    if key == "importance":
        return _importance(raw)
    return None if key in _MAY_BE_NONE and is_none(raw) else raw.text


def _importance(raw: Raw) -> int:
    if raw.text.lower() == "none":
        return 0
    if not _IMPORTANCE.fullmatch(raw.text):
        raise QueryError(
            raw.position, f"Cannot read {as_written(raw.text)} at {raw.position} as an importance"
        )
    return as_number(raw.text, raw.position)


def _refuse_repeats(commands: tuple[Command, ...]) -> None:
    seen: set[str] = set()
    for command in commands:
        if command.key in seen:
            sentence = f"The command '{command.key}' at {command.position} is given twice"
            raise QueryError(command.position, sentence)
        if command.key != "tagged":
            seen.add(command.key)


def commands_in_comment(body: str) -> tuple[Command, ...]:
    """Return the commands of the one bracket with a colon in a ticket's text, in order; never raises.

    With several such brackets, or one that contains anything but commands and ticket numbers, there are none.
    Numbers are ignored: the commands act on the ticket of the text.
    """
    found: str | None = None
    for bracket in _BRACKET.finditer(body[:MAX_MESSAGE_LENGTH]):
        if ":" in bracket[1]:
            if found is not None:
                return ()
            found = bracket[1]
    return _only_commands(found or "")


def _only_commands(inside: str) -> tuple[Command, ...]:
    commands: list[Command] = []
    for part in _parts(inside):
        if _MARKED.fullmatch(part) or _UNMARKED.fullmatch(part):
            continue
        read = _lenient(part)
        if not read:
            return ()
        commands += read
    return tuple(commands)


def _parts(inside: str) -> list[str]:
    return [part[0] for part in _PART.finditer(inside)]


def _lenient(part: str) -> tuple[Command, ...]:
    """Parse the commands of a text, ignoring anything else."""
    # A text without such a keyword is skipped at once, because diagnosing it is slow.
    if part.partition(":")[0].lower().removeprefix("-").removeprefix(NEGATING) not in _NAMES:
        return ()
    try:
        commands = parse_commands(part)
    except QueryError:
        return ()
    allowed = (command for command in commands if not COMMANDS[command.key].only_in_bulk)
    return tuple(replace(command, position=0) for command in allowed)


def actions_in_message(message: str) -> tuple[Action, ...]:
    """Return the actions of a commit message, brackets first, then the closing verbs; never raises.

    A bracket acts on the numbers marked ``#`` in it, or on unmarked ones if it contains a command and no
    ``#``. A message changes tickets at most 1,000 times in all, and writes at most 10 million characters.
    Brackets beyond MAX_IN_BRACKETS are ignored, which limits the time.
    """
    room = min(MAX_CHANGES, MAX_WRITTEN // max(1, len(message)))
    message = message[:MAX_MESSAGE_LENGTH]
    actions: list[Action] = []
    for action in _actions(message):
        if not room:
            break
        actions.append(Action(action.numbers[:room], action.commands, action.closes))
        room -= len(actions[-1].numbers)
    return tuple(actions)


def _actions(message: str) -> Iterator[Action]:
    left = MAX_IN_BRACKETS
    for bracket in _BRACKET.finditer(message):
        if not _DIGIT.search(bracket[1]):
            continue
        left -= len(bracket[0])
        if left < 0:
            break
        action = _bracket_action(bracket[1])
        if action.numbers:
            yield action
    for number in dict.fromkeys(int(verb[1]) for verb in _VERB.finditer(message)):
        yield Action((number,), closes=True)


def _bracket_action(inside: str) -> Action:
    parts = _parts(inside)
    commands = tuple(command for part in parts for command in _lenient(part))
    numbers = _numbers(_MARKED, parts)
    if commands:
        return Action(numbers or _numbers(_UNMARKED, parts), commands)
    # The bracket comments on the ticket already.
    closed = {int(verb[1]) for verb in _VERB.finditer(inside)}
    return Action(tuple(number for number in numbers if number not in closed))


def _numbers(pattern: re.Pattern[str], parts: list[str]) -> tuple[int, ...]:
    found = (pattern.fullmatch(part) for part in parts)
    return tuple(dict.fromkeys(int(match[1]) for match in found if match))
