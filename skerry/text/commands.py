"""The command language of bulk edits, comments and commit messages.

Only the syntax is parsed here; whether a state or person exists depends on the project.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from skerry.text.queries.dates import read_day
from skerry.text.queries.query_keys import PRIVATE, as_number, as_written, is_none, unknown
from skerry.text.queries.query_tokens import NEGATING, QueryToken, Raw, tokenize
from skerry.text.queries.query_tree import QueryError
from skerry.text.references import WORD

Name = tuple[str, int]
"""The word of another project in lower case, or an empty text, and the number of a ticket."""

MAX_MESSAGE_LENGTH = 1 << 20
"""How many characters of a message are parsed."""

MAX_CHANGES = 1000
"""How many changes one message may make to tickets; further actions are ignored."""

MAX_WRITTEN = 10_000_000
"""How many characters one message may cause to be written, as each ticket gets the whole message."""

MAX_BRACKET_LENGTH = 1000
"""The maximum length of commands between brackets."""

MAX_IN_BRACKETS = 65_536
"""The maximum length of all brackets with numbers in a message; further brackets are ignored."""

TRUE = "true"
"""The value of the command that makes tickets private."""

_NOTE = "(skipped: "


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


@dataclass(frozen=True)
class Action:
    """The action of a commit message on each of the numbers: a comment, and commands.

    ``closes`` sets the project's first closed state; there are no commands then. ``project`` is the word of
    another project whose numbers they are, in lower case.
    """

    numbers: tuple[int, ...]
    commands: tuple[Command, ...] = ()
    closes: bool = False
    project: str = ""


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

FLAGS = (TRUE, "false")
"""The values of the command ``private``."""
_MAY_BE_NONE = ("responsible", "milestone", "due", "parent")
_NEGATED = LINKING | {"tagged"}
_REPEATED = _NEGATED - {"parent"}

_NAMES = {name: command.name for command in _DECLARED for name in (command.name, *command.aliases)}
_BRACKET = re.compile(rf"\[([^\[\]]{{0,{MAX_BRACKET_LENGTH}}})\]")
_PART = re.compile(r"""[^\s,:]+:(?:"[^"]*"|'[^']*'|\([^()]*\))|[^\s,]+""")
_MARK = rf"({WORD}?+)#0*([1-9][0-9]{{0,17}})(?!\w)"
_MARKED = re.compile(f"{_MARK}.*", re.DOTALL)
_OWN_MARKED = re.compile(r"#0*[1-9][0-9]{0,17}(?!\w).*", re.DOTALL)
_UNMARKED = re.compile(r"0*([1-9][0-9]{0,17}):?")
_MARKS = re.compile(_MARK)
_NUMBER = rf"{WORD}?+#0*[1-9][0-9]{{0,17}}(?!\w)"
# A verb with a list of numbers: "fixes #1, #2 and roof#3", "Closes: #4 & #5".
_VERB = re.compile(
    rf"\b(?:fixes|closes|resolves)(?=[\s:])\s*+:?+\s*+"
    rf"({_NUMBER}(?:\s*+(?:,\s*+(?:and\s++)?|&\s*+|\band\s++){_NUMBER})*)",
    re.IGNORECASE,
)
# Messages as Git writes them. A revert that is reverted is said to be applied again.
_REVERT = re.compile(
    r'\s*Revert "|(?!\s*Reapply ").*\bThis\s++reverts\s++commit\b', re.IGNORECASE | re.DOTALL
)
_ONE_TICKET = re.compile(rf"(?:({WORD})?#)?0*([1-9][0-9]{{0,17}})")
_IMPORTANCE = re.compile(r"[0-9]{1,10}")
_DIGIT = re.compile(r"[0-9]")


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
    if name not in _NAMES:
        raise unknown(name, position, _NAMES, f"commands are {', '.join(COMMANDS)}")
    return _NAMES[name]


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
        sentence = f"Cannot read {as_written(raw.text)} at {raw.position} as a ticket; write #12 or roof#12"
        raise QueryError(raw.position, sentence)
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
        sentence = f"Cannot read {as_written(raw.text)} at {raw.position} as a day: {reason}"
        raise QueryError(raw.position, sentence) from None
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
    if raw.text.lower() not in FLAGS:
        options = ", ".join(FLAGS)
        sentence = f"Cannot read {as_written(raw.text)} at {raw.position}; {PRIVATE}: takes one of {options}"
        raise QueryError(raw.position, sentence)
    return raw.text.lower()


_READ: dict[str, Callable[[Raw], str | int]] = {"importance": _importance, "due": _day, PRIVATE: _flag}


def _refuse_repeats(commands: tuple[Command, ...]) -> None:
    seen: set[tuple[str, bool]] = set()
    for command in commands:
        if (command.key, command.negated) in seen:
            sentence = f"The command '{command.key}' at {command.position} is given twice"
            raise QueryError(command.position, sentence)
        if command.key not in _REPEATED:
            seen.add((command.key, command.negated))


def commands_in_comment(body: str) -> tuple[Command, ...]:
    """Return the commands of the one bracket with a colon in a ticket's text, in order; never raises.

    With several such brackets, or one that contains anything but commands and ticket numbers, there are none.
    Numbers are ignored: the commands act on the ticket of the text.
    """
    last: str | None = None
    for bracket in _BRACKET.finditer(body[:MAX_MESSAGE_LENGTH]):
        if ":" in bracket[1]:
            if last is not None:
                return ()
            last = bracket[1]
    return _only_commands(last or "")


def is_bare_command(body: str) -> bool:
    """Return whether a text has commands in brackets and says nothing besides."""
    return bool(_BRACKET.fullmatch(body.strip()) and commands_in_comment(body))


def _only_commands(inside: str) -> tuple[Command, ...]:
    commands: list[Command] = []
    for part in _parts(inside):
        if _OWN_MARKED.fullmatch(part) or _UNMARKED.fullmatch(part):
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
        commands = parse_commands(part, strict=False)
    except QueryError:
        return ()
    allowed = (command for command in commands if not COMMANDS[command.key].only_in_bulk)
    return tuple(replace(command, position=0) for command in allowed)


def actions_in_message(message: str) -> tuple[Action, ...]:
    """Return the actions of a commit message, brackets first, then the closing verbs; never raises.

    A commit that reverts another one only comments: what was fixed is not fixed any more.

    A bracket acts on the numbers marked ``#`` in it, or on unmarked ones if it contains a command and no
    ``#``. ``roof#12`` is a number of another project.

    A message changes tickets at most 1,000 times in all, and writes at most 10 million characters. Brackets
    beyond MAX_IN_BRACKETS are ignored, which limits the time.
    """
    room = min(MAX_CHANGES, MAX_WRITTEN // max(1, len(message)))
    message = message[:MAX_MESSAGE_LENGTH]
    actions: list[Action] = []
    for action in _without_effects(message) if _REVERT.match(message) else _actions(message):
        if not room:
            break
        actions.append(replace(action, numbers=action.numbers[:room]))
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
        yield from _bracket_actions(bracket[1])
    for project, number in _closed(message):
        yield Action((number,), closes=True, project=project)


def _without_effects(message: str) -> Iterator[Action]:
    return _by_project(
        dict.fromkeys((action.project, number) for action in _actions(message) for number in action.numbers)
    )


def _by_project(names: Iterable[Name], commands: tuple[Command, ...] = ()) -> Iterator[Action]:
    """Yield an action for the numbers of each project."""
    by_project: dict[str, list[int]] = {}
    for project, number in names:
        by_project.setdefault(project, []).append(number)
    for project, numbers in by_project.items():
        yield Action(tuple(numbers), commands, project=project)


def _commanded(names: list[Name], commands: tuple[Command, ...]) -> Iterator[Action]:
    """Yield the actions of a bracket; the commands of links serve its first ticket."""
    others = tuple(command for command in commands if command.key not in LINKING)
    if commands != others and names:
        yield from _by_project(names[:1], commands)
        names = names[1:]
    yield from _by_project(names, others)


def _closed(text: str) -> dict[Name, None]:
    """Return the tickets that follow closing verbs, each once and in order."""
    return dict.fromkeys(_name(mark) for verb in _VERB.finditer(text) for mark in _MARKS.finditer(verb[1]))


def _name(mark: re.Match[str]) -> Name:
    return mark[1].lower(), int(mark[2])


def _bracket_actions(inside: str) -> Iterator[Action]:
    parts = _parts(inside)
    commands = tuple(command for part in parts for command in _lenient(part))
    names = dict.fromkeys(_name(mark) for mark in map(_MARKED.fullmatch, parts) if mark)
    if commands:
        unmarked = (("", int(mark[1])) for mark in map(_UNMARKED.fullmatch, parts) if mark)
        return _commanded(list(names or dict.fromkeys(unmarked)), commands)
    # The bracket comments on the ticket already.
    closed = _closed(inside)
    return _by_project(name for name in names if name not in closed)


def note_of(skipped: Iterable[str]) -> str:
    """Return a note about the skipped commands of a text; empty if none was skipped."""
    reasons = "; ".join(dict.fromkeys(skipped))
    return f"{_NOTE}{reasons})" if reasons else ""


def without_note(text: str) -> tuple[str, str]:
    """Split a stored text into the original text and the note below it, which may be empty."""
    own, mark, rest = text.rpartition(f"\n\n{_NOTE}")
    return (own, f"{_NOTE}{rest}") if mark and "\n\n" not in rest else (text, "")
