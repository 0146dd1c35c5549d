"""Pages of ticket bins."""

from typing import Any

from skerry.resources.bins import TicketBin
from skerry.tracker import bins, holding, unseen
from skerry.tracker.visit import Ask, Visit
from skerry.wire.record import changed


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the bins of a project, each with where it would have to stand to be one further up or down."""
    found = bins.listed(visit, ask).records
    places = [each.position for each in found]
    return {
        "bins": [
            (each, places[at - 1] if at else None, places[at + 1] + 1 if at + 1 < len(places) else None)
            for at, each in enumerate(found)
        ]
    }


def blank(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a bin as it would be made of a search."""
    return {"bin": changed(bins.blank(visit, ask), query=ask.query.get("query", ""))}


def edit(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give a bin that is to be changed; raises Missing."""
    found = bins.shown(visit, ask)
    return {"bin": found, "seen": _mark(found)}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise Stale if a bin is not as its reader saw it any more."""
    holding.held(visit, TicketBin, ask, removes=False)
    unseen.check(saw, _mark(bins.shown(visit, ask)))


def _mark(found: TicketBin) -> str:
    return unseen.mark(found.name, found.query, found.shared)
