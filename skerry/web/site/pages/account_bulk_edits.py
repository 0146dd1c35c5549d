"""Pages of bulk edits over several projects: previews and results."""

import re
from itertools import groupby

from skerry.errors import NotFound, PreconditionFailed
from skerry.resources.bulk_edits import AccountBulkEdit
from skerry.tracker import access, account_bulk_edits, bulk_dry_run, edit_conflicts, projects
from skerry.tracker.bulk_dry_run import MAX_SHOWN, DryRun, Preview
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content, bulk_edits

_TICKED = re.compile(r"([0-9]{1,18})/([0-9]{1,18})")


def new(context: Context, params: Params) -> Content:
    """Return the edit in the query string, with its preview or its errors."""
    return bulk_edits.edited(context, params, _selection, _preview)


def _selection(ticked: list[str]) -> str:
    """Return the query for tickets that were selected as ``project/number``."""
    places = sorted(match.groups() for match in map(_TICKED.fullmatch, ticked) if match)
    return " OR ".join(
        f"(project:{project_id} number:({','.join(number for _, number in group)}))"
        for project_id, group in groupby(places, lambda place: place[0])
    )


def _preview(context: Context, query: str, command: str) -> Preview:
    dry_runs: list[DryRun] = []
    selection = account_bulk_edits.find(context, query)
    for inside, numbers in selection:
        at_most = MAX_SHOWN - sum(len(each.tickets) for each in dry_runs)
        with account_bulk_edits.naming(inside):
            dry_runs.append(bulk_dry_run.in_project(inside, numbers, command, at_most))
    return Preview(dry_runs, edit_conflicts.mark(account_bulk_edits.places(selection)))


def check(context: Context, params: Params, seen: str) -> None:
    """Raise PreconditionFailed if a bulk edit would change other tickets than the preview showed."""
    selection = account_bulk_edits.find(context, params.draft_of(AccountBulkEdit).new.query)
    if edit_conflicts.mark(account_bulk_edits.places(selection)) != seen:
        raise PreconditionFailed(bulk_dry_run.OTHER_TICKETS)


def just_made(context: Context, params: Params) -> AccountBulkEdit | None:
    """Return the bulk edit that the reader was redirected from, or None if they cannot undo it."""
    number = bulk_edits.made_id(params)
    try:
        edit = account_bulk_edits.one(context, number) if number else None
    except NotFound:
        return None
    is_own = edit is not None and edit.user_id == context.author.user_id
    return edit if edit and is_own and all(map(account_bulk_edits.can_be_undone, edit.bulk_edits)) else None


def get(context: Context, params: Params) -> Content:
    """Return a bulk edit over projects with the names of the projects; raises NotFound."""
    edit = account_bulk_edits.get(context, params)
    seen = {each.id: each for each in projects.list_all(context, params).records}
    left = [seen[each.project_id] for each in edit.bulk_edits if account_bulk_edits.can_be_undone(each)]
    changeable = access.changeable(context, left)
    return {
        "edit": edit,
        "projects": seen,
        "may_undo": bool(left) and all(each.id in changeable for each in left),
    }
