"""Pages of ticket bins."""

from skerry.resources.bins import TicketBin
from skerry.tracker import bins
from skerry.tracker.changes import edit_conflicts, row_locks
from skerry.tracker.context import Context, Params
from skerry.web.site.pages.content import Content
from skerry.web.site.pages.lists import lines, search_text
from skerry.wire.record import changed

_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the project's bins with the positions that each could move to."""
    kept, address = bins.without_counts(context), f"/projects/{context.project_id}/bins"
    shown = lines(params, address, bins.filter_by_name(kept, search_text(params, "q")), _ON_A_PAGE, "at")
    return {
        "lines": shown,
        "bins": bins.counted(context, shown.records, bins.BESIDE),
        "places": _places(kept),
    }


def _places(kept: list[TicketBin]) -> dict[int | None, tuple[int | None, int | None]]:
    """Return the positions that move each bin up or down, by id."""
    stands = [each.position or 0 for each in kept]
    above, below = [None, *stands], [*(position + 1 for position in stands[1:]), None]
    return {each.id: places for each, places in zip(kept, zip(above, below, strict=False), strict=False)}


def new(context: Context, params: Params) -> Content:
    """Return a new bin with the query of a search."""
    return {"bin": changed(bins.new(context, params), query=params.query.get("query", ""))}


def edit(context: Context, params: Params) -> Content:
    """Return a bin to be changed; raises NotFound."""
    found = bins.get(context, params)
    return {"bin": found, "seen": _mark(found)}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if a bin has changed since the reader saw it."""
    row_locks.locked(context, TicketBin, params, removes=False)
    edit_conflicts.check(saw, _mark(bins.get(context, params)))


def _mark(found: TicketBin) -> str:
    return edit_conflicts.mark(found.name, found.query, found.shared)
