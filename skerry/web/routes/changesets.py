"""The routes, pages and forms of changesets."""

from skerry.resources.changesets import Changeset
from skerry.resources.tickets import Ticket
from skerry.tracker import changesets
from skerry.web.route import CONTRIBUTE, EMPTY, LIST, PAGE, PROJECT, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import changesets as changeset_pages

CHANGESETS = f"{PROJECT}/changesets"
CHANGESET = f"{CHANGESETS}/{{revision}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", CHANGESETS, changesets.list_all, VIEW, Changeset, PAGE),
    Route(
        "POST",
        CHANGESETS,
        changesets.create,
        CONTRIBUTE,
        Changeset,
        location=CHANGESET,
        draft=Changeset,
        prepare=changesets.prepare,
    ),
    Route("GET", f"{CHANGESETS}/new", changesets.new, CONTRIBUTE, Changeset),
    Route("GET", CHANGESET, changesets.get, VIEW, Changeset),
    Route("GET", f"{CHANGESET}/tickets", changesets.tickets, VIEW, Ticket, LIST),
    Route("DELETE", CHANGESET, changesets.delete, CONTRIBUTE, Changeset, EMPTY),
)

PAGES: tuple[Page, ...] = (
    Page(CHANGESETS, "changesets.html", changeset_pages.list_all),
    Page(f"{CHANGESETS}/new", "changeset_new.html", changeset_pages.new, CONTRIBUTE),
    Page(CHANGESET, "changeset.html", changeset_pages.get),
    Page(f"{CHANGESET}/delete", "changeset_delete.html", changeset_pages.to_delete, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", CHANGESETS, page=f"{CHANGESETS}/new"),
    Form("DELETE", CHANGESET, page=f"{CHANGESET}/delete", then=CHANGESETS),
)
