"""Pages of changesets."""

from itertools import groupby
from operator import itemgetter

from skerry.tracker import changesets, projects
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the project's changesets with their authors."""
    results, page = existing_page(params.page, lambda page: changesets.list_all(context, Params(page=page)))
    return {"listing": results, "page": page, "authors": changesets.authors(context, results.records)}


def get(context: Context, params: Params) -> Content:
    """Return a changeset, its changes by kind, and the tickets that it names; raises NotFound."""
    changeset = changesets.get(context, params)
    kinds = {"A": 0, "M": 1, "D": 2}
    changes = sorted(changeset.changes, key=lambda change: (kinds[change[0]], change[1]))
    return {
        "changeset": changeset,
        "author": changesets.authors(context, [changeset]).get(changeset.user_id or 0),
        "changes": [
            (code, [path for _, path in group]) for code, group in groupby(changes, key=itemgetter(0))
        ],
        "tickets": changesets.tickets(context, params).records,
        "states": projects.states_of(context.project),
    }


def new(context: Context, params: Params) -> Content:
    """Return an empty changeset."""
    return {"changeset": changesets.new(context, params)}


def to_delete(context: Context, params: Params) -> Content:
    """Return a changeset to be deleted; raises NotFound."""
    return {"changeset": changesets.get(context, params)}
