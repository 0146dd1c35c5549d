"""Pages of changesets."""

from itertools import groupby
from operator import itemgetter

from skerry.tracker import changesets, projects
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import last_there


def listed(visit: Visit, ask: Ask) -> Content:
    """Return a page of the project's changesets with those who made them."""
    listing, page = last_there(ask.page, lambda page: changesets.listed(visit, Ask(page=page)))
    return {"listing": listing, "page": page, "authors": changesets.authors(visit, listing.records)}


def shown(visit: Visit, ask: Ask) -> Content:
    """Return a changeset, its changes by kind, and the tickets that it names; raises NotFound."""
    changeset = changesets.shown(visit, ask)
    kinds = {"A": 0, "M": 1, "D": 2}
    changes = sorted(changeset.changes, key=lambda change: (kinds[change[0]], change[1]))
    return {
        "changeset": changeset,
        "author": changesets.authors(visit, [changeset]).get(changeset.user_id or 0),
        "changes": [
            (code, [path for _, path in group]) for code, group in groupby(changes, key=itemgetter(0))
        ],
        "tickets": changesets.tickets(visit, ask).records,
        "states": projects.states_of(visit.project),
    }


def blank(visit: Visit, ask: Ask) -> Content:
    """Return an empty changeset."""
    return {"changeset": changesets.blank(visit, ask)}


def doomed(visit: Visit, ask: Ask) -> Content:
    """Return a changeset that somebody may delete; raises NotFound."""
    return {"changeset": changesets.shown(visit, ask)}
