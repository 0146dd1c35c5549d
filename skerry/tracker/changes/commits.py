"""Commands in commit messages."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from skerry.resources.changesets import Changeset
from skerry.text.commands import Action, actions_in_message
from skerry.tracker.changes import commands
from skerry.tracker.changes.comments import Comment
from skerry.tracker.changes.name_resolver import NameResolver
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context, Params
from skerry.tracker.texts import mentions, rendering


def prepare(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that renders the comment of a changeset's message, if the message names tickets.

    It raises Unavailable as ``rendering.ahead`` does.
    """
    new = params.draft_of(Changeset).new
    revision, body = new.revision, new.body
    if not actions_in_message(body):
        return lambda: params
    comment = _comment(revision, body)
    known = rendering.known_by_then(context, comment, revision)
    return lambda: replace(
        params, rendered={**params.rendered, **rendering.rendered(context.project_id, comment, known)}
    )


def act(context: Context, changeset: Changeset) -> None:
    """Comment on the tickets that a changeset's message names, and apply its commands to them.

    Each bracket and each closing verb makes its own version, in the caller's name. Unknown ticket numbers are
    ignored; commands that cannot be applied are skipped, and the comment says so.
    """
    actions = actions_in_message(changeset.body)
    if not actions:
        return
    batch = Batch(context, {number for action in actions for number in action.numbers}, via="commit")
    resolver = NameResolver(context)
    comment = _comment(changeset.revision, changeset.body)
    html = rendering.render(context, comment)
    named = mentions.named(context, html)
    for number, action in _steps(batch, actions):
        after, skipped = _after(resolver, action, batch.values(number))
        said = Comment(*rendering.noted(comment, html, commands.note_of(skipped)), named=named)
        batch.add(number, after, said, watching=[context.author.user_id])
    batch.keep()


def _comment(revision: str, body: str) -> str:
    return f"(from [{revision}]) {body}"


def _steps(batch: Batch, actions: tuple[Action, ...]) -> Iterator[tuple[int, Action]]:
    existing = set(batch.numbers)
    return ((number, action) for action in actions for number in action.numbers if number in existing)


def _after(resolver: NameResolver, action: Action, values: Values) -> tuple[Values, list[str]]:
    if action.closes:
        return commands.into(resolver.first_closed)(values), []
    return commands.apply(resolver, action.commands, values)
