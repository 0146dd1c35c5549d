"""Bulk edits over several projects: one bulk edit in each, made and undone together."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter

from skerry.errors import Forbidden, Invalid, NotFound, Unauthenticated
from skerry.resources.bulk_edits import AccountBulkEdit, BulkEdit
from skerry.store import bulk_edits as store
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.tracker import access, bulk_edits, bulk_undo
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params

MAX_PROJECTS = 50
"""How many projects one bulk edit may reach."""


def get(context: Context, params: Params) -> AccountBulkEdit:
    """Return a bulk edit over projects, with its parts in those that the caller sees; raises NotFound."""
    return one(context, params.ids["id"])


def one(context: Context, bulk_edit_id: int) -> AccountBulkEdit:
    """Return a bulk edit over projects; raises NotFound or Unauthenticated if the caller sees no part."""
    parts = store.parts(context.transaction, access.visibility(context.principal), bulk_edit_id)
    if not parts:
        raise NotFound("There is no such bulk edit") if context.principal else Unauthenticated
    return _whole(bulk_edit_id, parts)


def create(context: Context, params: Params) -> AccountBulkEdit:
    """Apply commands to every ticket that a query finds in the projects that the caller sees, or to none.

    Raises as ``bulk_edits.create`` does; also Invalid if the tickets are in more than 50 projects or there
    are none, Forbidden with the names of the projects in which the caller may not change tickets.
    """
    new = params.draft_of(AccountBulkEdit).new
    bulk_edits.read_commands(new.command)
    selection = find(context, new.query)
    if not selection:
        raise Invalid("Query finds no ticket")
    whole_id = None if new.dry_run else store.next_id(context.transaction)
    part = BulkEdit(command=new.command, query=new.query, dry_run=new.dry_run, part_of=whole_id)
    parts: list[BulkEdit] = []
    for inside, numbers in selection:
        with naming(inside):
            parts.append(bulk_edits.apply(inside, part, numbers))
    return _whole(whole_id, parts)


def undo(context: Context, params: Params) -> AccountBulkEdit:
    """Undo all parts of a bulk edit over projects that the caller sees and that are not undone yet, or none.

    Raises NotFound; Invalid if nothing is left to undo; Forbidden with the names of the projects in which the
    caller may not change tickets.
    """
    left = [each for each in one(context, params.ids["id"]).bulk_edits if can_be_undone(each)]
    if not left:
        raise Invalid("This bulk edit was already undone")
    insides = _entered(context, [each.project_id or 0 for each in left])
    whole_id = store.next_id(context.transaction)
    parts: list[BulkEdit] = []
    for inside, part in zip(insides, left, strict=True):
        with naming(inside):
            parts.append(bulk_undo.undo_one(inside, part.id or 0, whole_id))
    return _whole(whole_id, parts)


def can_be_undone(part: BulkEdit) -> bool:
    """Return whether a part is not undone yet, and is itself no undo that moved tickets back."""
    return not part.undone_by and part.moved_to != part.project_id


def find(context: Context, query: str) -> list[tuple[Context, list[int]]]:
    """Return the projects in which a query finds tickets, entered, and the numbers of the tickets.

    Raises as ``create`` does.
    """
    places = sorted(bulk_edits.find(context, query, access.visible_project_ids(context)))
    by_project = {
        project_id: [place.number for place in group]
        for project_id, group in groupby(places, attrgetter("project_id"))
    }
    if len(by_project) > MAX_PROJECTS:
        raise Invalid(
            f"Query finds tickets in too many projects (a bulk edit reaches at most {MAX_PROJECTS})"
        )
    return list(zip(_entered(context, by_project), by_project.values(), strict=True))


def places(found: Iterable[tuple[Context, list[int]]]) -> list[Place]:
    """Return the tickets that were found, in order."""
    return [Place(inside.project_id, number) for inside, numbers in found for number in numbers]


@contextmanager
def naming(inside: Context) -> Iterator[None]:
    """Prefix error messages with the name of the project."""
    try:
        yield
    except Invalid as refusal:
        raise Invalid(f"Project {inside.project.name}: {refusal}") from refusal
    except Forbidden as refusal:
        raise Forbidden(f"Project {inside.project.name}: {refusal}") from refusal


def _whole(whole_id: int | None, parts: list[BulkEdit]) -> AccountBulkEdit:
    first = parts[0]
    return AccountBulkEdit(
        bulk_edits=parts,
        command=first.command,
        count=sum(each.count for each in parts),
        created_at=first.created_at,
        dry_run=first.dry_run,
        id=whole_id,
        query=first.query,
        user_id=first.user_id,
        user_name=first.user_name,
    )


def _entered(context: Context, project_ids: Iterable[int]) -> list[Context]:
    """Enter projects to change their tickets; raises Forbidden, naming all in which the caller may not."""
    insides, refused = list[Context](), list[str]()
    for project_id in project_ids:
        try:
            insides.append(access.enter(context, project_id, Permission.CONTRIBUTE, writes=True))
        except Forbidden:
            seen = access.enter(context, project_id, Permission.VIEW, writes=False)
            refused.append(seen.project.name)
    if refused:
        raise Forbidden(f"You may not change tickets of {', '.join(refused)}")
    return insides
