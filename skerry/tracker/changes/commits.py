"""Commands in commit messages."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from skerry.errors import Forbidden, NotFound
from skerry.resources.changesets import Changeset
from skerry.store.ticket_rows import batches
from skerry.store.ticket_rows.batches import BatchedTicket
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.actions import Action, actions_in_message, note_of
from skerry.text.commands import LINKING, Name
from skerry.tracker import access, mentions
from skerry.tracker.access import Permission
from skerry.tracker.changes import commands
from skerry.tracker.changes.link_edits import LinkEdit
from skerry.tracker.changes.name_resolver import NameResolver
from skerry.tracker.changes.ticket_changes import Batch
from skerry.tracker.changes.ticket_values import NewComment, Values
from skerry.tracker.context import Context, Params
from skerry.tracker.texts import rendering, ticket_references


def prepare(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that renders a changeset's message as a comment, if the message names tickets.

    It raises Unavailable as ``rendering.ahead`` does.
    """
    new = params.draft_of(Changeset).new
    revision, body = new.revision, new.body
    if not actions_in_message(body):
        return lambda: params
    comment = comment_of(revision, body)
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
    names = {(action.project, number) for action in actions for number in action.numbers}
    links = _links(context, actions)
    # Locked before they are looked up: a ticket may be moving just now.
    here = batches.lock(
        context.transaction, context.project_id, {number for word, number in names if not word}
    )
    work = list(_by_project(context, names, here, comment_of(changeset.revision, changeset.body)))
    versions: dict[Place, int] = {}
    for each in work:
        versions |= _add_versions(each, actions, links)
    for each in work:
        each.batch.keep()
    if links:
        links.write(versions)


def _links(context: Context, actions: tuple[Action, ...]) -> LinkEdit | None:
    """Return the edit for the commands that link tickets, which serve the first ticket of their bracket."""
    wanted = [command for action in actions for command in action.commands]
    linking = [action for action in actions if any(each.key in LINKING for each in action.commands)]
    names = {(action.project, number) for action in linking for number in action.numbers}
    own = set(ticket_references.places(context, names).values()) if names else ()
    return LinkEdit.of_commands(context, own, wanted)


class _NamedTickets(NamedTuple):
    """The tickets of one project that a message names, by their names in it, and the comment for them."""

    context: Context
    batch: Batch
    numbers: dict[Name, int]
    comment: str


def _by_project(
    context: Context, names: set[Name], here: list[BatchedTicket], comment: str
) -> Iterator[_NamedTickets]:
    """Yield the tickets in projects in which the caller works; those ``here`` are locked already."""
    by_project: dict[int, dict[Name, int]] = {}
    present = [ticket.number for ticket in here]
    for name, place in ticket_references.places(context, names, present).items():
        by_project.setdefault(place.project_id, {})[name] = place.number
    for project_id, there in sorted(by_project.items()):
        with suppress(NotFound, Forbidden):
            is_here = project_id == context.project_id
            entered = (
                context if is_here else access.enter(context, project_id, Permission.CONTRIBUTE, writes=True)
            )
            batch = Batch(entered, set(there.values()), via="commit")
            existing = {name: number for name, number in there.items() if number in batch.numbers}
            said = comment if is_here else ticket_references.qualified(context, comment)
            yield _NamedTickets(entered, batch, existing, said)


def _add_versions(
    work: _NamedTickets, actions: tuple[Action, ...], links: LinkEdit | None
) -> dict[Place, int]:
    """Add the versions of one project's tickets; return those that change links."""
    context, batch, numbers, comment = work
    resolver = NameResolver(context)
    html = rendering.render(context, comment)
    people = mentions.named(context, html)
    linked: dict[Place, int] = {}
    for action in actions:
        named_here = ((action.project, number) for number in action.numbers)
        for number in (numbers[name] for name in named_here if name in numbers):
            after, skipped = _after(resolver, action, batch.values(number), links)
            place = Place(context.project_id, number)
            is_linked = any(each.key in LINKING for each in action.commands) and _touches(links, place)
            said = NewComment(
                *rendering.noted(comment, html, note_of(skipped)), named=people, links=is_linked
            )
            version = batch.add(number, after, said, watching=[context.author.user_id])
            if is_linked:
                linked.setdefault(place, version)
    return linked


def _touches(links: LinkEdit | None, place: Place) -> bool:
    return links is not None and links.touches(place)


def comment_of(revision: str, body: str) -> str:
    """Return the comment that a commit makes on the tickets that its message names."""
    return f"(from [{revision}]) {body}"


def _after(
    resolver: NameResolver, action: Action, values: Values, links: LinkEdit | None
) -> tuple[Values, list[str]]:
    if action.closes:
        return commands.into(resolver.first_closed)(values), []
    return commands.apply(resolver, action.commands, values, links)
