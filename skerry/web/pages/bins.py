"""Pages of ticket bins."""

from skerry.resources.bins import TicketBin
from skerry.tracker import bins, holding, unseen
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import lines, sought
from skerry.wire.record import changed

_ON_A_PAGE = 50


def listed(visit: Visit, ask: Ask) -> Content:
    """Return a page of the project's bins with the positions that each could move to."""
    kept, address = bins.kept(visit), f"/projects/{visit.project_id}/bins"
    shown = lines(ask, address, bins.named(kept, sought(ask, "q")), _ON_A_PAGE, "at")
    return {"lines": shown, "bins": bins.counted(visit, shown.records, bins.BESIDE), "places": _places(kept)}


def _places(kept: list[TicketBin]) -> dict[int | None, tuple[int | None, int | None]]:
    """Return the positions that move each bin up or down, by id."""
    stands = [each.position or 0 for each in kept]
    above, below = [None, *stands], [*(position + 1 for position in stands[1:]), None]
    return {each.id: places for each, places in zip(kept, zip(above, below, strict=False), strict=False)}


def blank(visit: Visit, ask: Ask) -> Content:
    """Return a bin as it would be made of a search."""
    return {"bin": changed(bins.blank(visit, ask), query=ask.query.get("query", ""))}


def edit(visit: Visit, ask: Ask) -> Content:
    """Return a bin that is to be changed; raises NotFound."""
    found = bins.shown(visit, ask)
    return {"bin": found, "seen": _mark(found)}


def check_seen(visit: Visit, ask: Ask, saw: str) -> None:
    """Raise PreconditionFailed if a bin is not as its reader saw it any more."""
    holding.held(visit, TicketBin, ask, removes=False)
    unseen.check(saw, _mark(bins.shown(visit, ask)))


def _mark(found: TicketBin) -> str:
    return unseen.mark(found.name, found.query, found.shared)
