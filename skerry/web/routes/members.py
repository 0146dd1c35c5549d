"""The routes, pages and forms of the members of projects."""

from skerry.resources.people import Membership
from skerry.resources.removals import Removal
from skerry.tracker import administration, removals
from skerry.tracker.people import memberships
from skerry.web.route import CONTRIBUTE, EMPTY, LIST, SIGNED_IN, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.routes.profile import USER
from skerry.web.site.pages import memberships as membership_pages

MEMBERSHIPS = "/projects/{project_id}/memberships"
MEMBERSHIP = f"{MEMBERSHIPS}/{{id}}"
RESTORED_MEMBERSHIP = f"{MEMBERSHIP}/restore"
_HOLD = administration.lock
_SUCCESSOR = ("successor_id",)

ROUTES: tuple[Route, ...] = (
    Route("GET", f"{USER}/memberships", memberships.of_user, SIGNED_IN, Membership, LIST),
    Route("GET", MEMBERSHIPS, memberships.of_project, VIEW, Membership, LIST),
    Route(
        "POST",
        MEMBERSHIPS,
        memberships.create,
        CONTRIBUTE,
        Membership,
        location=MEMBERSHIP,
        draft=Membership,
        first=_HOLD,
    ),
    Route("GET", MEMBERSHIP, memberships.get, VIEW, Membership),
    Route(
        "DELETE", MEMBERSHIP, removals.remove_member, CONTRIBUTE, Membership, EMPTY, extra_params=_SUCCESSOR
    ),
    Route("GET", "/projects/{project_id}/removals", removals.of_project, CONTRIBUTE, Removal, LIST),
    Route("POST", RESTORED_MEMBERSHIP, removals.restore_member, CONTRIBUTE, Membership, first=_HOLD),
)

PAGES: tuple[Page, ...] = (
    Page(MEMBERSHIPS, "memberships.html", membership_pages.list_all),
    Page(f"{MEMBERSHIP}/delete", "membership_delete.html", membership_pages.removal, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", MEMBERSHIPS, page=MEMBERSHIPS, then=f"{MEMBERSHIPS}?added={{user_id}}"),
    Form("DELETE", MEMBERSHIP, page=f"{MEMBERSHIP}/delete", then=f"{MEMBERSHIPS}?removed={{id}}"),
    Form("POST", RESTORED_MEMBERSHIP, page=MEMBERSHIPS, then=f"{MEMBERSHIPS}?added={{user_id}}"),
)
