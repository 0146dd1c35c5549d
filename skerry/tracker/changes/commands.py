"""Commands: short instructions in bulk edits, comments and commit messages that change tickets."""

from collections.abc import Callable, Iterable

from skerry.errors import Forbidden, Invalid
from skerry.resources.tickets import COMMANDED, MAX_IMPORTANCE
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.actions import commands_in_comment, note_of
from skerry.text.commands import FLAGS, LINKING, TRUE, Command
from skerry.text.queries.dates import day_at, read_day
from skerry.text.states import StateDefinition
from skerry.text.tags import read_tags, write_tags
from skerry.tracker.changes.link_edits import NEW, LinkEdit
from skerry.tracker.changes.name_resolver import NameResolver, UnknownName
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context
from skerry.visibility import is_visible
from skerry.wire.record import changed

Change = Callable[[Values], Values]
"""The effect of a command on a ticket's values; raises UnknownName if it cannot be applied."""

# The commands that outsiders may use in a ticket that they open in a public project.
_FOR_ANYONE = ("tagged", "private")


def change_of(resolver: NameResolver, command: Command, links: LinkEdit | None) -> Change:
    """Return the change that a command makes to tickets of the resolver's project; raises UnknownName.

    ``links`` is for the commands that link tickets.
    """
    if command.key in LINKING:
        return _link(resolver, command, links)
    return _MAKERS[command.key](resolver, command)


def into(state: StateDefinition) -> Change:
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


def _weigh(resolver: NameResolver, command: Command) -> Change:
    value = command.value or 0
    importance = value if isinstance(value, int) else resolver.level(value)
    if importance > MAX_IMPORTANCE:
        raise UnknownName(f"the importance goes up to {MAX_IMPORTANCE}")
    return lambda values: changed(values, importance=importance)


def _schedule(resolver: NameResolver, command: Command) -> Change:
    try:
        due_on = None if command.value is None else day_at(read_day(str(command.value)), resolver.today)
    except ValueError as error:
        raise UnknownName(f"'{command.value}' is not a day") from error
    return lambda values: changed(values, due_on=due_on)


def _hide(_resolver: NameResolver, command: Command) -> Change:
    if command.value not in FLAGS:
        raise UnknownName(f"private is true or false, not '{command.value}'")
    return lambda values: changed(values, private=command.value == TRUE)


def _tag(_resolver: NameResolver, command: Command) -> Change:
    # With a comma, spaces belong to the tag.
    named = _read(f"{command.value},")
    if not named:
        raise UnknownName(f"'{command.value}' is not a possible tag")

    def change(values: Values) -> Values:
        present = [tag for tag in _read(values.tag or "") if tag not in named]
        tags = present if command.negated else [*present, *filter(is_visible, named)]
        # Parsed again to enforce the limit on the tags of a ticket.
        return changed(values, tag=write_tags(_read(",".join([*tags, ""]))))

    return change


def _read(text: str) -> tuple[str, ...]:
    try:
        return read_tags(text)
    except ValueError as error:
        raise UnknownName(_lowered(str(error))) from error


def _link(resolver: NameResolver, command: Command, links: LinkEdit | None) -> Change:
    closes = command.key == "duplicates" and not command.negated

    def change(values: Values) -> Values:
        if links is None:
            return values
        try:
            links.obey(Place(resolver.project_id, values.number or NEW), command)
        except (Invalid, Forbidden) as error:
            raise UnknownName(_lowered(str(error))) from error
        return into(resolver.first_closed)(values) if closes and not values.closed else values

    return change


_MAKERS: dict[str, Callable[[NameResolver, Command], Change]] = {
    "state": _into_state,
    "responsible": _assign,
    "milestone": _plan,
    "tagged": _tag,
    "due": _schedule,
    "importance": _weigh,
    "private": _hide,
}


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def apply(
    resolver: NameResolver, commands: Iterable[Command], values: Values, links: LinkEdit | None
) -> tuple[Values, list[str]]:
    """Return the values after the commands, and the reasons why commands were skipped."""
    skipped: list[str] = []
    for command in commands:
        try:
            values = change_of(resolver, command, links)(values)
        except UnknownName as reason:
            skipped.append(str(reason))
    return values, skipped


def links_in_text(context: Context, body: str, number: int) -> LinkEdit | None:
    """Return the edit for the commands in a text about a ticket that change links, if there are any.

    It locks tickets, so it must be made before others are locked.
    """
    if not context.member:
        return None
    return LinkEdit.of_commands(context, [Place(context.project_id, number)], commands_in_comment(body))


def in_text(
    context: Context, body: str, before: Values, after: Values, links: LinkEdit | None, *, creating: bool
) -> tuple[Values, str]:
    """Return a ticket's values after the commands in a text about it, and the note to store with the text.

    Values that the same request changed, from ``before`` to ``after``, stay. Commands that cannot be applied,
    or not by the caller, are skipped, and the note says so.
    """
    wanted = [
        command
        for command in commands_in_comment(body)
        if command.key in LINKING or _is_same(before, after, COMMANDED[command.key][0])
    ]
    if not wanted:
        return after, ""
    allowed = wanted if context.member else [each for each in wanted if creating and each.key in _FOR_ANYONE]
    refused = [
        f"only members of the project may set {_words_of(command)}"
        for command in wanted
        if command not in allowed
    ]
    after, skipped = apply(NameResolver(context), allowed, after, links)
    return after, note_of([*refused, *skipped])


def _is_same(before: Values, after: Values, field: str) -> bool:
    return bool(getattr(before, field) == getattr(after, field))


def _words_of(command: Command) -> str:
    return "links" if command.key in LINKING else COMMANDED[command.key][1]
