"""The part of the route table for saved views, and for how people see lists."""

from skerry.resources.bins import TicketBin
from skerry.resources.lists import ListSettings
from skerry.tracker import bins, layouts
from skerry.tracker.access import Permission
from skerry.web.route import PROJECT, ResponseKind, Route

BINS = f"{PROJECT}/bins"
BINS_OF_ACCOUNT = "/bins"
OWN_LIST = "/profile/lists/{project_id}"
OWN_LIST_OF_ALL = "/profile/lists/all"


def _bins(path: str, reads: Permission, writes: Permission) -> tuple[Route, ...]:
    """Return the routes of bins below a path, with the permissions to read and to change them."""
    each = f"{path}/{{id}}"
    return (
        Route("GET", path, bins.list_all, reads, TicketBin, ResponseKind.LIST, quick=False),
        Route("POST", path, bins.create, writes, TicketBin, location=each, draft=TicketBin),
        Route("GET", f"{path}/new", bins.new, writes, TicketBin),
        Route("GET", each, bins.get, reads, TicketBin),
        Route("PUT", each, bins.update, writes, TicketBin, draft=TicketBin),
        Route("POST", each, bins.update, writes, TicketBin, draft=TicketBin),
        Route("DELETE", each, bins.delete, writes, TicketBin, ResponseKind.EMPTY),
    )


def _settings(path: str, permission: Permission) -> tuple[Route, ...]:
    """Return the routes of a person's settings for a list."""
    return (
        Route("GET", path, layouts.get, permission, ListSettings),
        Route("PUT", path, layouts.update, permission, ListSettings, draft=ListSettings),
    )


ROUTES: tuple[Route, ...] = (
    *_bins(BINS, Permission.VIEW, Permission.CONTRIBUTE),
    *_bins(BINS_OF_ACCOUNT, Permission.SIGNED_IN, Permission.SIGNED_IN),
    *_settings(OWN_LIST, Permission.CUSTOMIZE),
    *_settings(OWN_LIST_OF_ALL, Permission.SIGNED_IN),
)
