"""Commands: short instructions in bulk edits, comments and commit messages that change tickets."""

from collections.abc import Callable, Iterable

from skerry.resources.tickets import COMMANDED, MAX_IMPORTANCE
from skerry.text.commands import Command, commands_in_comment
from skerry.text.states import State
from skerry.text.tags import read_tags, write_tags
from skerry.tracker.changes.name_resolver import NameResolver, UnknownName
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context
from skerry.wire.record import changed

Change = Callable[[Values], Values]
"""The effect of a command on a ticket's values; raises UnknownName if it cannot be applied."""

# The commands that outsiders may use in a ticket that they open in a public project.
_FOR_ANYONE = ("tagged",)

_NOTE = "(skipped: "


def change_of(resolver: NameResolver, command: Command) -> Change:
    """Return the change that a command makes to tickets of the resolver's project; raises UnknownName."""
    return _MAKERS[command.key](resolver, command)


def into(state: State) -> Change:
    """Return the change that sets a state."""
    return lambda values: changed(values, state=state.name, closed=state.closed)


def _into_state(resolver: NameResolver, command: Command) -> Change:
    return into(resolver.state(str(command.value)))


def _assign(resolver: NameResolver, command: Command) -> Change:
    user_id = None if command.value is None else resolver.person(str(command.value))
    return lambda values: changed(values, assigned_user_id=user_id)


def _plan(resolver: NameResolver, command: Command) -> Change:
    milestone_id = None if command.value is None else resolver.milestone(str(command.value))
    return lambda values: changed(values, milestone_id=milestone_id)


def _weigh(_resolver: NameResolver, command: Command) -> Change:
    importance = int(command.value or 0)
    if importance > MAX_IMPORTANCE:
        raise UnknownName(f"the importance goes up to {MAX_IMPORTANCE}")
    return lambda values: changed(values, importance=importance)


def _tag(_resolver: NameResolver, command: Command) -> Change:
    # With a comma, spaces belong to the tag.
    named = _read(f"{command.value},")
    if not named:
        raise UnknownName(f"'{command.value}' is not a possible tag")

    def change(values: Values) -> Values:
        present = [tag for tag in _read(values.tag or "") if tag not in named]
        tags = present if command.negated else [*present, *named]
        # Parsed again to enforce the limit on the tags of a ticket.
        return changed(values, tag=write_tags(_read(",".join([*tags, ""]))))

    return change


def _read(text: str) -> tuple[str, ...]:
    try:
        return read_tags(text)
    except ValueError as error:
        sentence = str(error)
        raise UnknownName(sentence[:1].lower() + sentence[1:]) from error


_MAKERS: dict[str, Callable[[NameResolver, Command], Change]] = {
    "state": _into_state,
    "responsible": _assign,
    "milestone": _plan,
    "tagged": _tag,
    "importance": _weigh,
}


def apply(resolver: NameResolver, commands: Iterable[Command], values: Values) -> tuple[Values, list[str]]:
    """Return the values after the commands, and the reasons why commands were skipped."""
    skipped: list[str] = []
    for command in commands:
        try:
            values = change_of(resolver, command)(values)
        except UnknownName as reason:
            skipped.append(str(reason))
    return values, skipped


def note_of(skipped: Iterable[str]) -> str:
    """Return a note about the skipped commands of a text; empty if none was skipped."""
    reasons = "; ".join(dict.fromkeys(skipped))
    return f"{_NOTE}{reasons})" if reasons else ""


def without_note(text: str) -> tuple[str, str]:
    """Split a stored text into the original text and the note below it, which may be empty."""
    own, mark, rest = text.rpartition(f"\n\n{_NOTE}")
    return (own, f"{_NOTE}{rest}") if mark and "\n\n" not in rest else (text, "")


def in_text(
    context: Context, body: str, before: Values, after: Values, *, creating: bool
) -> tuple[Values, str]:
    """Return a ticket's values after the commands in a text about it, and the note to store with the text.

    Values that the same request changed, from ``before`` to ``after``, stay. Commands that cannot be applied,
    or not by the caller, are skipped, and the note says so.
    """
    wanted = [
        command
        for command in commands_in_comment(body)
        if getattr(before, COMMANDED[command.key][0]) == getattr(after, COMMANDED[command.key][0])
    ]
    if not wanted:
        return after, ""
    allowed = wanted if context.member else [each for each in wanted if creating and each.key in _FOR_ANYONE]
    refused = [
        f"only members of the project may set {COMMANDED[command.key][1]}"
        for command in wanted
        if command not in allowed
    ]
    after, skipped = apply(NameResolver(context), allowed, after)
    return after, note_of([*refused, *skipped])
