"""Commands in texts: in brackets of comments and mails, and in commit messages, whose verbs close tickets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from skerry.text.commands import COMMANDS, LINKING, NAMES, Command, Name, parse_commands
from skerry.text.queries.query_tokens import NEGATING
from skerry.text.queries.query_tree import QueryError
from skerry.text.references import WORD

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

_NOTE = "(skipped: "


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
_DIGIT = re.compile(r"[0-9]")


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
    if part.partition(":")[0].lower().removeprefix("-").removeprefix(NEGATING) not in NAMES:
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
