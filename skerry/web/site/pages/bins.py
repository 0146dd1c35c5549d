"""Pages of ticket bins."""

from skerry.resources.bins import TicketBin
from skerry.tracker import bins, edit_conflicts, layouts, row_locks
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import lines, search_text
from skerry.wire.record import changed

_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the bins with the positions that each could move to."""
    kept = bins.without_counts(context)
    shown = lines(
        params, place(context), bins.filter_by_name(kept, search_text(params, "q")), _ON_A_PAGE, "at"
    )
    return {
        **_frame(context),
        "lines": shown,
        "bins": bins.counted(context, shown.records, bins.BESIDE),
        "places": _places(kept),
    }


def place(context: Context) -> str:
    """Return the path of the bins of the project, or of the account."""
    return f"/projects/{context.project_id}/bins" if context.entered else "/bins"


def path_of(context: Context, ticket_bin: TicketBin) -> str:
    """Return the path of a bin."""
    return f"{place(context)}/{ticket_bin.id}"


def may_change(context: Context) -> bool:
    """Return whether the reader may save bins here."""
    if context.entered:
        return context.member and not context.project.archived
    return context.principal is not None


def _frame(context: Context) -> Content:
    """Return where the bins are, whether the reader may change and share them, and their layouts' words."""
    principal = context.principal
    return {
        "place": place(context),
        "may_change": may_change(context),
        "may_share": bool(context.entered or (principal and principal.role)),
        "groups": layouts.GROUPS,
        "columns_known": layouts.COLUMNS,
    }


def _places(kept: list[TicketBin]) -> dict[int | None, tuple[int | None, int | None]]:
    """Return the positions that move each bin up or down, by id."""
    stands = [each.position or 0 for each in kept]
    above, below = [None, *stands], [*(position + 1 for position in stands[1:]), None]
    return {each.id: places for each, places in zip(kept, zip(above, below, strict=False), strict=False)}


def new(context: Context, params: Params) -> Content:
    """Return a new bin with the query of a search."""
    fresh = changed(bins.new(context, params), query=params.query.get("query", ""))
    return {**_frame(context), "bin": fresh, "columns": layouts.columns_of(fresh)}


def edit(context: Context, params: Params) -> Content:
    """Return a bin to be changed; raises NotFound."""
    ticket_bin = bins.get(context, params)
    columns = layouts.columns_of(ticket_bin)
    return {**_frame(context), "bin": ticket_bin, "columns": columns, "seen": _mark(ticket_bin)}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if a bin has changed since the reader saw it."""
    row_locks.locked(context, TicketBin, params, removes=False)
    edit_conflicts.check(saw, _mark(bins.get(context, params)))


def _mark(ticket_bin: TicketBin) -> str:
    return edit_conflicts.mark(
        ticket_bin.name,
        ticket_bin.query,
        ticket_bin.shared,
        ticket_bin.columns,
        ticket_bin.group,
        ticket_bin.sort,
    )
