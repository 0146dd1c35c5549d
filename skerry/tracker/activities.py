"""Recent activity in one project, or in all that are visible to a user."""

from typing import NamedTuple

from skerry.errors import Invalid
from skerry.resources.activities import Activity
from skerry.resources.tickets import Version
from skerry.store import activities as store
from skerry.store import activity_lines, attachments, versions
from skerry.store.activities import KINDS, Filter
from skerry.store.activity_lines import Line
from skerry.store.projects import SeenIds
from skerry.tracker import access, change_words, links
from skerry.tracker.change_words import ChangeInWords
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.wire.values import whole_number

MAX = 1000
"""The maximum number of activities that can be listed, and among which those of a person are found."""

FILTERS = ("kind", "user_id")
"""The parameters that select activities."""

FILTERS_ACROSS_PROJECTS = (*FILTERS, "project_id")


class ToldLine(NamedTuple):
    """An activity, or a bulk edit, as a ``Line`` has it, with what a version of a ticket changed.

    ``files_count`` is the number of files of a version that has nothing else.
    """

    activity: Activity
    edit_id: int
    tickets_count: int
    changes: list[ChangeInWords]
    files_count: int


class Lines(NamedTuple):
    """A page of activity as lines; their number is ``exact``, or at least so large."""

    records: list[ToldLine]
    total: int
    exact: bool


def list_all(context: Context, params: Params) -> ResultPage[Activity]:
    """Return a page of the project's latest thousand activities, newest first.

    Raises Invalid for a filter.
    """
    return _page(context, _filter(params, access.listed_project_ids(context)), params.page)


def list_across_projects(context: Context, params: Params) -> ResultPage[Activity]:
    """Return a page of the latest thousand activities in all projects visible to the caller.

    Raises Invalid for a filter.
    """
    return _page(context, _filter(params, _visible_ids(context, params)), params.page)


def lines(context: Context, params: Params) -> Lines:
    """Return a page of activity as a person reads it: with one line for each bulk edit.

    It is that of the current project, or of all visible ones. Raises Invalid for a filter.
    """
    ids = access.listed_project_ids(context) if context.entered else _visible_ids(context, params)
    page, wanted = params.page, _filter(params, ids)
    most = min(page.offset + page.limit + 1, MAX)
    rows = activity_lines.latest(context.transaction, wanted, most, MAX) if ids else []
    shown = rows[page.offset : page.offset + page.limit]
    return Lines(_told(context, shown), len(rows), exact=len(rows) < most or most == MAX)


def _told(context: Context, lines: list[Line]) -> list[ToldLine]:
    """Return lines with what they changed; names of former values are not looked up."""
    said = [line.activity for line in lines if line.activity.version and not line.edit_id]
    actions = {_key(each): each.action for each in said}
    changes: dict[tuple[int, int, int], list[ChangeInWords]] = {}
    if actions:
        projects, numbers, wanted = (sorted(set(each)) for each in zip(*actions, strict=True))
        found = versions.without_texts(context.transaction, SeenIds(tuple(projects)), numbers, wanted)
        # What was only linked would be a change of nothing.
        bare = [
            each for each in found if actions.get(_key(each)) == "changed" and not each.diffable_attributes
        ]
        for each in [*found, *links.with_changes_across(context, bare)]:
            changes[_key(each)] = change_words.with_names(each, {})
    silent = (each for each in said if each.action == "changed" and not each.excerpt)
    files = {_key(each): _files_of(context, each) for each in silent if not changes.get(_key(each))}
    return [
        ToldLine(
            line.activity,
            line.edit_id,
            line.tickets_count,
            changes.get(_key(line.activity), []),
            files.get(_key(line.activity), 0),
        )
        for line in lines
    ]


def _files_of(context: Context, said: Activity) -> int:
    return len(attachments.of_version(context.transaction, *_key(said)))


def _key(said: Activity | Version) -> tuple[int, int, int]:
    return said.project_id or 0, said.number or 0, said.version or 0


def _visible_ids(context: Context, params: Params) -> SeenIds:
    visible = access.visible_project_ids(context)
    wanted = whole_number("Project", params.query.get("project_id") or None)
    return SeenIds(tuple(each for each in visible if wanted in (None, each)))


def _filter(params: Params, project_ids: SeenIds) -> Filter:
    kind = params.query.get("kind", "")
    if kind and kind not in KINDS:
        raise Invalid(f"Kind must be one of {', '.join(KINDS)}")
    user_id = whole_number("User", params.query.get("user_id") or None)
    return Filter(project_ids, kind, user_id, MAX)


def _page(context: Context, wanted: Filter, page: RequestedPage) -> ResultPage[Activity]:
    most = min(page.offset + page.limit + 1, MAX)
    activities = store.latest(context.transaction, wanted, most) if wanted.project_ids else []
    shown = activities[page.offset : page.offset + page.limit]
    return ResultPage(Activity, shown, len(activities), exact=len(activities) < most or most == MAX)
