"""The routes, pages and forms of saved views, and for how people see lists."""

from skerry.resources.bins import TicketBin
from skerry.resources.lists import ListSettings
from skerry.tracker import bins, layouts
from skerry.tracker.access import Permission
from skerry.web.route import CONTRIBUTE, CUSTOMIZE, EMPTY, LIST, PROJECT, SIGNED_IN, TICKETS, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import bins as bin_pages
from skerry.web.site.pages import ticket_list

BINS = f"{PROJECT}/bins"
BINS_OF_ACCOUNT = "/bins"
OWN_LIST = "/profile/lists/{project_id}"
OWN_LIST_OF_ALL = "/profile/lists/all"


def _bins(path: str, reads: Permission, writes: Permission) -> tuple[Route, ...]:
    """Return the routes of bins below a path, with the permissions to read and to change them."""
    each = f"{path}/{{id}}"
    return (
        Route("GET", path, bins.list_all, reads, TicketBin, LIST, quick=False),
        Route("POST", path, bins.create, writes, TicketBin, location=each, draft=TicketBin),
        Route("GET", f"{path}/new", bins.new, writes, TicketBin),
        Route("GET", each, bins.get, reads, TicketBin),
        Route("PUT", each, bins.update, writes, TicketBin, draft=TicketBin),
        Route("POST", each, bins.update, writes, TicketBin, draft=TicketBin),
        Route("DELETE", each, bins.delete, writes, TicketBin, EMPTY),
    )


def _settings(path: str, permission: Permission) -> tuple[Route, ...]:
    """Return the routes of a person's settings for a list."""
    return (
        Route("GET", path, layouts.get, permission, ListSettings),
        Route("PUT", path, layouts.update, permission, ListSettings, draft=ListSettings),
    )


def _pages_of_bins(place: str, reads: Permission, writes: Permission) -> tuple[Page, ...]:
    """Return the pages of bins below a path."""
    return (
        Page(place, "bins.html", bin_pages.list_all, reads),
        Page(f"{place}/new", "bin.html", bin_pages.new, writes),
        Page(f"{place}/{{id}}", "tickets.html", ticket_list.of_bin, reads),
        Page(f"{place}/{{id}}/edit", "bin.html", bin_pages.edit, writes),
    )


def _forms_of_bins(place: str) -> tuple[Form, ...]:
    """Return the forms of bins below a path."""
    each = f"{place}/{{id}}"
    return (
        Form("POST", place, page=f"{place}/new", then=each),
        Form("PUT", each, page=f"{each}/edit", then=each, guard=bin_pages.check_seen),
        Form("DELETE", each, page=f"{each}/edit", then=place),
    )


ROUTES: tuple[Route, ...] = (
    *_bins(BINS, VIEW, CONTRIBUTE),
    *_bins(BINS_OF_ACCOUNT, SIGNED_IN, SIGNED_IN),
    *_settings(OWN_LIST, CUSTOMIZE),
    *_settings(OWN_LIST_OF_ALL, SIGNED_IN),
)

PAGES: tuple[Page, ...] = (
    *_pages_of_bins(BINS, VIEW, CONTRIBUTE),
    *_pages_of_bins(BINS_OF_ACCOUNT, SIGNED_IN, SIGNED_IN),
)

FORMS: tuple[Form, ...] = (
    Form("PUT", OWN_LIST, page=TICKETS),
    Form("PUT", OWN_LIST_OF_ALL, page="/tickets"),
    *_forms_of_bins(BINS),
    *_forms_of_bins(BINS_OF_ACCOUNT),
)
