"""The routes, pages and forms of invitations, and the links that set up a login."""

from skerry.resources.auth import Invitation, InvitationBatch, SetUp, Welcome
from skerry.resources.people import User
from skerry.tracker.auth import invitation_batches, invitations, setup_links
from skerry.web.route import ADMINISTER, CAPABILITY_LINK, EMPTY, LIST, Route
from skerry.web.routes.administration import ADMINISTRATION
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import administration

INVITATIONS = "/invitations"
INVITATION = f"{INVITATIONS}/{{id}}"
INVITATION_BATCH = f"{INVITATIONS}/batch"
WELCOME = "/welcome/{code}"
SET_UP = "/set-up/{code}"

ROUTES: tuple[Route, ...] = (
    Route("GET", INVITATIONS, invitations.list_all, ADMINISTER, Invitation, LIST),
    Route(
        "POST",
        INVITATIONS,
        invitations.create,
        ADMINISTER,
        Invitation,
        location=INVITATION,
        draft=Invitation,
        once=True,
    ),
    Route(
        "POST",
        INVITATION_BATCH,
        invitation_batches.create,
        ADMINISTER,
        InvitationBatch,
        draft=InvitationBatch,
        once=True,
    ),
    Route("GET", INVITATION, invitations.get, ADMINISTER, Invitation),
    Route("DELETE", INVITATION, invitations.remove, ADMINISTER, Invitation, EMPTY),
    Route("GET", WELCOME, invitations.welcome, CAPABILITY_LINK, Welcome),
    Route(
        "POST", WELCOME, invitations.accept, CAPABILITY_LINK, User, draft=Welcome, prepare=invitations.hashed
    ),
    Route("GET", SET_UP, setup_links.get, CAPABILITY_LINK, SetUp),
    Route("POST", SET_UP, setup_links.finish, CAPABILITY_LINK, User, draft=SetUp, prepare=setup_links.hashed),
)

PAGES: tuple[Page, ...] = (
    Page(INVITATIONS, "invitations.html", administration.list_invitations, ADMINISTER),
    Page(WELCOME, "invitation.html", administration.welcome, CAPABILITY_LINK),
    Page(SET_UP, "set_up.html", administration.set_up, CAPABILITY_LINK),
)

FORMS: tuple[Form, ...] = (
    Form("POST", INVITATIONS, page=ADMINISTRATION),
    Form("POST", INVITATION_BATCH, page=ADMINISTRATION),
    Form("DELETE", INVITATION, page=ADMINISTRATION),
    Form("POST", WELCOME, page=WELCOME, then="/", signs_in=True),
    Form("POST", SET_UP, page=SET_UP, then="/", signs_in=True),
)
