"""The routes, pages and forms of milestones."""

from skerry.resources.milestones import BurndownDay, Milestone
from skerry.tracker import burndowns, milestones
from skerry.web.route import CONTRIBUTE, EMPTY, LIST, PAGE, PROJECT, PUBLIC, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import milestones as milestone_pages

MILESTONES = f"{PROJECT}/milestones"
MILESTONE = f"{MILESTONES}/{{id}}"
_WHICH = ("state",)


def _milestone(path: str) -> tuple[Route, ...]:
    """Return the routes of a milestone, which also have an older, singular path."""
    return (
        Route("GET", path, milestones.get, VIEW, Milestone),
        Route("PUT", path, milestones.update, CONTRIBUTE, Milestone, draft=Milestone),
        Route("POST", path, milestones.update, CONTRIBUTE, Milestone, draft=Milestone),
        Route("DELETE", path, milestones.delete, CONTRIBUTE, Milestone, EMPTY),
        Route("PUT", f"{path}/close", milestones.close, CONTRIBUTE, Milestone),
        Route("PUT", f"{path}/open", milestones.reopen, CONTRIBUTE, Milestone),
    )


ROUTES: tuple[Route, ...] = (
    Route(
        "GET", "/milestones", milestones.list_across_projects, PUBLIC, Milestone, PAGE, extra_params=_WHICH
    ),
    Route("GET", MILESTONES, milestones.list_all, VIEW, Milestone, PAGE, extra_params=_WHICH),
    Route("POST", MILESTONES, milestones.create, CONTRIBUTE, Milestone, location=MILESTONE, draft=Milestone),
    Route("GET", f"{MILESTONES}/new", milestones.new, CONTRIBUTE, Milestone),
    Route("GET", f"{MILESTONE}/burndown", burndowns.list_all, VIEW, BurndownDay, LIST, quick=False),
    *_milestone(MILESTONE),
    *_milestone(f"{PROJECT}/milestone/{{id}}"),
)

PAGES: tuple[Page, ...] = (
    Page("/milestones", "milestones.html", milestone_pages.list_across_projects, PUBLIC),
    Page(MILESTONES, "milestones.html", milestone_pages.list_all),
    Page(f"{MILESTONES}/new", "milestone_new.html", milestone_pages.new, CONTRIBUTE),
    Page(MILESTONE, "milestone.html", milestone_pages.get),
    Page(f"{MILESTONE}/edit", "milestone_edit.html", milestone_pages.edit, CONTRIBUTE),
    Page(f"{MILESTONE}/delete", "milestone_delete.html", milestone_pages.edit, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", MILESTONES, page=f"{MILESTONES}/new"),
    Form("PUT", MILESTONE, page=f"{MILESTONE}/edit", then=MILESTONE, guard=milestone_pages.check_seen),
    Form("DELETE", MILESTONE, page=f"{MILESTONE}/delete", then=MILESTONES),
    Form("PUT", f"{MILESTONE}/close", page=MILESTONE),
    Form("PUT", f"{MILESTONE}/open", page=MILESTONE),
)
